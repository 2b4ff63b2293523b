"""Why: each crash, hang and wrong answer that the engine is known for, met by a rule or fact base that would cause it in a naive form.

All run in a child process, so that a form that is not safe after all fails its test and nothing else.
"""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest

from tollens.engine.errors import EngineError
from tollens.engine.session.durable.limits import Limits
from tollens.facts.kind import Field, Kind

LEVELS = ("zero", "low", "high")
KINDS = [
    Kind(
        name,
        [
            Field("t", "text", True),
            Field("n", "int", True),
            Field("m", "int", True),
            Field("x", "number", True),
            Field("b", "bool", True),
            Field("o", "enum", True, LEVELS, True),
            Field("r", "ref", True),
        ],
    )
    for name in ("a", "b", "c")
]


@pytest.fixture
def world(lab: SimpleNamespace) -> Any:
    return lab.World(KINDS)


def same(lab: SimpleNamespace, world: Any, *rules: Any, limits: Limits | None = None, seconds: int = 60) -> int:
    """The engine's firings, which must be the expected ones."""
    expected = world.expect(rules)

    def work() -> list[Any]:
        outcome = world.run(rules, limits=limits)
        return [sorted(map(list, map(repr, outcome.firings))), sorted(outcome.facts)]

    found = lab.isolated(work, seconds)
    assert found == [sorted(map(list, map(repr, expected.firings))), sorted(expected.facts)]
    return len(expected.firings)


def test_a_false_inequality_at_the_end_of_a_join(lab: SimpleNamespace, world: Any) -> None:
    for n in range(12):
        world.add("a", n=n)
        world.add("b", n=n)
    for op in ("gt", "gte", "lt", "lte", "ne"):
        assert same(lab, world, lab.rule("r", [lab.pattern("a", "x"), lab.pattern("b", "y", lab.ref("n", op, "x", "n"))]))


def test_a_false_inequality_behind_a_true_equality(lab: SimpleNamespace, world: Any) -> None:
    for n in range(12):
        world.add("a", n=n % 3, m=n)
        world.add("b", n=n % 3, m=n)
    joins = [lab.ref("n", "eq", "x", "n"), lab.ref("m", "gt", "x", "m")]
    assert same(lab, world, lab.rule("r", [lab.pattern("a", "x"), lab.pattern("b", "y", *joins)])) == 18


@pytest.mark.parametrize("op", ["eq", "ne", "gt", "lte"])
def test_an_absent_value_on_either_side_of_a_join(lab: SimpleNamespace, world: Any, op: str) -> None:
    for n in (1, 2, None):
        world.add("a", **{} if n is None else {"n": n})
        world.add("b", **{} if n is None else {"n": n})
    joined = lab.pattern("b", "y", lab.ref("n", op, "x", "n"))
    assert same(lab, world, lab.rule("r", [lab.pattern("a", "x"), joined])) > 0
    assert same(lab, world, lab.rule("r", [lab.pattern("a", "x")], unless=[joined])) > 0


def test_an_absent_value_equals_no_number_that_the_engine_sees(lab: SimpleNamespace, world: Any) -> None:
    bound = [world.add("a", m=n) for n in range(3)]
    for n in range(-20, 60):
        world.add("b", n=n, t=f"text {n}")
    for field in ("n", "t"):
        rule = lab.rule("r", [lab.pattern("a", "x")], unless=[lab.pattern("b", "y", lab.ref(field, "eq", "x", field))])
        assert same(lab, world, rule) == len(bound)


def test_comparisons_of_texts_that_are_prefixes_or_look_like_other_types(lab: SimpleNamespace, world: Any) -> None:
    for text in ("ab", "ab c", "1", "1.0", "true", "null", ""):
        world.add("a", t=text)
        world.add("b", t=text)
    for op in ("eq", "ne"):
        same(lab, world, lab.rule("r", [lab.pattern("a", "x"), lab.pattern("b", "y", lab.ref("t", op, "x", "t"))]))
        same(lab, world, lab.rule("r", [lab.pattern("a", "x", lab.const("t", op, "ab"))]))


def test_an_enumeration_is_ordered_as_declared(lab: SimpleNamespace, world: Any) -> None:
    for level in LEVELS:
        world.add("a", o=level)
        world.add("b", o=level)
    joined = lab.pattern("b", "y", lab.ref("o", "gt", "x", "o"))
    assert same(lab, world, lab.rule("r", [lab.pattern("a", "x"), joined])) == 3
    assert same(lab, world, lab.rule("r", [lab.pattern("a", "x", lab.const("o", "lt", "low"))])) == 1


