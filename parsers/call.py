"""Why: which side of a printed comparison was asked for is told by the call that compared; this reads the call off its source."""

from __future__ import annotations

from typing import NamedTuple

from tollens.parsers.comparison import split_assertion, top_level, without_message
from tollens.parsers.patterns import Pattern

_CALL = Pattern(r"(?:return |await |yield |with |async with )?([^\W\d][\w.]*)\(")
#: Calls whose first two arguments (or whose only one) are the sides that they print, in the same order.
_PAIRS = Pattern(
    r"_?assert(?:_\w+|(?:Not)?(?:Almost|List|Tuple|Dict|Set|Sequence|MultiLine|HTML|XML|JSON|Query[Ss]et|Count|Items)?Equals?"
    r"|Is(?:Not)?|(?:Not)?In|(?:Not)?IsInstance|(?:Greater|Less)(?:Equal)?)$"
)
_SINGLES = Pattern(r"assert(?:True|False|IsNone|IsNotNone|_)$")
_KEYWORD = Pattern(r"[^\W\d]\w*\s*=(?!=)")


class Asked(NamedTuple):
    """What a failing statement asks: its expression or call, the call's name, and the sources of the two sides."""

    expression: str
    call: str | None
    left: str | None
    right: str | None


def read_statement(statement: str | None, operator: str | None = None) -> Asked | None:
    """What the printed source of a failing statement asks; None where it is neither an `assert` nor one call.

    The sides of an `assert` are given where its operator is the one that was printed (or none was), those of a call where it is
    known to print its arguments in their order.
    """
    if statement is None:
        return None
    if statement.startswith(("assert ", "assert(")):
        expression = without_message(statement[6:].strip())
        sides = split_assertion(expression) if expression else None
        if sides is None or sides.operator is None or (operator is not None and sides.operator != operator):
            return Asked(expression, None, None, None) if expression else None
        return Asked(expression, None, sides.left, sides.right)
    found = _CALL.match(statement)
    if found is None:
        return None
    name = found.group(1).rpartition(".")[2]
    known = 2 if _PAIRS.match(name) is not None else 1 if _SINGLES.match(name) is not None else 0
    positional = _arguments(statement[found.end(1) + 1 :])[:known]
    left, right = (*positional, None, None)[:2]
    return Asked(statement.strip(), name, left, right)


def asserts(asked: Asked | None) -> bool:
    """Whether a statement is a call that asserts, by its name: `assertEqual`, `assert_allclose`, `_assert_same`."""
    return asked is not None and asked.call is not None and asked.call.lstrip("_").lower().startswith("assert")


def _arguments(rest: str) -> list[str]:
    """The positional arguments in the text after a call's opening parenthesis; none where the source is cut."""
    body = rest.rstrip().rstrip(";").rstrip()
    if not body.endswith(")"):
        return []
    body = body[:-1]
    commas = top_level(body, angles=False, wanted=(",",))
    if commas is None:
        return []
    parts: list[str] = []
    start = 0
    for column in [*(column for column, _ in commas), len(body)]:
        part = body[start:column].strip()
        start = column + 1
        if part and _KEYWORD.match(part) is None:
            parts.append(part)
    return parts
