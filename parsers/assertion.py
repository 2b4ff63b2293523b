"""Why: what a failed assertion printed (sides, explanations, differences) becomes facts in one place, whoever printed it."""

from __future__ import annotations

from tollens.facts.fact import Span
from tollens.parsers.call import Asked, asserts, read_statement
from tollens.parsers.comparison import Sides, split_assertion
from tollens.parsers.explanation import read_explanations
from tollens.parsers.library_sides import read_library_sides
from tollens.parsers.page import Extra, Unit
from tollens.parsers.text import Text
from tollens.parsers.unittest_message import split_unittest
from tollens.parsers.wording import Row, Said, Side, read_wording

__all__ = ["Row", "read_assertion"]


def read_assertion(unit: Unit, text: Text, rows: list[Row], statement: str | None) -> None:
    """Put the comparison and the details of a failure onto its unit.

    `rows` are the lines of what was printed for the exception, with the class name left out of the first;
    `statement` is the printed source of the failing statement.
    """
    at = next((number for number in range(len(rows) - 1, -1, -1) if rows[number][2].startswith("assert ")), None)
    asserted = unit.record_type == "assertion"
    if at is not None:
        _pytest_comparison(unit, text, rows[at], statement)
    elif asserted and rows:
        _message_comparison(unit, text, rows, statement)
    printed = at is None and any("left" in extra.fields for extra in unit.extras)
    said = None if printed else read_wording(rows if at is None else rows[:at])
    if said is not None:
        if asserted and at is None:
            _said(unit, text, rows, said, read_statement(statement))
        for label, side in (("said_expected", said.expected), ("said_got", said.got)):
            unit.extras.append(Extra("detail", {"label": label, "text": side.text}, {"text": _side_span(text, rows, side)}))
    if asserted:
        read_explanations(unit, text, rows[at or 0 :])


def _pytest_comparison(unit: Unit, text: Text, row: Row, statement: str | None) -> None:
    sides = split_assertion(row[2][7:])
    asked = read_statement(statement, sides.operator if sides is not None else None)
    if asked is not None and asked.call is not None:
        asked = None  # the assert stands somewhere below this call
    if sides is not None:
        _compare(unit, text, row, sides, "pytest_assert", asked, 7)
    elif asked is not None:
        unit.extras.append(Extra("comparison", asked_fields("pytest_assert", asked)))


def _message_comparison(unit: Unit, text: Text, rows: list[Row], statement: str | None) -> None:
    """The comparison that a message tells of: a library's labelled sides, unittest's own phrases, or else the statement alone."""
    asked = read_statement(statement)
    if read_library_sides(unit, text, rows, asked):
        return
    split = _unittest_sides(rows[0][2], statement, asked)
    if split is not None:
        _compare(unit, text, rows[0], split[0], split[1], asked, 0)
    elif asked is not None and (asked.call is None or asserts(asked)):
        unit.extras.append(Extra("comparison", asked_fields("statement", asked)))


def _said(unit: Unit, text: Text, rows: list[Row], said: Said, asked: Asked | None) -> None:
    """The author's words name the sides; the statement's own sides need not be the same."""
    first, second = (said.expected, said.got) if said.form != "got_expected" else (said.got, said.expected)
    expression = asked.expression if asked is not None else None
    call = asked.call if asked is not None else None
    fields = {"form": said.form, "left": first.text, "right": second.text, "expression": expression, "call": call}
    spans = {"left": _side_span(text, rows, first), "right": _side_span(text, rows, second)}
    unit.extras = [extra for extra in unit.extras if extra.kind != "comparison"]
    unit.extras.append(Extra("comparison", fields, spans))


def _unittest_sides(line: str, statement: str | None, asked: Asked | None) -> tuple[Sides, str] | None:
    """The phrases of unittest are read where one of its assertions was called; where that is not known, only between printed values."""
    if asserts(asked):
        return split_unittest(line)
    if asked is not None or (statement is not None and statement.startswith(("raise ", "assert"))):
        return None
    return split_unittest(line, strict=True)


def asked_fields(form: str, asked: Asked | None) -> dict[str, object]:
    """The fields of a comparison that its source tells."""
    fields: dict[str, object] = {"form": form}
    if asked is not None:
        fields |= {"expression": asked.expression, "call": asked.call, "left_source": asked.left, "right_source": asked.right}
    return fields


def _compare(unit: Unit, text: Text, row: Row, sides: Sides, form: str, asked: Asked | None, shift: int) -> None:
    index, column, _ = row
    fields = {**asked_fields(form, asked), "left": sides.left, "operator": sides.operator, "right": sides.right}
    spans: dict[str, Span] = {"": text.whole(index)}
    for name, start, value in (("left", sides.at, sides.left), ("right", sides.right_at, sides.right)):
        if value:
            spans[name] = text.span(index, column + shift + start, column + shift + start + len(value))
    unit.extras.append(Extra("comparison", fields, spans))


def _side_span(text: Text, rows: list[Row], side: Side) -> Span:
    index, column, _ = rows[side.row]
    start = column + side.column
    return text.span(index, start, start + len(side.text.partition("\n")[0]))
