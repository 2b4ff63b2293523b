"""Why: one case with a table of rows says what many near-equal cases would say, and each row is still named, run and told by itself."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tollens.engine.rulebook.source.nodes import Map, Node, Scalar, Seq
from tollens.engine.rulebook.source.problems import fault, unknown
from tollens.engine.rulebook.source.shapes import want_list, want_map, want_name

_PLACE = re.compile(r"\$\(([A-Za-z][A-Za-z0-9_]*)\)")
_FORM = "a list of `{NAME: VALUE}`"


def rows_of(node: Node) -> list[dict[str, Scalar]]:
    """The rows of `each`: the same names in all of them, each with one value."""
    rows: list[dict[str, Scalar]] = []
    for item in want_list(node, "`each`", _FORM).items:
        row: dict[str, Scalar] = {}
        for name, value in want_map(item, "a row of `each`", "`{NAME: VALUE}`").entries:
            want_name(name, "a name in `each`")
            if not isinstance(value, Scalar):
                raise fault(value.place, f"{name.text} must be a single value", expected="a text, a number, true, false or nothing")
            row[name.text] = value
        if rows and list(row) != list(rows[0]):
            names = ", ".join(rows[0])
            raise fault(item.place, f"this row of `each` has other names than the first: {', '.join(row)}", expected=names)
        rows.append(row)
    if not rows or not rows[0]:
        raise fault(node.place, "`each` is empty", expected=_FORM, next_step="write a row, or leave `each` out")
    return rows


def filled(node: Node, row: Mapping[str, Scalar]) -> Node:
    """The node with each `$(NAME)` replaced by the row's value; a text that is nothing else takes the value as it is."""
    if isinstance(node, Map):
        return Map(tuple([(key, filled(value, row)) for key, value in node.entries]), node.place)
    if isinstance(node, Seq):
        return Seq(tuple([filled(item, row) for item in node.items]), node.place)
    if not isinstance(node.value, str) or "$(" not in node.value:
        return node
    whole = _PLACE.fullmatch(node.value)
    if whole:
        value = _value(whole, row, node)
        return Scalar(value.value, value.text, node.place)
    text = _PLACE.sub(lambda found: _value(found, row, node).text, node.value)
    return Scalar(text, text, node.place)


def _value(found: re.Match[str], row: Mapping[str, Scalar], node: Scalar) -> Scalar:
    name = found.group(1)
    if name not in row:
        raise unknown(node.place, f"the rows of `each` have no {name!r:.60}", name, list(row), "a name of `each`", "rules")
    return row[name]
