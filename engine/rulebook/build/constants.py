"""Why: a constant takes the form of the field it is compared with or written to; where it cannot, the author learns why."""

from __future__ import annotations

from tollens.engine.rulebook.build.scope import Raw, World, scalar_constant
from tollens.engine.rulebook.source.nodes import Node, Scalar, Seq
from tollens.engine.rulebook.source.problems import fault
from tollens.engine.rulebook.source.shapes import what
from tollens.engine.rulebook.syntax import Place
from tollens.facts.kind import Field, coerce
from tollens.facts.values import Value


def constant(node: Node, world: World) -> Raw:
    """A constant as it is written: a scalar, or a list of texts."""
    if isinstance(node, Scalar):
        return scalar_constant(node, world)
    if isinstance(node, Seq):
        items = [item for part in node.items for item in list_items(part, world)]
        if all(isinstance(item, str) for item in items):
            return tuple(str(item) for item in items)
        raise fault(node.place, "a list may hold texts only", expected="a list of texts", next_step="put the items in quotes")
    raise fault(node.place, f"a constant must stand here, not {what(node)}", expected="a text, number, truth value or list of texts")


def list_items(node: Node, world: World) -> tuple[str | int | float | bool, ...]:
    """What one item of a list stands for: itself, or all texts of a table entry that is a list."""
    if not isinstance(node, Scalar):
        raise fault(node.place, f"an item of a list must be a constant, not {what(node)}", expected="a constant")
    raw = scalar_constant(node, world)
    return raw if isinstance(raw, tuple) else (raw,)


def fit(raw: Raw, field: Field, place: Place, subject: str) -> Value:
    """A constant in the form of a field; the error names the field's type and, for an enum, its members and the nearest of them."""
    if field.type == "ref":
        raise fault(
            place,
            f"{subject} is {_described(field)}: no constant can stand for a fact",
            expected="$alias",
            next_step="bind the fact with `as:` and write `$alias`",
        )
    try:
        return coerce(field, raw)
    except ValueError as error:
        if field.type == "enum":
            raise fault(
                place,
                f"{subject} cannot be {raw!r:.60}",
                expected=f"a member of {field.name}",
                choices=field.choices,
                found=raw if isinstance(raw, str) else "",
                next_step="write one of the choices",
            ) from None
        if type(raw) in (int, float) and field.type in ("int", "number") and not (field.type == "int" and isinstance(raw, float)):
            raise fault(place, str(error), expected="a number within bounds") from None
        hint = "put it in quotes" if field.type == "text" and not isinstance(raw, tuple) else ""
        raise fault(place, f"{subject} must be {_described(field)}, not {raw!r:.60}", expected=_described(field), next_step=hint) from None


def _described(field: Field) -> str:
    return field._replace(optional=False).describe()
