"""Why: what each test of the language means on one fact, in one place for every evaluator that tests in Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from tollens.engine.rulebook.build.regex import compile_regex
from tollens.engine.rulebook.syntax import Const, Test
from tollens.facts.fact import Fact
from tollens.facts.kind import Kind
from tollens.facts.values import Value

Check = Callable[[Fact], bool]

_ORDER: dict[str, Callable[[Any, Any], bool]] = {"gt": gt, "gte": ge, "lt": lt, "lte": le}
_FLIPPED = {"eq": "eq", "ne": "ne", "gt": "lt", "gte": "lte", "lt": "gt", "lte": "gte"}


def flipped(op: str) -> str:
    """The operator that says the same with its sides exchanged."""
    return _FLIPPED[op]


def getter(kind: Kind, field: str) -> Callable[[Fact], Value]:
    """A function that reads a field (or `id`, `seq`) of facts of a kind."""
    if field == "id":
        return lambda fact: fact.id
    if field == "seq":
        return lambda fact: fact.seq
    position = kind.index[field]
    return lambda fact: fact.values[position]


def placed(kind: Kind, field: str, position: int) -> Callable[[Sequence[Fact]], Value]:
    """A function that reads a field (or `id`, `seq`) of the fact at a position of a row; the fact there is of the kind."""
    if field == "id":
        return lambda row: row[position].id
    if field == "seq":
        return lambda row: row[position].seq
    index = kind.index[field]
    return lambda row: row[position].values[index]


def ranks(kind: Kind, field: str) -> dict[str, int] | None:
    """An ordered enum's members with their ranks; None for every other field."""
    if field in ("id", "seq"):
        return None
    declared = kind.field(field)
    if declared.type == "enum" and declared.ordered:
        return {member: rank for rank, member in enumerate(declared.choices)}
    return None


def compare(kind: Kind, field: str, op: str) -> Callable[[Value, Value], bool]:
    """A comparison of two present values of a field's type; an absent side satisfies nothing."""
    if op in ("eq", "ne"):
        plain = eq if op == "eq" else ne
        return lambda a, b: a is not None and b is not None and plain(a, b)
    order, rank = _ORDER[op], ranks(kind, field)
    if rank is None:
        return lambda a, b: a is not None and b is not None and order(a, b)
    return lambda a, b: a is not None and b is not None and order(rank[str(a)], rank[str(b)])


def alpha_check(kind: Kind, test: Test) -> Check:
    """A test with a constant operand as a function of one fact."""
    assert isinstance(test.operand, Const)
    get = getter(kind, test.field)
    operand: Any = test.operand.value
    if test.op == "exists":
        return lambda fact: (get(fact) is not None) == operand
    if test.op in _FLIPPED:
        check = compare(kind, test.field, test.op)
        return lambda fact: check(get(fact), operand)
    if test.op == "in":
        members = frozenset(operand) if isinstance(operand, tuple) else frozenset([operand])
        return lambda fact: get(fact) in members
    return _text_check(get, test.op, str(operand))


def _text_check(get: Callable[[Fact], Value], op: str, operand: str) -> Check:
    if op == "matches":
        search = compile_regex(operand).search
        return lambda fact: isinstance(text := get(fact), str) and search(text) is not None
    if op == "starts":
        return lambda fact: isinstance(text := get(fact), str) and text.startswith(operand)
    if op == "ends":
        return lambda fact: isinstance(text := get(fact), str) and text.endswith(operand)
    assert op == "contains", op
    return lambda fact: isinstance(text := get(fact), str) and operand in text
