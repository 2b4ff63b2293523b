"""Why: the small things that the oracle says on its own: comparisons, fields of facts, the texts of a proof."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from tollens.engine.rulebook.syntax import (
    Pattern,
    Ref,
)
from tollens.facts.fact import Fact, Span
from tollens.facts.kind import Kind


def compare(op: str, value: Any, operand: Any) -> bool:
    results: dict[str, Callable[[], bool]] = {
        "eq": lambda: value == operand,
        "ne": lambda: value != operand,
        "gt": lambda: value > operand,
        "gte": lambda: value >= operand,
        "lt": lambda: value < operand,
        "lte": lambda: value <= operand,
        "in": lambda: any(value == member for member in operand),
        "starts": lambda: value[: len(operand)] == operand,
        "ends": lambda: operand == "" or value[-len(operand) :] == operand,
        "contains": lambda: any(value[i : i + len(operand)] == operand for i in range(len(value) + 1)),
        "matches": lambda: regex(operand).search(value) is not None,
    }
    return results[op]()


def regex(pattern: str) -> re.Pattern[str]:
    """The expressions of the generator, for Python's engine: ASCII classes, `$` only at the very end."""
    return re.compile(pattern.replace("$", r"\Z"), re.ASCII)


def field_of(fact: Fact, name: str) -> Any:
    return fact.id if name == "id" else fact.seq if name == "seq" else fact.values[[f.name for f in fact.kind.fields].index(name)]


def ref_of(ref: Ref, patterns: Sequence[Pattern], row: Sequence[Fact]) -> Any:
    return field_of(row[[pattern.alias for pattern in patterns].index(ref.alias)], ref.field)


def ranks_of(kind: Kind, field: str) -> dict[str, int] | None:
    if field in ("id", "seq") or not kind.field(field).ordered:
        return None
    return {choice: rank for rank, choice in enumerate(kind.field(field).choices)}


def rank_of(ref: Ref, patterns: Sequence[Pattern], row: Sequence[Fact]) -> Any:
    fact = row[[pattern.alias for pattern in patterns].index(ref.alias)]
    value, ranks = field_of(fact, ref.field), ranks_of(fact.kind, ref.field)
    return value if ranks is None or value is None else ranks[value]


def bound(patterns: Sequence[Pattern], row: Sequence[Fact]) -> list[list[str]]:
    return [[pattern.alias, fact.id] for pattern, fact in zip(patterns, row, strict=True)]


def inside(fact: Fact, field: str, text: str, start: int, end: int) -> dict[str, Span]:
    """Where a part of a field's text stands in the raw line, if all of the text stands there as it is."""
    whole = fact.spans.get(field)
    if whole is None or len(text) != whole.end - whole.start:
        return {}
    return {"": Span(whole.line, whole.start + start, whole.start + end)}


def digest_of(values: Sequence[Any]) -> str:
    """As facts/values defines it; imported late to keep the list of what is shared in one place."""
    from tollens.facts.values import digest

    return digest(*values)


def ref_text(ref: Ref) -> str:
    return f"${ref.alias}" + ("" if ref.field == "id" else f".{ref.field}")


def pattern_text(pattern: Pattern, kind: Kind) -> str:
    """A pattern as the proof shows it."""
    signs = {"eq": "=", "ne": "!=", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
    parts = []
    for test in pattern.tests:
        number = test.field not in ("id", "seq") and kind.field(test.field).type == "number"
        if isinstance(test.operand, Ref):
            operand = ref_text(test.operand)
        elif isinstance(test.operand.value, tuple):
            operand = "[" + ", ".join(literal_text(value, number) for value in test.operand.value) + "]"
        else:
            operand = literal_text(test.operand.value, number)
        parts.append(f"{test.field} {signs.get(test.op, test.op)} {operand}")
    return f"{pattern.kind}({', '.join(parts)})"


def literal_text(value: Any, number: bool) -> str:
    """A constant as a rule file would write it."""
    if value is True or value is False:
        return str(value).lower()
    if isinstance(value, str):
        return '"' + re.sub(r'(["\\])', r"\\\1", value) + '"'
    if number:
        return str(value // 10**6 if value % 10**6 == 0 else value / 10**6)
    return str(value)
