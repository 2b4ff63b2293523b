"""Why: the engine is never given a join that fills the memory, and whoever makes such a join instead gives the same facts."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import pytest

from tollens.engine.errors import EngineError
from tollens.engine.session.durable import headroom
from tollens.engine.session.durable.channels import Channels, Reader
from tollens.engine.session.durable.evaluator import DurableEvaluator
from tollens.engine.session.durable.limits import Limits
from tollens.engine.session.durable.plan import Condition, Unit, candidates
from tollens.engine.session.durable.sizes import Estimate, Sizes
from tollens.engine.session.evaluator import Stratum, TooLarge
from tollens.engine.session.meter import Meter
from tollens.engine.session.reference import Reference, RulePlan
from tollens.facts.kind import Field, Kind

KINDS = [Kind(name, [Field("n", "int"), Field("m", "int")]) for name in "abc"]


@pytest.fixture
def world(lab: SimpleNamespace) -> Any:
    made = lab.World(KINDS)
    for n in range(40):
        made.add("a", n=n, m=n % 2)
        made.add("b", n=n, m=n % 4)
    return made


def product(lab: SimpleNamespace, name: str = "r", **more: Any) -> Any:
    return lab.rule(name, [lab.pattern("a", "x"), lab.pattern("b", "y")], **more)


def keyed(lab: SimpleNamespace, field: str = "n", **more: Any) -> Any:
    return lab.rule(f"k{field}", [lab.pattern("a", "x"), lab.pattern("b", "y", lab.ref(field, "eq", "x", field))], **more)


@pytest.mark.parametrize("limits", [Limits(frames=100), Limits(tries=100), Limits(held=50)])
def test_a_product_beyond_a_limit_never_reaches_the_engine(lab: SimpleNamespace, world: Any, spy: Any, limits: Limits) -> None:
    rules = [product(lab)]
    assert sorted(world.run(rules, limits=limits).firings) == sorted(world.expect(rules).firings)
    assert not spy.messages


def test_a_join_that_cannot_end_well_is_not_begun(lab: SimpleNamespace, world: Any, spy: Any) -> None:
    fired: list[Any] = []

    def fire(*match: Any) -> list[Any]:
        fired.append(match)
        return []

    stratum = Stratum("stage", [keyed(lab), product(lab)], world.store, fire, frozenset())
    with pytest.raises(TooLarge):
        DurableEvaluator(check=True, limits=Limits(hopeless=1000)).run(stratum)
    assert not fired
    assert not spy.messages


def test_the_engine_joins_what_is_small_beside_what_is_not(
    lab: SimpleNamespace, world: Any, spy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tollens.engine.session.durable.sizes.FEW", 0)
    rules = [product(lab), keyed(lab)]
    assert sorted(world.run(rules, limits=Limits(frames=100)).firings) == sorted(world.expect(rules).firings)
    assert len(spy.rulesets) == 1
    assert len(spy.messages) == 1 + 80


def test_what_hangs_together_and_is_too_many_is_joined_elsewhere(lab: SimpleNamespace, world: Any, spy: Any) -> None:
    rules = [keyed(lab, "m")]
    assert sorted(world.run(rules, limits=Limits(split=0, held=20)).firings) == sorted(world.expect(rules).firings)
    assert len(spy.messages) == 1


@pytest.mark.parametrize("limits", [Limits(frames=1500), Limits(tries=1500), Limits(held=100)])
def test_a_stratum_that_outgrows_the_engine_is_given_up_before_the_facts_are_sent(
    lab: SimpleNamespace, world: Any, spy: Any, limits: Limits
) -> None:
    rules = [
        keyed(lab, heads=[lab.head("c", n=lab.Ref("x", "n"), m=lab.Ref("y", "m"))]),
        lab.rule("s", [lab.pattern("c", "x"), lab.pattern("c", "y")]),
        lab.rule("t", [lab.pattern("a", "x")], heads=[lab.head("c", n=lab.Ref("x", "n"), m=lab.Ref("x", "n"))]),
    ]
    with pytest.raises(TooLarge):
        world.run(rules, limits=limits)
    assert len(spy.messages) < 200
    assert not spy.handles
    assert sorted(world.run(rules).firings) == sorted(world.expect(rules).firings)


def test_the_estimates_are_never_below_what_the_reference_tries(lab: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the facts and rules; with `FEW` at 0 nothing is estimated roughly."""
    seen = 0
    for seed in range(150):
        chance = random.Random(seed)  # noqa: S311 - repeatable tests, no secrets
        world = lab.random_world(chance)
        rules = lab.RuleMaker(world, chance).rules()
        if world.expect(rules, 14) is None:
            continue
        for few in (0, 20_000):
            monkeypatch.setattr("tollens.engine.session.durable.sizes.FEW", few)
            tried, bound = exact(lab, world, rules), estimated(world, rules)
            assert tried <= bound, f"seed {seed}"
            seen += tried > 0
    assert seen > 100


