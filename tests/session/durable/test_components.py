"""Why: facts that can meet in a match must share a session, also where a chain of equalities ties them and no single key does."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollens.engine.session.durable.components import sessions
from tollens.engine.session.durable.limits import Limits
from tollens.facts.fact import Fact
from tollens.facts.kind import Field, Kind

PAIR = [Field("n", "int"), Field("m", "int")]
SMALL = Limits(split=0, session=4)


@pytest.fixture
def world(lab: SimpleNamespace) -> Any:
    made = lab.World([Kind(name, PAIR) for name in "abcd"])
    for n in range(24):
        made.add("a", n=n, m=n // 2)
        made.add("b", n=n // 2, m=100 + n // 4)
        made.add("c", n=100 + n // 4, m=n % 3)
    for n in range(0, 24, 5):
        made.add("d", n=n, m=100 + n // 4)
    return made


def chain(lab: SimpleNamespace) -> list[Any]:
    return [lab.pattern("a", "x"), lab.pattern("b", "y", lab.ref("n", "eq", "x", "m")), lab.pattern("c", "z", lab.ref("n", "eq", "y", "m"))]


def used(spy: Any) -> int:
    """How many sessions of the engine there were, all of them freed."""
    assert not spy.handles
    assert spy.calls.count("delete_state") == sum("_b" in message for message in spy.messages)
    return int(spy.calls.count("delete_state"))


@pytest.mark.parametrize("unless", ["", "tied twice", "tied once", "not tied"])
def test_a_chain_is_split_without_losing_a_match(lab: SimpleNamespace, world: Any, spy: Any, unless: str) -> None:
    tests = {"tied twice": [("n", "x", "n"), ("m", "z", "n")], "tied once": [("m", "y", "m")], "not tied": [], "": []}[unless]
    blockers = [lab.pattern("d", "q", *[lab.ref(field, "eq", alias, other) for field, alias, other in tests])] if unless else []
    rules = [lab.rule("r", chain(lab), unless=blockers)]
    outcome = world.run(rules, limits=SMALL)
    assert sorted(outcome.firings) == sorted(world.expect(rules).firings)
    assert bool(outcome.firings) is (unless != "not tied")
    assert (used(spy) > 3) is (unless != "not tied")


def test_what_hangs_together_is_not_split(lab: SimpleNamespace, spy: Any) -> None:
    world = lab.World([Kind(name, PAIR) for name in "abc"])
    for n in range(20):
        world.add("a", n=n, m=1)
        world.add("b", n=1, m=n)
        world.add("c", n=n, m=n)
    rules = [lab.rule("r", chain(lab))]
    assert len(world.run(rules, limits=SMALL).firings) == 400
    assert used(spy) == 1


def test_a_chain_that_the_stratum_feeds_is_not_split(lab: SimpleNamespace, world: Any, spy: Any) -> None:
    rules = [lab.rule("r", chain(lab), heads=[lab.head("b", n=lab.Ref("y", "m"), m=lab.Ref("z", "n"))])]
    assert sorted(world.run(rules, limits=SMALL).firings) == sorted(world.expect(rules).firings)
    assert used(spy) == 1


@pytest.mark.parametrize("shape", ["join", "self join", "unless", "one pattern", "ordering"])
def test_every_shape_gives_the_same_matches(lab: SimpleNamespace, world: Any, spy: Any, shape: str) -> None:
    first = lab.pattern("a", "x", lab.const("n", "lt", 20))
    tests = [lab.ref("m", "gt" if shape == "ordering" else "eq", "x", "m")]
    other = lab.pattern("a" if shape == "self join" else "b", "y", *tests)
    if shape in ("unless", "one pattern"):
        rules = [lab.rule("r", [first], unless=[lab.pattern("d", "y", lab.ref("n", "eq", "x", "n"))] if shape == "unless" else [])]
    else:
        rules = [lab.rule("r", [first, other])]
    assert sorted(world.run(rules, limits=SMALL).firings) == sorted(world.expect(rules).firings)
    assert min(used(spy), 4) == {"one pattern": 0, "ordering": 1}.get(shape, 4)


def test_absent_values_tie_nothing(lab: SimpleNamespace, spy: Any) -> None:
    world = lab.World([Kind("a", [Field("n", "int"), Field("t", "text", True)])])
    for n in range(30):
        world.add("a", n=n, t=None if n % 2 else f"text {n // 4}")
    rules = [lab.rule("r", [lab.pattern("a", "x"), lab.pattern("a", "y", lab.ref("t", "eq", "x", "t"))])]
    assert sorted(world.run(rules, limits=SMALL).firings) == sorted(world.expect(rules).firings)
    assert used(spy) > 3


def test_a_blocking_fact_does_not_tie_what_is_bound(lab: SimpleNamespace, spy: Any) -> None:
    """A fact that equals both bound facts ties them only where it is there."""
    world = lab.World([Kind(name, PAIR) for name in "abc"])
    for n in range(9):
        world.add("a", n=n, m=0)
        world.add("b", n=n, m=0)
    world.add("c", n=3, m=0)
    unless = [lab.pattern("c", "z", lab.ref("n", "eq", "x", "n"), lab.ref("n", "eq", "y", "n"))]
    assert len(world.run([lab.rule("r", [lab.pattern("a", "x"), lab.pattern("b", "y")], unless=unless)], limits=SMALL).firings) == 80
    assert used(spy) == 1


def test_a_session_after_the_first_does_not_see_the_facts_before(lab: SimpleNamespace, world: Any, spy: Any) -> None:
    """Each fact is sent once, and the matches of each rule come from its own facts."""
    rules = [lab.rule("r", [lab.pattern("a", "x")], unless=[lab.pattern("d", "y", lab.ref("n", "eq", "x", "n"))])]
    assert len(world.run(rules, limits=Limits(split=0, session=1)).firings) == 19
    assert used(spy) == 24
    assert len(spy.messages) == 24 + 24 + 5


@given(st.lists(st.tuples(st.integers(-6, 6), st.integers(-6, 6)), max_size=40), st.integers(1, 9))
def test_facts_with_an_equal_value_share_a_session(rows: list[tuple[int, int]], size: int) -> None:
    kind = Kind("a", PAIR)
    key = ("a", False)
    facts = [Fact(kind, row, {}, ("caller", "")) for row in rows]
    readers = {key: [(0, lambda fact: fact.values[0]), (1, lambda fact: fact.values[1])]}
    found = sessions([(key, fact) for fact in facts], readers, size)
    for one, first in zip(found, rows, strict=True):
        for other, second in zip(found, rows, strict=True):
            assert one == other or (first[0] != second[0] and first[1] != second[1])
    assert sorted(set(found)) == list(range(len(set(found))))
    for session in set(found):
        inside = [row for number, row in zip(found, rows, strict=True) if number == session]
        assert len(inside) <= size or _connected(inside)


def _connected(rows: list[tuple[int, int]]) -> bool:
    """Whether the rows hang together through equal first or equal second values."""
    reached, waiting = [rows[0]], rows[1:]
    while True:
        near = [row for row in waiting if any(row[0] == other[0] or row[1] == other[1] for other in reached)]
        if not near:
            return not waiting
        reached += near
        waiting = [row for row in waiting if row not in near]
