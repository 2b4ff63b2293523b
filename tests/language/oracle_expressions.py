"""Why: expressions over one match, spelled out from docs/language.md with exact fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.language.oracle_facts import Env, Facts, Json
from tests.language.oracle_values import (
    compare,
    digest_of,
    field_of,
)
from tollens.engine.rulebook.syntax import (
    Aggregate,
    Call,
    Condition,
    Const,
    Expr,
    Format,
    Head,
    Name,
    Ref,
)
from tollens.facts.fact import Fact

LIMIT = 2**62
MILLION = 10**6


class Evaluation:
    """Expressions over one match; `inputs` collects what aggregates go over, `numbers` are the names that hold millionths."""

    def __init__(self, oracle: Facts, env: Env, finished: list[Fact]) -> None:
        self.oracle = oracle
        self.env = env
        self.finished = finished
        self.names: Json = {}
        self.numbers: set[str] = set()
        self.inputs: list[str] = []

    def head(self, head: Head, origin: tuple[str, str]) -> Fact | None:
        kind = self.oracle.kinds[head.kind]
        given = {name: self.value(expr) for name, expr in head.fields}
        if any(given.get(field.name) is None for field in kind.fields if not field.optional):
            return None
        return Fact(kind, tuple(given.get(field.name) for field in kind.fields), {}, origin)

    def condition(self, condition: Condition) -> bool:
        left, right = self.value(condition.left), self.value(condition.right)
        if condition.op == "exists":
            return (left is not None) is right
        if left is None or right is None:
            return False
        return compare(condition.op, left, right)

    def value(self, expr: Expr) -> Any:
        if isinstance(expr, Const):
            return expr.value
        if isinstance(expr, Ref):
            return field_of(self.env[expr.alias], expr.field)
        if isinstance(expr, Name):
            return self.names[expr.name]
        if isinstance(expr, Format):
            return "".join(part if isinstance(part, str) else self.text(part) for part in expr.parts)
        if isinstance(expr, Aggregate):
            return self.aggregate(expr)
        return self.call(expr)

    def text(self, part: Ref | Name) -> str:
        value = self.value(part)
        if isinstance(part, Ref):
            fact = self.env[part.alias]
            number = part.field in fact.kind.index and fact.kind.field(part.field).type == "number"
        else:
            number = part.name in self.numbers
        if value is None:
            return "?"
        if value is True or value is False:
            return str(value).lower()
        if isinstance(value, tuple):
            return ", ".join(value)
        if number:
            return str(value // MILLION if value % MILLION == 0 else value / MILLION)
        return str(value)

    def aggregate(self, expr: Aggregate) -> Any:
        values, marks = [], []
        for fact in self.oracle.of_kind(expr.pattern.kind, self.finished):
            if not all(self.oracle.holds(test, fact, self.env) for test in expr.pattern.tests):
                continue
            self.inputs.append(fact.id)
            if expr.distinct:
                mark = [field_of(fact, field) for field in expr.distinct]
                if mark in marks:
                    self.oracle.events["aggregate: distinct drops one"] += 1
                    continue
                marks.append(mark)
            value = field_of(fact, expr.field) if expr.field else 1
            if value is not None:
                values.append(value)
        if expr.function == "count":
            return len(values)
        if expr.function == "sum":
            return _bounded(sum(values))
        if expr.function == "collect":
            return tuple(sorted(set(values)))
        if not values:
            self.oracle.events["aggregate: nothing found"] += 1
            return None
        return min(values) if expr.function == "min" else max(values)

    def call(self, expr: Call) -> Any:
        values = [self.value(argument) for argument in expr.arguments]
        name = expr.function
        if name == "default":
            return values[1] if values[0] is None else values[0]
        if name in ("least", "most"):
            present = [value for value in values if value is not None]
            return None if not present else min(present) if name == "least" else max(present)
        if name == "digest":
            return digest_of(values)
        if name == "ratio":
            top, bottom, otherwise = values
            if top is None or bottom is None:
                return None
            return otherwise if bottom == 0 else _bounded(_even(Fraction(top, bottom) * MILLION))
        if any(value is None for value in values):
            return None
        if name == "lower":
            return values[0].lower()
        if name == "last_part":
            text, separator = values
            return text[text.rfind(separator) + len(separator) :] if separator and separator in text else text
        return _bounded(_arithmetic(name, values))


def _arithmetic(name: str, values: list[int]) -> int:
    if name == "add":
        return sum(values)
    if name == "sub":
        return values[0] - values[1]
    if name == "mul":
        result = 1
        for value in values:
            result *= value
        return result
    if name == "mul_number":
        result = values[0]
        for value in values[1:]:
            result = _even(Fraction(result * value, MILLION))
        return result
    if name == "clamp":
        x, low, high = values
        return low if x < low else max(low, high) if x > high else x
    if name == "round":
        number, digits = values
        return int(_even(Fraction(number, MILLION) * 10**digits) * MILLION / Fraction(10**digits)) if digits < 6 else number
    assert name == "to_number", name
    return values[0] * MILLION


def _even(value: Fraction) -> int:
    """The nearest whole, halves to the even one (what Python's round does for fractions)."""
    return round(value)


def _bounded(value: int) -> int | None:
    return value if -LIMIT < value < LIMIT else None
