"""Why: below a failed comparison, tools explain where its sides differ; each kind of explanation gets its label."""

from __future__ import annotations

from tollens.parsers.comparison import top_level
from tollens.parsers.page import Extra, Unit
from tollens.parsers.patterns import Pattern
from tollens.parsers.text import Text
from tollens.parsers.wording import Row

_WHERE = Pattern(r"\s*\+\s+(where|and)\s+(\S.*)$")
_MARKS = {"- ": "minus", "+ ": "plus", "? ": "guide"}
#: Explanations on one line: how they begin, the label, and the sign before the part that is the text.
_NOTES = (
    ("At index ", "index_diff", " diff: "),
    ("Left contains ", "left_extra", "item: "),
    ("Right contains ", "right_extra", "item: "),
    ("{", "differing", ""),
)
#: Explanations whose text stands on the lines below: how they begin, how they end, and the labels of those lines.
_HEADS = (
    ("First differing element ", ":", ("index_left", "index_right")),
    ("First extra element ", ":", ("extra",)),
    ("Left contains ", ":", ("left_extra",)),
    ("Right contains ", ":", ("right_extra",)),
    ("Extra items in the left set:", "", ("left_extra",)),
    ("Extra items in the right set:", "", ("right_extra",)),
    ("Items in the first set but not the second:", "", ("left_extra",)),
    ("Items in the second set but not the first:", "", ("right_extra",)),
)
_LONGER = {"First ": "left_extra", "Second": "right_extra"}
_SHAPES = Pattern(r"\s*\(shapes (\(.*?\)), (\(.*?\)) mismatch\)\s*$")


def read_explanations(unit: Unit, text: Text, rows: list[Row]) -> None:
    """Put a labelled detail onto the unit for each line below the first that is not blank."""
    waiting = list(_waits(rows[0][2].strip())) if rows else []
    longer = "note"
    for row in rows[1:]:
        line = row[2]
        stripped = line.strip()
        if not stripped:
            continue
        if waiting and line[:2] not in _MARKS:
            _add(unit, text, row, waiting.pop(0), len(line) - len(line.lstrip()), stripped)
            continue
        if stripped.endswith(" additional elements."):
            longer = _LONGER.get(stripped[:6], "note")
        waiting = [longer if label == "extra" else label for label in _waits(stripped)]
        _one(unit, text, row, stripped)


def _waits(line: str) -> tuple[str, ...]:
    return next((labels for head, end, labels in _HEADS if line.startswith(head) and line.endswith(end)), ())


def _one(unit: Unit, text: Text, row: Row, stripped: str) -> None:
    line = row[2]
    where = _WHERE.match(line) if "+" in line else None
    if where is not None:
        _add(unit, text, row, where.group(1), where.start(2), where.group(2).rstrip())
        return
    shapes = _SHAPES.match(line) if "(shapes " in line else None
    if shapes is not None:
        _add(unit, text, row, "left_shape", *_group(shapes.span(1), line))
        _add(unit, text, row, "right_shape", *_group(shapes.span(2), line))
        return
    start = len(line) - len(line.lstrip())
    label, skip = _label(stripped)
    value = line[start + skip :].rstrip()
    _add(unit, text, row, label, start + skip, value)
    if label == "index_diff":
        _sides(unit, text, row, start + skip, value)


def _group(span: tuple[int, int], line: str) -> tuple[int, str]:
    return span[0], line[span[0] : span[1]]


def _sides(unit: Unit, text: Text, row: Row, start: int, value: str) -> None:
    """The two sides of `'a' != 'b'`, where the sign stands once outside of quotes and brackets."""
    marks = [mark for mark in top_level(value, angles=False) or () if mark[1] == "!="]
    if len(marks) == 1:
        column = marks[0][0]
        _add(unit, text, row, "index_left", start, value[:column])
        _add(unit, text, row, "index_right", start + column + 4, value[column + 4 :])


def _add(unit: Unit, text: Text, row: Row, label: str, start: int, value: str) -> None:
    index, column, _ = row
    spans = {"text": text.span(index, column + start, column + start + len(value))}
    unit.extras.append(Extra("detail", {"label": label, "text": value}, spans))


def _label(line: str) -> tuple[str, int]:
    """The label of an explanation and how many characters stand before its text."""
    if line[:2] in _MARKS:
        return _MARKS[line[:2]], 2
    for beginning, label, sign in _NOTES:
        if line.startswith(beginning) and (sign in line if sign else " != " in line):
            return label, line.index(sign) + len(sign)
    return "note", 0
