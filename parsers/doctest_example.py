"""Why: a doctest's failure is printed as what was expected and what came; the same reader serves doctest's report and pytest's."""

from __future__ import annotations

from tollens.facts.fact import Span
from tollens.parsers.page import Extra, FrameFound, Page, Unit
from tollens.parsers.patterns import indent
from tollens.parsers.text import Text

NAME = "python_doctest"
_HEADS = {"Expected:": "left", "Expected nothing": "left", "Got:": "right", "Got nothing": "right"}


def read_sides(page: Page, text: Text, first: int, end: int, test: Unit, frame: FrameFound | None) -> Unit | None:
    """Put down the comparison that stands in the lines from `first` to before `end`; None where not both sides are there."""
    sides: dict[str, list[int]] = {}
    heads: list[int] = []
    side = None
    for index in range(first, end):
        line = text.lines[index]
        known = _HEADS.get(line.strip())
        if known is not None and known not in sides:
            side, sides[known] = known, []
            heads.append(index)
        elif side is not None and (line[:1] == " " or not line.strip()):
            sides[side].append(index)
        elif side is not None:
            break
    if len(sides) < 2:
        return None
    last = max([*heads, *(row for rows in sides.values() for row in rows if text.lines[row].strip())])
    unit = Unit("assertion", NAME, text.base(heads[0]), text.base(last))
    unit.spans[""] = text.whole(heads[0])
    unit.message = "\n".join(text.lines[index].rstrip() for index in range(heads[0], last + 1))
    unit.spans["message"] = text.whole(heads[0])
    unit.parent = test
    if frame is not None:
        unit.frames = [frame]
    fields: dict[str, object] = {"form": "doctest", "expression": frame.source if frame is not None else None}
    spans: dict[str, Span] = {}
    for name, rows in sides.items():
        fields[name], span = _value(text, rows)
        if span is not None:
            spans[name] = span
    unit.extras.append(Extra("comparison", fields, spans or unit.spans))
    page.units.append(unit)
    return unit


def _value(text: Text, rows: list[int]) -> tuple[str, Span | None]:
    """The text of a side without its margin, and where its first line stands; nothing printed is an empty text."""
    while rows and not text.lines[rows[-1]].strip():
        rows = rows[:-1]
    if not rows:
        return "", None
    margin = min((indent(text.lines[row]) for row in rows if text.lines[row].strip()), default=0)
    first = next(row for row in rows if text.lines[row].strip())
    return "\n".join(text.lines[row][margin:].rstrip() for row in rows), text.span(first, margin, len(text.lines[first].rstrip()))