def test_whole_and_broken_numbers_join(lab: SimpleNamespace, world: Any) -> None:
    for number in (1, 1.5, 1e12, 1e-6, -2.5):
        world.add("a", x=number)
        world.add("b", x=float(number))
    assert same(lab, world, lab.rule("r", [lab.pattern("a", "x"), lab.pattern("b", "y", lab.ref("x", "eq", "x", "x"))])) == 5


def test_large_integers_are_exact(lab: SimpleNamespace, world: Any) -> None:
    for number in (2**53, 2**53 + 1, 2**62 - 1, 2**62 - 2, -(2**62) + 1):
        world.add("a", n=number)
        world.add("b", n=number)
    for op, count in (("eq", 5), ("gt", 10)):
        joined = lab.pattern("b", "y", lab.ref("n", op, "x", "n"))
        assert same(lab, world, lab.rule("r", [lab.pattern("a", "x"), joined])) == count


def test_long_texts_and_escapes_never_enter_the_engine(lab: SimpleNamespace, world: Any, spy: Any) -> None:
    texts = ["A" * 65_537, "A", "", "A" * 65_536, 'q"\\\n\0', "\N{GRINNING FACE}", "x" * 9_000_000, "{" * 1000]
    for text in texts:
        world.add("a", t=text)
        world.add("b", t=text)
    outcome = world.run([lab.rule("r", [lab.pattern("a", "x"), lab.pattern("b", "y", lab.ref("t", "eq", "x", "t"))])])
    assert len(outcome.firings) == len(texts)
    assert all(re.fullmatch(r'\{("\w+":-?\d+,?)+\}', message) and len(message) < 200 for message in spy.messages)


@pytest.mark.parametrize("regex", [r"\d+", "(?i)ABC", "[\u4e00-\u9fa5]", "(?:a{1,3}){2,}", "^ab$", "(((a)))"])
def test_regular_expressions_are_not_the_engines(lab: SimpleNamespace, world: Any, spy: Any, regex: str) -> None:
    for text in ("abc", "12", "\u4e01", "ab", "zz", "aaa"):
        world.add("a", t=text)
    outcome = world.run([lab.rule("r", [lab.pattern("a", "x", lab.const("t", "matches", regex))])])
    assert 0 < len(outcome.firings) < 6
    assert all("$mt" not in text and "$imt" not in text for text in spy.rulesets)


def test_alternatives_are_rules_of_their_own(lab: SimpleNamespace, world: Any, spy: Any) -> None:
    world.add("a", n=1, m=2)
    world.add("b", n=1)
    joined = [lab.pattern("a", "x"), lab.pattern("b", "y", lab.ref("n", "eq", "x", "n"))]
    outcome = world.run([lab.rule("r", joined, [lab.pattern("a", "x", lab.const("m", "eq", 2)), lab.pattern("b", "y")])])
    assert sorted(key[1] for key in outcome.firings) == [0, 1]
    assert all("$or" not in text and '"any"' not in text for text in spy.rulesets)


def test_fields_whose_names_have_the_same_hash(lab: SimpleNamespace) -> None:
    world = lab.World([Kind("a", [Field("costarring", "int"), Field("liquid", "int")]), Kind("b", [Field("liquid", "int")])])
    world.add("a", costarring=1, liquid=2)
    world.add("b", liquid=1)
    joined = lab.pattern("b", "y", lab.ref("liquid", "eq", "x", "costarring"))
    assert same(lab, world, lab.rule("r", [lab.pattern("a", "x"), joined])) == 1


def test_ids_whose_hash_is_the_same(lab: SimpleNamespace, world: Any) -> None:
    for text in ("f6059", "f264602"):
        world.add("a", t=text)
    joined = lab.pattern("a", "y", lab.ref("t", "ne", "x", "t"))
    assert same(lab, world, lab.rule("r", [lab.pattern("a", "x"), joined])) == 2


def test_a_number_that_the_engine_takes_for_a_known_id_is_passed_over(lab: SimpleNamespace, world: Any, spy: Any) -> None:
    for n in range(4):
        world.add("a", n=n)
    real = spy.assert_fact

    def clashing(handle: int, message: str) -> tuple[int, int]:
        return (2, 1) if message.startswith(('{"id":2,', '{"id":3,')) else real(handle, message)

    spy.assert_fact = clashing
    outcome = world.run([lab.rule("r", [lab.pattern("a", "x")])])
    assert [key[2] for key in sorted(outcome.firings)] == sorted((fact.id,) for fact in world.store.facts("a"))


