"""Why: a pattern, test or expression as the short text that proofs and messages show, close to how a rule file writes it."""

from __future__ import annotations

from tollens.engine.rulebook.syntax import Const, Pattern, Ref, Test
from tollens.facts.kind import Kind
from tollens.facts.values import unscaled

_SIGNS = {"eq": "=", "ne": "!=", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="}


def ref_text(ref: Ref) -> str:
    """`$alias` or `$alias.field`."""
    return f"${ref.alias}" if ref.field == "id" else f"${ref.alias}.{ref.field}"


def condition_text(test: Test, kind: Kind) -> str:
    """A test as `field op operand`."""
    if isinstance(test.operand, Ref):
        operand = ref_text(test.operand)
    else:
        number = test.field in kind.index and kind.field(test.field).type == "number"
        operand = constant_text(test.operand, number=number and test.op != "exists")
    return f"{test.field} {_SIGNS.get(test.op, test.op)} {operand}"


def constant_text(constant: Const, *, number: bool = False) -> str:
    """A literal as it would be written; texts in double quotes, numbers (kept in millionths) as decimals."""
    value = constant.value
    if isinstance(value, tuple):
        return "[" + ", ".join(constant_text(Const(item), number=number) for item in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return str(unscaled(value)) if number and isinstance(value, int) else str(value)


def pattern_text(pattern: Pattern, kind: Kind) -> str:
    """A pattern over a kind as `kind(test, test)`."""
    return f"{pattern.kind}({', '.join(condition_text(test, kind) for test in pattern.tests)})"
