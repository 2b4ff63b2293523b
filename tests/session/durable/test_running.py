"""Why: whatever happens in a stratum, the engine is left clean; and nothing of it is touched when nothing can match."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tollens.engine.errors import BudgetExceeded, EngineError
from tollens.engine.session.durable import evaluator
from tollens.engine.session.durable.driver import EngineUnavailable
from tollens.engine.session.durable.evaluator import DurableEvaluator
from tollens.engine.session.durable.limits import Limits
from tollens.engine.session.evaluator import Stratum
from tollens.facts.kind import Field, Kind

KINDS = [Kind(name, [Field("n", "int")]) for name in "abc"]


@pytest.fixture
def world(lab: SimpleNamespace) -> Any:
    made = lab.World(KINDS)
    for n in range(50):
        made.add("a", n=n)
    made.add("b", n=-1)
    return made


def joining(lab: SimpleNamespace, name: str, *tests: Any) -> Any:
    """A rule that matches each `a` and that the engine has to join, as it looks for a `b` that must not be there."""
    return lab.rule(name, [lab.pattern("a", "x", *tests)], unless=[lab.pattern("b", "y", lab.ref("n", "eq", "x", "n"))])


def run(world: Any, rules: list[Any], fire: Any, limits: Limits | None = None) -> None:
    DurableEvaluator(check=True, limits=limits or Limits()).run(Stratum("stage", rules, world.store, fire, frozenset()))


@pytest.mark.parametrize("raised", [BudgetExceeded("enough"), KeyboardInterrupt(), ValueError("x")])
def test_what_fire_raises_passes_and_everything_is_freed(lab: SimpleNamespace, world: Any, spy: Any, raised: BaseException) -> None:
    seen = []

    def fire(*arguments: Any) -> list[Any]:
        seen.append(arguments)
        if len(seen) == 10:
            raise raised
        return []

    with pytest.raises(type(raised)):
        run(world, [joining(lab, "r"), joining(lab, "s")], fire, Limits(rules=1))
    assert len(seen) == 10
    assert spy.calls.count("create_ruleset") == spy.calls.count("delete_state") == spy.calls.count("delete_ruleset") == 2
    assert not spy.handles


@pytest.mark.parametrize("name", ["create_ruleset", "assert_fact", "start_action_for_state", "complete_and_start_action"])
@pytest.mark.parametrize("kind", ["error", "memory"])
def test_an_error_of_the_engine_is_typed_and_everything_is_freed_that_can_be(
    lab: SimpleNamespace, world: Any, spy: Any, name: str, kind: str
) -> None:
    real, calls = getattr(spy, name), []

    def failing(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) == (1 if name == "create_ruleset" else 2):
            raise spy.error("code 303") if kind == "error" else MemoryError
        return real(*arguments)

    setattr(spy, name, failing)
    with pytest.raises(EngineError, match="engine"):
        run(world, [joining(lab, "r")], lambda *_: [])
    given_up = kind == "memory" and name != "create_ruleset"  # an engine without memory crashes when it is touched again
    assert len(spy.handles) == given_up
    assert spy.calls.count("delete_state") == (name != "create_ruleset" and not given_up)


def test_a_ruleset_that_cannot_be_closed_does_not_keep_others_open(lab: SimpleNamespace, world: Any, spy: Any) -> None:
    real, failed = spy.delete_state, []

    def failing(handle: int, session: str) -> None:
        real(handle, session)
        failed.append(handle)
        raise spy.error("code 401")

    spy.delete_state = failing
    with pytest.raises(EngineError, match="could not be closed"):
        run(world, [joining(lab, name) for name in "rst"], lambda *_: [], Limits(rules=1))
    assert len(failed) == 3


def test_a_session_that_does_not_start_is_an_error(lab: SimpleNamespace, world: Any, spy: Any) -> None:
    spy.start_action_for_state = lambda *_: None
    with pytest.raises(EngineError, match="did not start"):
        run(world, [joining(lab, "r")], lambda *_: [])
    assert not spy.handles
    assert "delete_state" not in spy.calls


def test_a_fact_that_the_engine_does_not_take_is_an_error(lab: SimpleNamespace, world: Any, spy: Any) -> None:
    real = spy.assert_fact
    spy.assert_fact = lambda handle, message: (1, 1) if '"id":7,' in message else real(handle, message)
    with pytest.raises(EngineError, match="did not take a a"):
        run(world, [joining(lab, "r")], lambda *_: [])
    assert not spy.handles


def test_without_the_engine_a_clean_error_says_so(lab: SimpleNamespace, world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "durable_rules_engine", None)
    with pytest.raises(EngineUnavailable, match="cannot be imported"):
        run(world, [joining(lab, "r")], lambda *_: [])


def test_nothing_is_compiled_where_nothing_can_match(lab: SimpleNamespace, world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden() -> Any:
        raise AssertionError("the engine was asked for")

    monkeypatch.setattr(evaluator, "load_engine", forbidden)
    from_c = lab.rule("r", [lab.pattern("c", "x"), lab.pattern("c", "y")], heads=[lab.head("c", n=lab.Ref("x", "n"))])
    never = lab.rule("s", [lab.pattern("a", "x", lab.const("n", "gt", 1000)), lab.pattern("b", "y")])
    blocked = lab.rule("t", [lab.pattern("a", "x")], unless=[lab.pattern("a", "y", lab.const("n", "eq", 7))])
    run(world, [from_c, never, lab.rule("alone", [lab.pattern("a", "x")])], lambda *_: [])
    with pytest.raises(AssertionError):
        run(world, [blocked], lambda *_: [])


def test_facts_that_no_rule_reads_are_not_sent(lab: SimpleNamespace, world: Any, spy: Any) -> None:
    world.add("c", n=1)
    run(world, [joining(lab, "r", lab.const("n", "lt", 3)), lab.rule("alone", [lab.pattern("a", "x")])], lambda *_: [])
    assert len(spy.messages) == 1 + 3 + 1


def test_firings_are_fetched_while_facts_are_sent(lab: SimpleNamespace, world: Any, spy: Any) -> None:
    """So that a budget stops a product of facts before it fills the memory."""

    def fire(*_: Any) -> list[Any]:
        raise BudgetExceeded("enough")

    with pytest.raises(BudgetExceeded):
        run(world, [lab.rule("r", [lab.pattern("a", "x"), lab.pattern("a", "y")])], fire)
    assert len(spy.messages) < 40


def test_ten_thousand_strata_do_not_grow_the_process(lab: SimpleNamespace) -> None:
    def resident() -> int:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE") // 1024

    def many() -> int:
        world = lab.World(KINDS)
        for n in range(3):
            world.add("a", n=n)
            world.add("b", n=n)
        rules = [
            lab.rule("r", [lab.pattern("a", "x"), lab.pattern("b", "y", lab.ref("n", "eq", "x", "n"))]),
            lab.rule("s", [lab.pattern("a", "x")], unless=[lab.pattern("b", "y", lab.ref("n", "gt", "x", "n"))]),
        ]
        chosen, fired = DurableEvaluator(), []

        def fire(*arguments: Any) -> list[Any]:
            fired.append(1)
            return []

        stratum = Stratum("stage", rules, world.store, fire, frozenset())
        for _ in range(500):
            chosen.run(stratum)
        before = resident()
        for _ in range(10_000):
            chosen.run(stratum)
        assert len(fired) == 10_500 * 4
        return resident() - before

    if not Path("/proc/self/statm").exists():
        pytest.skip("memory is read from /proc, which this system does not have")
    assert lab.isolated(many, 300) < 8_000


SCRIPT = """
import random
from tests.session.durable.random_strata import RuleMaker, random_world
for seed in range(40):
    chance = random.Random(seed)
    world = random_world(chance)
    rules = RuleMaker(world, chance).rules()
    if world.expect(rules, 14):
        print(seed, world.run(rules).firings)
"""


def test_the_order_of_firings_does_not_depend_on_hash_seeds(root: Path) -> None:
    digests = set()
    for seed in ("0", "1", "77"):
        command = [sys.executable, "-c", SCRIPT]
        done = subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": seed}, cwd=root, capture_output=True, check=True)
        assert len(done.stdout) > 1000
        digests.add(hashlib.sha256(done.stdout).hexdigest())
    assert len(digests) == 1


def test_no_host_is_ever_loaded(root: Path) -> None:
    script = SCRIPT + "import sys, threading\nassert 'durable' not in sys.modules\nassert threading.active_count() == 1"
    done = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