def exact(lab: SimpleNamespace, world: Any, rules: list[Any]) -> int:
    """What the reference tries, the facts that come within the stratum among them."""
    meter = Meter("s", 10**9)
    world.produced = []
    run_counted(world, rules, meter)
    return meter.tries


def run_counted(world: Any, rules: list[Any], meter: Meter) -> None:
    new: dict[str, Any] = {}

    def fire(fired: Any, alternative: int, bound: Any) -> list[Any]:
        made = world._made(fired, alternative, bound, new)
        world.produced += made
        return list(made)

    produces = frozenset(head.kind for each in rules for head in each.heads)
    Reference().run(Stratum("stage", rules, world.store, fire, produces, meter))


def estimated(world: Any, rules: list[Any]) -> int:
    """The bounds of all units with the facts of the stratum added."""
    produces = frozenset(head.kind for each in rules for head in each.heads)
    stratum = Stratum("stage", rules, world.store, lambda *_: [], produces)
    sizes = Sizes(world.store)
    units: list[Unit] = candidates(stratum, Channels())
    total = 0
    estimates = [Estimate(unit, RulePlan(unit.rule, unit.alternative, stratum), lambda condition: held(world, condition)) for unit in units]
    for fact in world.produced:
        sizes.add(fact)
    for estimate in estimates:
        total += estimate.bound(sizes).tries
    return total


def held(world: Any, condition: Condition) -> int:
    """The finished facts in a condition's channel."""
    kind = world.store.kinds[condition.channel.kind]
    return sum(bool(Reader(kind, [condition.channel])(fact)) for fact in world.store.facts(kind.name))


def test_no_fact_is_sent_into_memory_that_is_not_there(lab: SimpleNamespace, world: Any, spy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(headroom, "address_space_limit", lambda: 100_000_000)
    monkeypatch.setattr(headroom, "address_space_used", lambda: 87_000_000 + 9_000 * len(spy.messages))
    with pytest.raises(EngineError, match="more memory than there is") as caught:
        world.run([keyed(lab)])
    assert isinstance(caught.value.__cause__, MemoryError)
    assert 1 < len(spy.messages) < 81
    assert not spy.handles
    monkeypatch.setattr(headroom, "address_space_used", lambda: 60_000_000)
    assert len(world.run([keyed(lab)]).firings) == 40


def test_the_pool_of_facts_has_room_to_be_copied_when_it_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(headroom, "address_space_limit", lambda: 200_000_000)
    monkeypatch.setattr(headroom, "address_space_used", lambda: 130_000_000)
    room = headroom.Headroom()
    refused = [facts for facts in range(0, 6000, headroom.STEP) if not room.suffices(facts)]
    assert refused
    assert not any(facts < 3000 for facts in refused)
    monkeypatch.setattr(headroom, "address_space_limit", lambda: None)
    assert all(headroom.Headroom().suffices(facts) for facts in range(0, 6000, headroom.STEP))


def test_one_evaluator_is_as_good_as_none_where_there_is_nothing_to_join(lab: SimpleNamespace, world: Any, spy: Any) -> None:
    rules = [
        lab.rule("r", [lab.pattern("a", "x", lab.const("n", "lt", 7))], heads=[lab.head("c", n=lab.Ref("x", "n"), m=lab.Ref("x", "m"))])
    ]
    rules.append(lab.rule("s", [lab.pattern("c", "x", lab.const("m", "eq", 1))]))
    outcome = world.run_with(DurableEvaluator(check=True), rules)
    assert sorted(outcome.firings) == sorted(world.expect(rules).firings)
    assert len(outcome.firings) == 7 + 3
    assert not spy.rulesets
