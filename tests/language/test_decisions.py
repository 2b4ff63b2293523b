"""Why: the decisions that the language was made for are written in it without code, and both evaluators decide them as the cases say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tollens.engine.bench.cases import run_cases
from tollens.engine.rulebook.load import load
from tollens.engine.session.evaluator import Evaluator
from tollens.engine.session.reference import Reference
from tollens.facts.kind import KindTable

DECISIONS = sorted(path for path in (Path(__file__).parent / "decisions").iterdir() if path.is_dir())

pytestmark = pytest.mark.smoke


@pytest.fixture(params=["reference", "durable"])
def evaluator(request: pytest.FixtureRequest) -> Evaluator:
    if request.param == "reference":
        return Reference()
    pytest.importorskip("durable_rules_engine", reason="the production evaluator is not installed")
    from tollens.engine.session.durable.evaluator import DurableEvaluator

    return DurableEvaluator(check=True)


def test_there_are_ten() -> None:
    assert len(DECISIONS) == 10


@pytest.mark.parametrize("folder", DECISIONS, ids=lambda folder: folder.name)
def test_a_decision(folder: Path, evaluator: Evaluator) -> None:
    rulebook = load([], [folder], KindTable(), {})
    results = run_cases(rulebook, folder / f"{folder.name}.cases.yaml", evaluator)
    assert len(results) >= 3
    assert {result.name: [finding.text for finding in result.findings] for result in results if result.outcome != "right"} == {}
