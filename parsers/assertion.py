"""Why: what a failed assertion printed (sides, explanations, differences) becomes facts in one place, whoever printed it."""

from __future__ import annotations

from tollens.facts.fact import Span
from tollens.parsers.comparison import Sides, split_assertion, split_unittest, without_message
from tollens.parsers.page import Extra, Unit
from tollens.parsers.patterns import Pattern
from tollens.parsers.text import Text

_WHERE = Pattern(r"\s*\+\s+(where|and)\s+(\S.*)$")
_SIDE = Pattern(r"\s*(x|y|ACTUAL|DESIRED|\[left\]|\[right\]):\s+(\S.*)$")
_SIDES = {"x": "left", "ACTUAL": "left", "[left]": "left", "y": "right", "DESIRED": "right", "[right]": "right"}
_MARKS = {"- ": "minus", "+ ": "plus", "? ": "guide"}
#: Explanations that pytest adds to a comparison: how they begin, the label, and the sign before the part that is the text.
_NOTES = (
    ("At index ", "index_diff", " diff: "),
    ("Left contains ", "left_extra", "item: "),
    ("Right contains ", "right_extra", "item: "),
    ("{", "differing", ""),
)

#: A line of a message: the text's line number, the column at which the message's part begins, and that part.
Row = tuple[int, int, str]


def read_assertion(unit: Unit, text: Text, rows: list[Row], statement: str | None, *, in_unittest: bool = False) -> None:
    """Put the comparison and the details of a failure onto its unit.

    `rows` are the lines of what was printed for the exception, with the class name left out of the first;
    `statement` is the printed source of the failing statement.
    """
    at = next((number for number in range(len(rows) - 1, -1, -1) if rows[number][2].startswith("assert ")), None)
    expression = _expression(statement)
    if at is not None:
        _pytest_comparison(unit, text, rows[at], expression)
    elif unit.record_type == "assertion" and rows and not _sides_on_lines(unit, text, rows, expression):
        split = split_unittest(rows[0][2]) if _asks_unittest(statement, in_unittest) else None
        if split is not None:
            _compare(unit, text, rows[0], split[0], split[1], expression, 0)
        elif expression is not None:
            unit.extras.append(Extra("comparison", {"form": "statement", "expression": expression}))
    if unit.record_type == "assertion":
        for row in rows[(at or 0) + 1 :]:
            _detail(unit, text, row)


def _asks_unittest(statement: str | None, in_unittest: bool) -> bool:
    """Whether the words may be unittest's own: not under a bare `assert`, whose message is the author's."""
    if statement is None:
        return True
    if statement[:7] in ("assert", "assert ", "assert("):
        return False
    return in_unittest or ".assert" in statement or statement.startswith("assert")


def _pytest_comparison(unit: Unit, text: Text, row: Row, expression: str | None) -> None:
    sides = split_assertion(row[2][7:])
    if sides is not None:
        _compare(unit, text, row, sides, "pytest_assert", expression, 7)
    elif expression is not None:
        unit.extras.append(Extra("comparison", {"form": "pytest_assert", "expression": expression}))


def _compare(unit: Unit, text: Text, row: Row, sides: Sides, form: str, expression: str | None, shift: int) -> None:
    index, column, _ = row
    fields: dict[str, object] = {
        "form": form, "left": sides.left, "operator": sides.operator, "right": sides.right, "expression": expression,
    }  # fmt: skip
    spans: dict[str, Span] = {"": text.whole(index)}
    for name, start, value in (("left", sides.at, sides.left), ("right", sides.right_at, sides.right)):
        if value:
            spans[name] = text.span(index, column + shift + start, column + shift + start + len(value))
    unit.extras.append(Extra("comparison", fields, spans))


def _sides_on_lines(unit: Unit, text: Text, rows: list[Row], expression: str | None) -> bool:
    """The sides that numerical libraries print on labelled lines of their own; a side goes on to the next label."""
    values: dict[str, list[str]] = {}
    spans: dict[str, Span] = {}
    side, form = None, "numpy"
    for index, column, line in rows:
        found = _SIDE.match(line)
        if found is not None and _SIDES[found.group(1)] not in values:
            form = "pandas" if found.group(1)[0] == "[" else "numpy"
            side = _SIDES[found.group(1)]
            values[side] = [found.group(2).rstrip()]
            spans[side] = text.span(index, column + found.start(2), column + found.start(2) + len(values[side][0]))
        elif side is not None and line[:1] == " " and line.strip():
            values[side].append(line.strip())
        else:
            side = None
    if len(values) < 2:
        return False
    fields = {name: "\n".join(lines) for name, lines in values.items()}
    unit.extras.append(Extra("comparison", {"form": form, "expression": expression, **fields}, spans))
    return True


def _detail(unit: Unit, text: Text, row: Row) -> None:
    index, column, line = row
    stripped = line.strip()
    if not stripped:
        return
    where = _WHERE.match(line)
    if where is not None:
        label, start, value = where.group(1), where.start(2), where.group(2).rstrip()
    else:
        start = len(line) - len(line.lstrip())
        label, skip = _label(stripped)
        start, value = start + skip, line[start + skip :].rstrip()
    fields = {"label": label, "text": value}
    unit.extras.append(Extra("detail", fields, {"text": text.span(index, column + start, column + start + len(value))}))


def _label(line: str) -> tuple[str, int]:
    """The label of an explanation and how many characters stand before its text."""
    if line[:2] in _MARKS:
        return _MARKS[line[:2]], 2
    for beginning, label, sign in _NOTES:
        if line.startswith(beginning) and (sign in line if sign else " != " in line):
            return label, line.index(sign) + len(sign)
    return "note", 0


def _expression(statement: str | None) -> str | None:
    if statement is None or not statement.startswith("assert "):
        return None
    return without_message(statement[7:].strip()) or None
