"""Why: whether edits are allowed is decided by rules that nobody can talk round; each of them is needed, and both evaluators agree."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollens.engine.bench.cases import run_cases
from tollens.engine.diagnosis.gate import RepairGate, decide
from tollens.engine.diagnosis.packs import GATE, check, gate_rulebook
from tollens.engine.diagnosis.work import MOST_ATTEMPTS, StoredAttempt
from tollens.engine.errors import FactError, InputError, PackErrors
from tollens.engine.rulebook.load import load
from tollens.engine.rulebook.syntax import Meta, Rulebook
from tollens.engine.session.choose import choose
from tollens.engine.session.evaluator import Evaluator
from tollens.engine.session.reference import Reference
from tollens.engine.session.session import canonical
from tollens.facts.table import TABLE_FILE, base_kinds, generated

CASES = GATE / "gate.cases.yaml"
Json = dict[str, Any]
PackWriter = Callable[..., Path]

PASSED: Json = {"what": "diagnosis", "run": "r", "outcome": "diagnosis", "citation_gate": True, "hierarchy_populated": True}
PROBED: Json = {**PASSED, "instrumented": True}
UNCITED: Json = {**PASSED, "outcome": "insufficient_evidence", "citation_gate": False}
UNNAMED: Json = {**PASSED, "outcome": "insufficient_evidence", "hierarchy_populated": False}
QUIET: Json = {**UNCITED, "outcome": "no_failure"}
FAILED: Json = {"what": "repair", "run": "r", "resolved": False}
DONE: Json = {"what": "repair", "run": "r", "resolved": True}


@pytest.fixture(params=["reference", pytest.param("durable", marks=pytest.mark.engine)])
def evaluator(request: pytest.FixtureRequest) -> Evaluator:
    if request.param == "reference":
        return Reference()
    from tollens.engine.session.durable.evaluator import DurableEvaluator

    return DurableEvaluator(check=True)


def stored(*attempts: Json) -> list[StoredAttempt]:
    """Attempts as if they had been read from files."""
    return [
        StoredAttempt(number, f"{number:04d}.json", {"work": "w", "number": number, **fields}) for number, fields in enumerate(attempts, 1)
    ]


def verdict(*attempts: Json, evaluator: Evaluator | None = None, book: Rulebook | None = None) -> RepairGate:
    return decide("w", stored(*attempts), evaluator or Reference(), book)[0]


def test_the_vocabulary_is_generated() -> None:
    assert TABLE_FILE.read_text(encoding="utf-8") == generated()


def test_the_named_cases(evaluator: Evaluator) -> None:
    results = run_cases(gate_rulebook(), CASES, evaluator)
    assert len(results) >= 25
    assert {result.name: [finding.text for finding in result.findings] for result in results if result.outcome != "right"} == {}


def rule_ids() -> list[str]:
    return [meta.id for meta in metas()]


def metas() -> list[Meta]:
    """What is said of each rule and election of the gate, in order."""
    return [
        meta for stage in gate_rulebook().stages for meta in (*[elect.meta for elect in stage.elects], *[rule.meta for rule in stage.rules])
    ]


def without(book: Rulebook, name: str) -> Rulebook:
    """The rulebook with one rule or election switched off."""
    stages = [
        stage._replace(
            rules=tuple(rule for rule in stage.rules if rule.meta.id != name),
            elects=tuple(elect for elect in stage.elects if elect.meta.id != name),
        )
        for stage in book.stages
    ]
    return book._replace(stages=tuple(stages))


@pytest.mark.parametrize("name", rule_ids())
def test_no_rule_can_be_switched_off_unseen(name: str) -> None:
    results = run_cases(without(gate_rulebook(), name), CASES, Reference())
    assert [result for result in results if result.outcome != "right"], f"no case needs {name}"


def test_every_rule_is_sealed_and_says_where_it_comes_from() -> None:
    for stage in gate_rulebook().stages:
        assert (*stage.patterns, *stage.measures, *stage.takes, *stage.groups) == ()
        assert all(rule.meta.refs for rule in stage.rules)
    assert all(meta.sealed for meta in metas())
    assert all(meta.says.parts for meta in metas())


def oracle(attempts: list[Json]) -> str:
    """The state by walking through the attempts once; written without a look at the rules."""
    at_check = through_repair = 0  # failures in a row if the next one is a failed check, or a failed repair
    escalated = unlocked = False
    for attempt in attempts:
        diagnosis, stamped = attempt["what"] == "diagnosis", bool(attempt.get("stamped"))
        quiet = diagnosis and not stamped and attempt.get("outcome") == "no_failure"
        failed = stamped or (not quiet and not attempt.get("citation_gate" if diagnosis else "resolved"))
        unlocked = bool(diagnosis and not failed and not quiet and attempt.get("hierarchy_populated") and attempt.get("run"))
        if failed:
            at_check = through_repair = (at_check if diagnosis else through_repair) + 1
            escalated = escalated or at_check >= 2
        elif unlocked:
            at_check = 0
            if attempt.get("instrumented"):
                through_repair, escalated = 0, False
        elif not diagnosis:
            at_check = through_repair = 0
    return "escalated" if escalated else "unlocked" if unlocked else "locked"


MAYBE = st.sampled_from([None, True, False])
ANY_ATTEMPT = st.one_of(
    st.sampled_from([PASSED, PROBED, UNCITED, UNNAMED, QUIET, FAILED, DONE]),
    st.fixed_dictionaries(
        {
            "what": st.just("diagnosis"),
            "run": st.sampled_from([None, "r"]),
            "outcome": st.sampled_from([None, "diagnosis", "no_failure", "insufficient_evidence"]),
            "citation_gate": MAYBE,
            "hierarchy_populated": MAYBE,
            "instrumented": MAYBE,
            "stamped": MAYBE,
        }
    ),
    st.fixed_dictionaries({"what": st.just("repair"), "resolved": MAYBE, "stamped": MAYBE, "instrumented": MAYBE}),
)


def plain(attempts: list[Json]) -> list[Json]:
    return [{name: value for name, value in attempt.items() if value is not None} for attempt in attempts]


@given(st.lists(ANY_ATTEMPT, max_size=12))
def test_any_history_has_the_one_state_that_follows(attempts: list[Json]) -> None:
    assert verdict(*plain(attempts)).state == oracle(attempts)


@pytest.mark.engine
@given(st.lists(ANY_ATTEMPT, max_size=10))
def test_both_evaluators_give_the_same_verdict_and_proof(attempts: list[Json]) -> None:
    both = [decide("w", stored(*plain(attempts)), choose(name)[0]) for name in ("reference", "durable_rules")]
    assert both[0][0] == both[1][0]
    assert canonical(both[0][1]) == canonical(both[1][1])


@given(st.lists(ANY_ATTEMPT, max_size=10))
def test_nothing_is_unlocked_but_by_a_latest_diagnosis_that_earned_it(attempts: list[Json]) -> None:
    """Invariant 6: the citation check and the hierarchy of the very latest attempt, no ablation, no row of failures in front of it."""
    gate = verdict(*plain(attempts))
    if gate.allows_edits:
        last = attempts[-1]
        assert (last["what"], last.get("citation_gate"), last.get("hierarchy_populated")) == ("diagnosis", True, True)
        assert last.get("outcome") != "no_failure"
        assert not last.get("stamped")
        assert gate.run == "r"


def test_invariant_6_is_the_rules_doing(edited: Callable[..., Rulebook]) -> None:
    """With its mechanism switched off the gate lets everything through, so these rules are what holds it."""
    uncited = verdict(UNCITED)
    assert (uncited.state, uncited.allows_edits) == ("locked", False)
    lenient = edited("attempts.yaml", "      - eq: [$cited, false]", "      - eq: [$cited, true]", "citation_gate: true, ", "")
    assert verdict(UNCITED, book=lenient).allows_edits
    assert verdict(UNNAMED).state == "locked"
    shallow = edited(
        "attempts.yaml", "      - eq: [$populated, false]", "      - eq: [$populated, true]", "hierarchy_populated: true, ", ""
    )
    assert verdict(UNNAMED, book=shallow).allows_edits
    assert verdict(FAILED, FAILED, PASSED).state == "escalated"
    assert verdict(FAILED, FAILED, PASSED, book=without(gate_rulebook(), "escalation.in_a_row")).allows_edits


def test_how_often_a_guess_may_fail_stands_in_the_pack(edited: Callable[..., Rulebook]) -> None:
    patient = edited("escalation.yaml", "gte: [$failures, 2]", "gte: [$failures, 3]")
    assert [verdict(*[UNCITED] * number, book=patient).state for number in (1, 2, 3)] == ["locked", "locked", "escalated"]
    assert [verdict(*[UNCITED] * number).state for number in (1, 2)] == ["locked", "escalated"]


@pytest.fixture
def edited(tmp_path: Path) -> Callable[..., Rulebook]:
    """The rulebook of a copy of the pack in which texts of one file are replaced: old, new, old, new, ..."""

    def load_edited(file: str, *texts: str) -> Rulebook:
        folder = tmp_path / f"copy-{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        for source in GATE.glob("*.yaml"):
            text = source.read_text(encoding="utf-8")
            if source.name == file:
                for old, new in zip(texts[::2], texts[1::2], strict=True):
                    assert old in text
                    text = text.replace(old, new)
            (folder / source.name).write_text(text, encoding="utf-8")
        return load([folder], [], base_kinds(), {})

    return load_edited


@pytest.mark.parametrize("name", rule_ids())
def test_a_user_pack_cannot_disable_a_rule(name: str, pack: PackWriter) -> None:
    mine = pack("stage: repair_gate\n", head=f'disable:\n  - {{id: {name}, reason: "in the way"}}\n')
    with pytest.raises(PackErrors, match="sealed"):
        load([GATE], [mine], base_kinds(), {})
    assert any(name in error.message for error in check([mine]))


def test_a_user_pack_cannot_replace_a_rule(pack: PackWriter) -> None:
    rule = "{id: mine.open, replaces: gate.not_earned, when: [work_item: {as: w}], then: [gate_state: {work: $w.work, state: unlocked, why: mine}]}"
    mine = pack(f"stage: repair_gate\nrules:\n  - {rule}\n")
    with pytest.raises(PackErrors, match="sealed"):
        load([GATE], [mine], base_kinds(), {})
    assert check([mine])


@pytest.mark.parametrize("stage", ["repair_gate", "attempts", "early"])
def test_a_second_opinion_is_a_contradiction_and_stops_the_run(stage: str, pack: PackWriter) -> None:
    """Even inside its own rulebook, where no user pack is ever loaded, a verdict cannot be talked over."""
    rule = "{id: mine.open, when: [work_item: {as: w}], then: [gate_state: {work: $w.work, state: unlocked, why: mine}]}"
    mine = pack(f"stage: {stage}\nrules:\n  - {rule}\n", head="stages: [{stage: early, before: attempts}]\n")
    with pytest.raises(FactError, match="gate_state"):
        verdict(UNCITED, book=load([GATE], [mine], base_kinds(), {}))


def test_the_gate_in_use_is_always_the_built_in_one() -> None:
    assert [info.name for info in gate_rulebook().packs] == ["gate"]
    assert check() == []


@pytest.mark.parametrize(
    "fields",
    [{"what": "wish"}, {"what": "repair", "resolved": "yes"}, {"what": "diagnosis", "citation_gate": 1}, {"what": "repair", "run": 7}, {}],
)
def test_what_is_no_attempt_is_refused_with_its_file(fields: Json) -> None:
    with pytest.raises(InputError, match=r"0002\.json"):
        verdict(PASSED, fields)


def test_the_most_that_an_item_holds_is_decided_on() -> None:
    attempts = [(PASSED, FAILED)[number % 2] for number in range(MOST_ATTEMPTS)]
    assert verdict(*attempts).state == oracle(attempts) == "escalated"
