"""Why: the same packs and facts must mean the same to the oracle, the reference, the production evaluator and the loader."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.language.as_yaml import write_pack
from tests.language.features import features, required
from tests.language.generator import MEASURES, Case, make_case
from tests.language.oracle import Oracle, TooBigError
from tests.language.outcomes import OVER, evaluated, foretold, same, without_places
from tests.language.shrink import shown, smallest
from tests.language.shuffled import Shuffled
from tollens.engine.rulebook.load import load
from tollens.engine.rulebook.syntax import Meta, Place, Rulebook
from tollens.engine.session import meter as metering
from tollens.engine.session import session as sessions
from tollens.engine.session.evaluator import Evaluator
from tollens.engine.session.reference import Reference
from tollens.facts.kind import Kind, KindTable

Budget = Callable[[int, int], int]

#: Every run looks at the same cases unless this says where to look instead.
FIRST = int(os.environ.get("TOLLENS_SEED", "0"))
#: Long tests come in parts, each well within the time that a test may take.
PARTS = range(10)


def told(seed: int, fails: Callable[[Case], bool], what: str) -> str:
    """A disagreement, made small."""
    return f"{what}\n{shown(smallest(seed, fails))}"


def agreeing(seeds: range) -> Iterator[Oracle]:
    """The oracle's run of each case, once the reference agrees with it; cases that are too big for the oracle are left out."""

    def differs(case: Case) -> bool:
        return not same(foretold(case)[0], evaluated(case, Reference()))

    for seed in seeds:
        case = make_case(seed)
        try:
            expected, oracle = foretold(case)
        except TooBigError:
            continue
        assert same(expected, evaluated(case, Reference())), told(seed, differs, "the reference and the oracle disagree")
        yield oracle


@pytest.fixture(scope="module")
def durable() -> Evaluator:
    """The production evaluator, which checks each ruleset that it compiles."""
    pytest.importorskip("durable_rules_engine", reason="the production evaluator is not installed")
    from tollens.engine.session.durable.evaluator import DurableEvaluator

    return DurableEvaluator(check=True)


def test_the_reference_agrees_with_the_oracle_and_nothing_of_the_language_is_left_out() -> None:
    met: Counter[str] = Counter()
    agreed = 0
    for oracle in agreeing(range(700)):
        agreed += 1
        met.update(features(oracle.fired, oracle.kinds))
        met.update(+oracle.events)
    assert agreed >= 600
    unmet = [name for name in dict.fromkeys(required()) if not met[name]]
    assert unmet == [], f"nothing that fired used: {unmet}"


@pytest.mark.parametrize("part", PARTS)
def test_the_reference_agrees_with_the_oracle_on_more(part: int, budget: Budget) -> None:
    count = budget(10, 500)
    first = FIRST + 100_000 + part * count
    assert any(oracle.fired for oracle in agreeing(range(first, first + count)))


@pytest.mark.parametrize("part", PARTS)
def test_the_production_evaluator_agrees_with_the_reference(part: int, budget: Budget, durable: Evaluator) -> None:
    def differs(case: Case) -> bool:
        return evaluated(case, durable) != evaluated(case, Reference())

    count = budget(20, 500)
    first = FIRST + 10_000 + part * count
    for seed in range(first, first + count):
        case = make_case(seed)
        assert not differs(case), told(seed, differs, "the production evaluator and the reference disagree")


@pytest.mark.parametrize("limits", [{"frames": 30}, {"tries": 40}, {"held": 12}, {"frames": 8, "tries": 60, "held": 6, "split": 0}])
def test_an_evaluator_that_gives_up_on_the_way_changes_nothing(limits: dict[str, int], budget: Budget, durable: Evaluator) -> None:
    """What is too large for the engine is joined elsewhere, from the beginning or from where it stands."""
    from tollens.engine.session.durable.evaluator import DurableEvaluator
    from tollens.engine.session.durable.limits import Limits

    strict = DurableEvaluator(check=True, limits=Limits(**limits))
    for seed in range(FIRST, FIRST + budget(60, 3000)):
        case = make_case(seed)
        assert evaluated(case, strict) == evaluated(case, Reference()), told(
            seed, lambda case: evaluated(case, strict) != evaluated(case, Reference()), "limits change a result"
        )


@pytest.mark.parametrize("tries", [10, 40, 160, 320])
def test_whether_too_much_is_tried_does_not_depend_on_the_evaluator(
    tries: int, budget: Budget, durable: Evaluator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metering, "TRIES", 0)
    monkeypatch.setattr(sessions, "Meter", lambda stage, most: metering.Meter(stage, most, tries=tries))
    ends: Counter[bool] = Counter()
    for seed in range(FIRST, FIRST + budget(60, 3000)):
        case = make_case(seed)
        outcome = evaluated(case, Reference())
        ends[" tried " in outcome and outcome.startswith(OVER)] += 1
        assert evaluated(case, durable) == outcome, told(
            seed, lambda case: evaluated(case, durable) != evaluated(case, Reference()), "the evaluators do not end alike"
        )
    assert ends[True] > 1
    assert ends[False] > 1


