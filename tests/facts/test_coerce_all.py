"""Why: values that need no conversion take a short way into a fact, which must let nothing through that the long way refuses."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollens.facts.fact import BadFact, Draft, Fact, fact_id, make_fact
from tollens.facts.kind import Field, Kind, coerce, coerce_all
from tollens.facts.values import INT_LIMIT, TYPES


class Text(str):
    """A text that is not plainly one."""

    __slots__ = ()


class Whole(int):
    """An int that is not plainly one."""


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([INT_LIMIT, -INT_LIMIT, INT_LIMIT - 1, 1 - INT_LIMIT, Whole(3), Whole(INT_LIMIT), Text("a"), "a", "b", ""]),
    st.floats(),
    st.text(max_size=3),
    st.lists(st.text(max_size=2), max_size=2),
    st.binary(max_size=2),
)


def outcome(make: Any) -> object:
    try:
        return make()
    except ValueError as error:
        return str(error)


@given(st.sampled_from(TYPES), st.booleans(), VALUES)
def test_the_short_way_and_the_long_way_agree(kind: str, optional: bool, value: object) -> None:
    field = Field("x", kind, optional, ("a", "b") if kind == "enum" else ())
    short = outcome(lambda: coerce_all(Kind("k", [field]), {"x": value}))
    long = outcome(lambda: (coerce(field, value),))
    assert short == long
    assert repr(short) == repr(long)


def test_a_missing_field_and_an_unknown_one_are_told() -> None:
    kind = Kind("k", [Field("x", "int"), Field("y", "text", True)])
    assert coerce_all(kind, {"x": 1}) == (1, None)
    with pytest.raises(BadFact, match="p:q: k: x needs a value"):
        make_fact(kind, Draft("k", {"y": "a"}, {}, ("p", "q")))
    with pytest.raises(BadFact, match="p: k has no field 'z'; its fields are x, y"):
        make_fact(kind, Draft("k", {"x": 1, "z": 2}, {}, ("p", "")))


@pytest.mark.parametrize("key", [None, ["x", "y"], ["y", "x"], ["y"], []])
@pytest.mark.parametrize("rival", [False, True])
def test_the_id_is_made_of_the_key_in_its_order(key: list[str] | None, rival: bool) -> None:
    kind = Kind("k", [Field("x", "int"), Field("y", "text")], key=key, rival=rival)
    values: dict[str, Any] = {"x": 7, "y": "a"}
    fields = ["x", "y"] if key is None or rival else key
    assert Fact(kind, (7, "a"), {}, ("caller", "")).id == fact_id("k", *[values[name] for name in fields])
