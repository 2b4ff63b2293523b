"""Why: a pattern, test or expression as the short text that proofs and messages show, close to how a rule file writes it."""

from __future__ import annotations

from tollens.engine.rulebook.syntax import Const, Pattern, Ref, Test

_SIGNS = {"eq": "=", "ne": "!=", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="}


def ref_text(ref: Ref) -> str:
    """`$alias` or `$alias.field`."""
    return f"${ref.alias}" if ref.field == "id" else f"${ref.alias}.{ref.field}"


def condition_text(test: Test) -> str:
    """A test as `field op operand`."""
    operand = ref_text(test.operand) if isinstance(test.operand, Ref) else constant_text(test.operand)
    return f"{test.field} {_SIGNS.get(test.op, test.op)} {operand}"


def constant_text(constant: Const) -> str:
    """A literal as it would be written; texts in double quotes."""
    value = constant.value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, tuple):
        return "[" + ", ".join(str(item) for item in value) + "]"
    return str(value)


def pattern_text(pattern: Pattern) -> str:
    """A pattern as `kind(test, test)`."""
    return f"{pattern.kind}({', '.join(condition_text(test) for test in pattern.tests)})"