@pytest.mark.parametrize("part", PARTS)
def test_a_written_pack_loads_as_what_it_was_written_from(part: int, budget: Budget, tmp_path: Path) -> None:
    count = budget(20, 200)
    first = FIRST + 20_000 + part * count
    for seed in range(first, first + count):
        case = make_case(seed)
        folder = tmp_path / str(seed)
        folder.mkdir()
        write_pack(case.rulebook, folder)
        loaded = load([], [folder], KindTable(), MEASURES)
        assert plain(loaded) == plain(case.rulebook), f"seed {seed}: the loaded rule book differs"
        given, found = evaluated(case, Reference()), evaluated(case, Reference(), loaded)
        if given.startswith("{"):
            assert without_places(found) == without_places(given), f"seed {seed}: the loaded pack means something else"


def plain(book: Rulebook) -> Any:
    """The parts of a rule book that are the same in memory and on the disk."""
    kinds = {kind.name: kind.to_json() for kind in book.kinds}
    return kinds, _plain(book.stages), _plain(book.rows)


def _plain(value: Any) -> Any:
    if isinstance(value, Place):
        return None
    if isinstance(value, Meta):
        return (value.id, value.stage, value.pack, _plain(value.says))
    if isinstance(value, Kind):
        return value.to_json()
    if isinstance(value, tuple):
        return (type(value).__name__, *[_plain(item) for item in value])
    return value


@pytest.mark.parametrize("part", PARTS)
def test_the_order_in_which_matches_are_found_changes_nothing(part: int, budget: Budget) -> None:
    count = budget(10, 100)
    first = FIRST + 40_000 + part * count
    for seed in range(first, first + count):
        for case in (made := make_case(seed, 2)._replace(budget=60), contradictory(made)):
            try:
                outcome = evaluated(case, Shuffled(case.rulebook, seed))
            except TooBigError:
                continue
            assert outcome == evaluated(case, Reference()), f"seed {seed}: another order of firing gives another result"


def contradictory(case: Case) -> Case:
    """The case with one key field for every derived kind, so that many of its facts contradict each other."""
    book = case.rulebook
    kinds = [Kind(k.name, k.fields, key=k.key[:1], rival=k.rival, origin=k.origin) if k.name[0] == "d" else k for k in book.kinds]
    return case._replace(rulebook=book._replace(kinds=tuple(kinds)))


def test_many_cases_contradict_themselves_when_keys_are_narrow(durable: Evaluator) -> None:
    outcomes = [
        (evaluated(case, Reference()), evaluated(case, durable)) for case in map(contradictory, map(make_case, range(50_000, 50_150)))
    ]
    assert all(reference == production for reference, production in outcomes)
    assert sum("has two values for" in reference for reference, _ in outcomes) >= 15


# ---- the same bytes everywhere

BESIDE = sorted(str(path) for path in Path(__file__).parents[2].glob(".venv-3.*/bin/python"))
#: Other Pythons to compare with: those that TOLLENS_PYTHONS names (paths, as in PATH), else the project's environments beside the main one.
OTHERS = [name for name in os.environ.get("TOLLENS_PYTHONS", os.pathsep.join(BESIDE)).split(os.pathsep) if name]


def digests(python: str, evaluators: str, hash_seed: str, root: Path, count: int) -> list[str]:
    path = os.pathsep.join([str(root / ".typing"), str(root)])
    done = subprocess.run(
        [python, "-m", "tests.language.same_bytes", evaluators, "30000", str(30000 + count)],
        cwd=root,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": path, "PYTHONHASHSEED": hash_seed, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def installed(*pythons: str) -> str:
    """The evaluators that all of these Pythons have."""
    probe = "import importlib.util as u; raise SystemExit(u.find_spec('durable_rules_engine') is None)"
    found = all(subprocess.run([python, "-c", probe], check=False).returncode == 0 for python in pythons)
    return "reference,durable" if found else "reference"


def test_hash_seeds_and_processes_do_not_change_a_byte(root: Path, budget: Budget) -> None:
    count = budget(20, 150)
    first, *others = [digests(sys.executable, installed(sys.executable), seed, root, count) for seed in ("0", "1", "4711", "random")]
    assert len(first) == count
    assert all(other == first for other in others)


@pytest.mark.skipif(not OTHERS, reason="there is no other Python: no .venv-3.* here, and TOLLENS_PYTHONS names none")
@pytest.mark.parametrize("python", OTHERS)
def test_versions_of_python_do_not_change_a_byte(python: str, root: Path, budget: Budget) -> None:
    count = budget(20, 150)
    evaluators = installed(sys.executable, python)
    assert digests(python, evaluators, "7", root, count) == digests(sys.executable, evaluators, "7", root, count)
