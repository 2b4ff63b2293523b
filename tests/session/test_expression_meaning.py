"""Why: computed values are exact, bounded and absent where an operand is; the same everywhere."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollens.engine.session.functions import FUNCTIONS
from tollens.engine.session.session import Session
from tollens.facts.fact import Draft
from tollens.facts.values import INT_LIMIT, SCALE, Value, digest

Run = Callable[..., Session]
Item = Callable[..., Draft]
Names = Callable[[Session, str], list[Any]]

M = SCALE
big = st.integers(-INT_LIMIT + 1, INT_LIMIT - 1)


@pytest.mark.parametrize(
    ("name", "arguments", "value"),
    [
        ("add", (1, 2, -4), -1),
        ("sub", (1, 5), -4),
        ("mul", (3, -2, 2), -12),
        ("mul_number", (M // 2, M // 2), M // 4),
        ("mul_number", (1, M // 2), 0),  # half a millionth goes to the even one
        ("mul_number", (3, M // 2), 2),
        ("ratio", (1, 3, 0), 333_333),
        ("ratio", (2, 3, 0), 666_667),
        ("ratio", (1, 0, 7), 7),
        ("ratio", (1, 0, None), None),
        ("ratio", (None, 0, 7), None),
        ("ratio", (-1, 2_000_000, 0), 0),
        ("ratio", (-3, 2_000_000, 0), -2),
        ("clamp", (5, 0, 3), 3),
        ("clamp", (-5, 0, 3), 0),
        ("clamp", (5, 9, 3), 9),
        ("round", (2_500_000, 0), 2_000_000),
        ("round", (3_500_000, 0), 4_000_000),
        ("round", (-2_500_000, 0), -2_000_000),
        ("round", (123_450, 4), 123_400),
        ("round", (123_456, 6), 123_456),
        ("least", (None, 3, 1), 1),
        ("least", (None, None), None),
        ("most", (None, 3, 1), 3),
        ("lower", ("ÄB",), "äb"),
        ("last_part", ("a.b.c", "."), "c"),
        ("last_part", ("abc", "."), "abc"),
        ("last_part", ("a.", "."), ""),
        ("default", (None, 3), 3),
        ("default", (0, 3), 0),
        ("default", ("", "x"), ""),
        ("to_number", (3,), 3 * M),
        ("add", (1, None), None),
        ("lower", (None,), None),
    ],
)
def test_a_function(name: str, arguments: tuple[Value, ...], value: Value) -> None:
    assert FUNCTIONS[name](*arguments) == value


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("add", (INT_LIMIT - 1, 1)),
        ("sub", (-INT_LIMIT + 1, 1)),
        ("mul", (2**31, 2**31)),
        ("mul_number", (2**50, 2**40)),
        ("ratio", (2**61, 1, 0)),
        ("to_number", (2**45,)),
        ("round", (INT_LIMIT - 1, 1)),
    ],
)
def test_what_leaves_the_range_is_absent(name: str, arguments: tuple[int, ...]) -> None:
    assert FUNCTIONS[name](*arguments) is None


@given(big, big)
def test_a_ratio_is_the_nearest_millionth(top: int, bottom: int) -> None:
    value = FUNCTIONS["ratio"](top, bottom, None)
    if bottom == 0:
        assert value is None
    else:
        nearest = round(Fraction(top, bottom) * M)
        assert value == (nearest if abs(nearest) < INT_LIMIT else None)


@given(big, st.integers(0, 6))
def test_rounding_is_half_to_even_and_done_once(number: int, digits: int) -> None:
    once = FUNCTIONS["round"](number, digits)
    exact = round(Fraction(number, M) * 10**digits) * M // 10**digits
    assert once == (exact if abs(exact) < INT_LIMIT else None)
    assert once is None or FUNCTIONS["round"](once, digits) == once


@given(st.lists(st.one_of(st.none(), st.text(max_size=3), st.integers(-9, 9), st.booleans()), min_size=1, max_size=3), st.data())
def test_digests_tell_all_values_apart(values: list[Value], data: st.DataObject) -> None:
    other = data.draw(st.lists(st.one_of(st.none(), st.text(max_size=3), st.integers(-9, 9), st.booleans()), min_size=1, max_size=3))
    same = [(type(v), v) for v in values] == [(type(v), v) for v in other]
    assert (FUNCTIONS["digest"](*values) == FUNCTIONS["digest"](*other)) == same
    assert FUNCTIONS["digest"](*values) == digest(*values)


def rule(let: str, head: str, when: str = "{item: {as: i}}", more: str = "") -> str:
    return f"stage: s0\nrules:\n  - id: r\n    when: [{when}]\n    let:\n      v: {let}\n{more}    then: [{{{head}}}]\n"


@pytest.mark.parametrize(
    ("let", "value"),
    [
        ("{count: {item: {}}}", 4),
        ("{count: {item: {size: {gt: 99}}}}", 0),
        ("{count: {item: {}}, distinct: [size]}", 3),
        ("{sum: {item: {}}, of: size}", 4),
        ("{sum: {item: {}}, of: size, distinct: [size]}", 3),
        ("{sum: {item: {size: {gt: 99}}}, of: size}", 0),
        ("{min: {item: {}}, of: size}", 1),
        ("{max: {item: {}}, of: size}", 2),
        ("{default: [{max: {item: {size: {gt: 99}}}, of: size}, -1]}", -1),
        ("{add: [{count: {item: {size: $i.size}}}, 10]}", 12),
    ],
)
def test_aggregates(run: Run, item: Item, names: Names, let: str, value: int) -> None:
    facts = [item("a", size=1), item("b", size=1), item("c", size=2), item("d")]
    session = run(rule(let, "counted: {number: $v}", "{item: {as: i, name: a}}"), facts)
    assert names(session, "counted") == [value]


def test_an_aggregate_over_nothing_is_absent_and_asserts_nothing(run: Run, item: Item, names: Names) -> None:
    session = run(rule("{min: {item: {size: {gt: 99}}}, of: size}", "counted: {number: $v}"), [item("a", size=1)])
    assert names(session, "counted") == []


def test_sums_that_leave_the_range_are_absent(run: Run, item: Item, names: Names) -> None:
    facts = [item("a", size=2**61), item("b", size=2**61)]
    assert names(run(rule("{sum: {item: {}}, of: size}", "counted: {number: $v}"), facts), "counted") == []


def test_collect_gives_sorted_distinct_texts(run: Run, item: Item, names: Names) -> None:
    facts = [item("b", sort="red"), item("a", sort="blue"), item("c", sort="red"), item("d")]
    session = run(rule("{collect: {item: {}}, of: sort}", "listed: {texts: $v}"), facts)
    assert names(session, "listed") == [("blue", "red")]
    session = run(rule("{collect: {item: {name: none}}, of: sort}", "listed: {texts: $v}"), facts)
    assert names(session, "listed") == [()]


def test_the_proof_names_what_an_aggregate_went_over(run: Run, item: Item) -> None:
    session = run(
        rule("{count: {item: {}}, distinct: [size]}", "counted: {number: $v}", "{item: {name: a}}"), [item("a", size=1), item("b", size=1)]
    )
    (fact,) = session.store.facts("counted")
    (way,) = session.proof.of(fact.id)
    assert [(c.name, c.value, len(c.inputs)) for c in way.computed] == [("v", 1, 2)]


def test_templates_write_each_type(run: Run, item: Item, names: Names) -> None:
    text = "<{i.name}|{i.size}|{i.share}|{i.good}|{i.mood}|{i.tags}|{{v}}|{v}>"
    more = f"      t: {{format: '{text}'}}\n"
    rules = rule("{mul: [$i.share, 0.5]}", "said: {text: $t}", more=more)
    full = item("a", size=-1, share=2.5, good=True, mood="low", tags=["x", "y"])
    assert names(run(rules, [full]), "said") == ["<a|-1|2.5|true|low|x, y|{v}|1.25>"]
    assert names(run(rules, [item("b")]), "said") == ["<b|?|?|?|?|?|{v}|?>"]


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("eq: [$v, 2]", True),
        ("ne: [$v, 2]", False),
        ("gt: [$v, 1]", True),
        ("gte: [$v, 3]", False),
        ("lt: [$v, {add: [$i.size, 2]}]", True),
        ("lte: [$v, 1]", False),
        ("in: [$v, [1, 2]]", True),
        ("in: [$i.name, $i.tags]", True),
        ("in: [$i.name, [b]]", False),
        ("exists: $i.size", True),
        ("exists: $i.share", False),
        ("eq: [$i.share, $i.share]", False),
        ("ne: [$i.share, 1.0]", False),
    ],
)
def test_conditions(run: Run, item: Item, names: Names, condition: str, holds: bool) -> None:
    rules = rule("{add: [$i.size, 1]}", "seen: {item: $i}", more=f"    if: [{{{condition}}}]\n")
    assert names(run(rules, [item("a", size=1, tags=["a"])]), "seen") == (["a"] if holds else [])