def test_joins_on_an_earlier_id(lab: SimpleNamespace, world: Any) -> None:
    facts = [world.add("a", n=n) for n in range(3)]
    for fact in facts[:2]:
        world.add("b", r=fact.id)
    there = lab.pattern("b", "y", lab.ref("r", "eq", "x", "id"))
    assert same(lab, world, lab.rule("r", [lab.pattern("a", "x"), there])) == 2
    assert same(lab, world, lab.rule("r", [lab.pattern("a", "x")], unless=[there])) == 1
    back = lab.pattern("a", "y", lab.ref("id", "eq", "x", "r"))
    assert same(lab, world, lab.rule("r", [lab.pattern("b", "x"), back])) == 2


def test_a_blocking_fact_is_known_before_any_match(lab: SimpleNamespace, world: Any, spy: Any) -> None:
    for n in range(40):
        world.add("a", n=n)
    for n in range(0, 40, 2):
        world.add("b", n=n)
    outcome = world.run([lab.rule("r", [lab.pattern("a", "x")], unless=[lab.pattern("b", "y", lab.ref("n", "eq", "x", "n"))])])
    assert len(outcome.firings) == 20
    blocking = re.search(r'"n0\$not":\{"\$and":\[\{"(c\d+)":1', spy.rulesets[0])
    assert blocking
    marked = [f'"{blocking[1]}":1' in message for message in spy.messages[1:]]
    assert marked == sorted(marked, reverse=True)
    assert sum(marked) == 20


def test_two_blocking_facts_and_recursion(lab: SimpleNamespace, world: Any) -> None:
    for n in range(6):
        world.add("a", n=n, m=n + 1)
        world.add("b", n=n % 2)
        world.add("b", n=n % 2, m=n)
    step = lab.rule(
        "r",
        [lab.pattern("a", "x"), lab.pattern("c", "y", lab.ref("n", "eq", "x", "n"))],
        unless=[
            lab.pattern("b", "z", lab.ref("n", "eq", "x", "m"), lab.const("n", "eq", 9)),
            lab.pattern("b", "w", lab.ref("n", "gt", "x", "m")),
        ],
        heads=[lab.head("c", n=lab.Ref("x", "m"))],
    )
    first = lab.rule("s", [lab.pattern("a", "x", lab.const("n", "eq", 0))], heads=[lab.head("c", n=lab.Ref("x", "n"))])
    assert same(lab, world, step, first) == 7


def test_a_fact_that_is_bound_does_not_block_its_own_match(lab: SimpleNamespace, world: Any) -> None:
    for n in (1, 2, 2):
        world.add("a", n=n, m=len(world.store))
    assert same(lab, world, lab.rule("r", [lab.pattern("a", "x")], unless=[lab.pattern("a", "y", lab.ref("n", "gte", "x", "n"))])) == 0
    assert same(lab, world, lab.rule("r", [lab.pattern("a", "x")], unless=[lab.pattern("a", "y", lab.ref("m", "gt", "x", "m"))])) == 1
    assert same(lab, world, lab.rule("r", [lab.pattern("a", "x")], unless=[lab.pattern("a", "y", lab.const("n", "eq", 1))])) == 1


def test_a_stratum_that_fires_nothing_is_closed(lab: SimpleNamespace, world: Any, spy: Any) -> None:
    world.add("a", n=1)
    world.add("b", n=2)
    outcome = world.run([lab.rule("r", [lab.pattern("a", "x"), lab.pattern("b", "y", lab.ref("n", "eq", "x", "n"))])])
    assert outcome.firings == []
    assert spy.calls[:3] == ["create_ruleset", "start", "complete"]
    assert spy.calls[-2:] == ["delete_state", "delete_ruleset"]
    assert not spy.handles


def test_an_unknown_or_later_name_is_refused(lab: SimpleNamespace, world: Any) -> None:
    world.add("a", n=1)
    for patterns in (
        [lab.pattern("a", "x", lab.ref("n", "eq", "nobody", "n"))],
        [lab.pattern("a", "x", lab.ref("n", "eq", "y", "n")), lab.pattern("a", "y")],
        [],
    ):
        with pytest.raises(EngineError):
            world.run([lab.rule("r", patterns)])


def test_rules_in_a_chain_fire_each_match_once(lab: SimpleNamespace, world: Any) -> None:
    for n in range(20):
        world.add("a", n=n, m=n + 1)
    both = {"n": lab.Ref("x", "n"), "m": lab.Ref("y", "m")}
    rules = [
        lab.rule("s", [lab.pattern("a", "x")], heads=[lab.head("c", n=lab.Ref("x", "n"), m=lab.Ref("x", "m"))]),
        lab.rule("t", [lab.pattern("c", "x"), lab.pattern("c", "y", lab.ref("n", "eq", "x", "m"))], heads=[lab.head("c", **both)]),
    ]
    outcome = world.run(rules)
    assert len(outcome.facts) == 20 * 21 // 2
    assert len(outcome.firings) == len(set(outcome.firings)) == 20 + 21 * 20 * 19 // 6
