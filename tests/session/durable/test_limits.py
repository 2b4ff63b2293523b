"""Why: beyond its fixed sizes the engine fails, hangs or crashes; a stratum beyond them must give the same matches all the same."""

from __future__ import annotations

from json import loads
from types import SimpleNamespace
from typing import Any

import pytest

from tollens.engine.errors import EngineError
from tollens.engine.session.durable.limits import Limits
from tollens.facts.kind import Field, Kind

INT = [Field("n", "int"), Field("m", "int"), Field("t", "text")]
LOOSE = Limits(rules=10**6, channels=10**6, entries=10**6, same_path=10**6, columns=10**6, conditions=99, joins=99)


@pytest.fixture
def world(lab: SimpleNamespace) -> Any:
    made = lab.World([Kind("a", INT), Kind("b", INT)])
    for n in range(4):
        made.add("a", n=n, m=n % 2, t=f"text {n}")
        made.add("b", n=n, m=n % 2, t=f"text {n}")
    return made


def firings(lab: SimpleNamespace, world: Any, rules: list[Any], limits: Limits | None = None) -> list[Any]:
    """The firings in a child process, sorted, as JSON data."""
    found: list[Any] = lab.isolated(
        lambda: sorted([name, number, list(ids)] for name, number, ids in world.run(rules, limits=limits).firings)
    )
    return found


def expected(world: Any, rules: list[Any]) -> list[Any]:
    return sorted([name, number, list(ids)] for name, number, ids in world.expect(rules).firings)


def many(lab: SimpleNamespace, count: int, shape: str) -> list[Any]:
    """Rules of a shape that the engine bears only so many of."""
    made = []
    for number in range(count):
        name = f"r{number:04}"
        joined = lab.ref("n", "eq", "x", "n")
        if shape == "joins":
            made.append(lab.rule(name, [lab.pattern("a", "x", lab.const("n", "gte", number % 5)), lab.pattern("b", "y", joined)]))
        elif shape == "blockers":
            unless = [lab.pattern("b", "y", joined, lab.const("m", "eq", 1))]
            made.append(lab.rule(name, [lab.pattern("a", "x", lab.const("n", "gte", number % 5))], unless=unless))
        elif shape == "same path":
            made.append(lab.rule(name, [lab.pattern("a", "x"), lab.pattern("b", "y", lab.const("n", "eq", number % 4), joined)]))
        elif shape == "constants":
            made.append(lab.rule(name, [lab.pattern("a", "x", lab.const("n", "gte", -number)), lab.pattern("b", "y", joined)]))
        elif shape == "alone":
            made.append(lab.rule(name, [lab.pattern("a", "x", lab.const("n", "gte", -number))]))
        else:
            tests = lab.const("n", "eq", 1), lab.const("t", "ne", f"text {number}")
            made.append(lab.rule(name, [lab.pattern("a", "x", *tests), lab.pattern("b", "y", joined)]))
    return made


@pytest.mark.parametrize(
    ("shape", "count"), [("joins", 90), ("blockers", 90), ("same path", 257), ("constants", 600), ("exclusive", 600), ("alone", 4100)]
)
def test_more_rules_than_a_ruleset_bears(lab: SimpleNamespace, world: Any, shape: str, count: int) -> None:
    rules = many(lab, count, shape)
    assert firings(lab, world, rules) == expected(world, rules)


def test_the_unguarded_limit_is_an_error_and_no_crash(lab: SimpleNamespace, world: Any, spy: Any) -> None:
    with pytest.raises(AssertionError, match=r"EngineError.*error code: 303"):
        firings(lab, world, many(lab, 90, "joins"), LOOSE)
    with pytest.raises(EngineError):
        world.run(many(lab, 90, "joins"), limits=LOOSE)
    assert not spy.handles


def test_rules_that_a_field_tells_apart_share_a_ruleset(lab: SimpleNamespace, world: Any, spy: Any) -> None:
    joined = lab.ref("n", "eq", "x", "n")
    texts = [lab.const("t", "eq", f"text {n % 4}") for n in range(150)]
    rules = [lab.rule(f"r{n}", [lab.pattern("a", "x", text), lab.pattern("b", "y", text, joined)]) for n, text in enumerate(texts)]
    assert len(world.run(rules).firings) == 150
    assert len(spy.rulesets) == 1


@pytest.mark.parametrize("limits", [Limits(rules=1), Limits(channels=2), Limits(entries=1), Limits(columns=1), Limits(same_path=1)])
def test_the_result_does_not_depend_on_the_split(lab: SimpleNamespace, world: Any, spy: Any, limits: Limits) -> None:
    step = lab.pattern("b", "y", lab.ref("n", "eq", "x", "m"))
    rules = [
        lab.rule("r1", [lab.pattern("a", "x"), step], heads=[lab.head("a", n=lab.Ref("y", "n"), m=lab.Ref("x", "m"), t=lab.Ref("y", "t"))]),
        lab.rule("r2", [lab.pattern("a", "x"), lab.pattern("a", "z", lab.ref("t", "eq", "x", "t"))]),
        lab.rule("r3", [lab.pattern("a", "x", lab.const("n", "gt", 0))], unless=[lab.pattern("b", "y", lab.ref("m", "gt", "x", "m"))]),
    ]
    assert sorted(world.run(rules).firings) == sorted(world.run(rules, limits=limits).firings) == sorted(world.expect(rules).firings)
    assert len(spy.rulesets) > 2


def test_fifteen_conditions_and_no_more(lab: SimpleNamespace) -> None:
    world = lab.World([Kind("a", [Field("n", "int")])])
    for n in range(15):
        world.add("a", n=n)
    chain = [lab.pattern("a", "x0", lab.const("n", "eq", 0))]
    chain += [lab.pattern("a", f"x{n}", lab.const("n", "eq", n), lab.ref("n", "gt", f"x{n - 1}", "n")) for n in range(1, 15)]
    assert len(firings(lab, world, [lab.rule("r", chain)])) == 1
    with pytest.raises(EngineError, match="16 patterns"):
        world.run([lab.rule("r", [*chain, lab.pattern("a", "y")])])


def test_many_comparisons_in_one_pattern(lab: SimpleNamespace) -> None:
    fields = [Field(f"f{n}", "int") for n in range(40)]
    world = lab.World([Kind("a", fields), Kind("b", fields)])
    for kind in "ab":
        world.add(kind, **{field.name: 1 for field in fields})
    joins = [lab.ref(f"f{n}", "eq", "x", f"f{n}") for n in range(40)]
    assert len(firings(lab, world, [lab.rule("r", [lab.pattern("a", "x"), lab.pattern("b", "y", *joins[:28])])])) == 1
    with pytest.raises(EngineError, match="compares 29 fields"):
        world.run([lab.rule("r", [lab.pattern("a", "x"), lab.pattern("b", "y", *joins[:29])])])


def test_a_kind_with_more_fields_than_a_message_holds(lab: SimpleNamespace, spy: Any) -> None:
    fields = [Field(f"f{n}", "int") for n in range(400)]
    world = lab.World([Kind("a", fields), Kind("b", fields)])
    for kind in "ab":
        world.add(kind, **{field.name: 1 for field in fields})
    rules = [lab.rule(f"r{n}", [lab.pattern("a", "x"), lab.pattern("b", "y", lab.ref(f"f{n}", "eq", "x", f"f{n}"))]) for n in range(400)]
    assert len(world.run(rules).firings) == 400
    assert max(len(loads(message)) for message in spy.messages) < 252
