"""Why: numerical libraries print the two sides of a failed comparison on labelled lines of their own."""

from __future__ import annotations

from tollens.facts.fact import Span
from tollens.parsers.call import Asked, asserts
from tollens.parsers.page import Extra, Unit
from tollens.parsers.patterns import Pattern
from tollens.parsers.text import Text
from tollens.parsers.wording import Row

_SIDE = Pattern(r"\s*(x|y|ACTUAL|DESIRED|\[left\]|\[right\]):\s+(\S.*)$")
_SIDES = {"x": "left", "ACTUAL": "left", "[left]": "left", "y": "right", "DESIRED": "right", "[right]": "right"}
#: What numpy says above its sides; without it, `x:` and `y:` are any author's words.
_NUMPY = ("Arrays are not", "Not equal to tolerance", "ismatch", "Items are not equal", "not almost equal", "not less-ordered", "ULP")


def read_library_sides(unit: Unit, text: Text, rows: list[Row], asked: Asked | None) -> bool:
    """Put numpy's or pandas' sides onto the unit, if both are there; a side goes on to the next label."""
    values: dict[str, list[str]] = {}
    spans: dict[str, Span] = {}
    side, form, announced = None, "numpy", False
    for index, column, line in rows:
        found = _SIDE.match(line) if ":" in line else None
        announced = announced or any(sign in line for sign in _NUMPY)
        if found is not None and _SIDES[found.group(1)] not in values:
            form = "pandas" if found.group(1)[0] == "[" else "numpy"
            side = _SIDES[found.group(1)]
            values[side] = [found.group(2).rstrip()]
            spans[side] = text.span(index, column + found.start(2), column + found.start(2) + len(values[side][0]))
        elif side is not None and line[:1] == " " and line.strip():
            values[side].append(line.strip())
        else:
            side = None
    if len(values) < 2 or (form == "numpy" and not announced):
        return False
    fields: dict[str, object] = {"form": form}
    if asked is not None and asserts(asked):
        fields |= {"expression": asked.expression, "call": asked.call, "left_source": asked.left, "right_source": asked.right}
    fields |= {name: "\n".join(lines) for name, lines in values.items()}
    unit.extras.append(Extra("comparison", fields, spans))
    return True
