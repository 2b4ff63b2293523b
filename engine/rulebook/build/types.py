"""Why: both sides of a comparison, and a value and the field it is written to, must fit; this module says when they do."""

from __future__ import annotations

from typing import NamedTuple

from tollens.facts.kind import Field, Kind

#: Pseudo-fields of every fact.
ID = "id"
SEQ = "seq"


class Type(NamedTuple):
    """The type of an expression: a field type, the members or kinds it may have, and whether it is written as a constant."""

    base: str
    choices: tuple[str, ...] = ()
    ordered: bool = False
    literal: bool = False

    def describe(self) -> str:
        """The type as an error message says it."""
        if self.base == "enum":
            return f"one of {', '.join(self.choices)}"
        if self.base == "ref":
            return f"a reference to {' or '.join(self.choices) or 'any fact'}"
        if self.base == "list":
            return "a list of texts"
        return {"text": "a text", "int": "an int", "number": "a number", "bool": "a truth value"}[self.base]


TEXT = Type("text")
INT = Type("int")
NUMBER = Type("number")


def of_field(field: Field) -> Type:
    """The type of a field's value."""
    return Type(field.type, field.choices, field.ordered)


def fields_of(kind: Kind) -> dict[str, Field]:
    """All that can be asked of a fact of a kind: its fields, `id` and `seq`."""
    known = {field.name: field for field in kind.fields}
    return {**known, ID: Field(ID, "ref", False, (kind.name,)), SEQ: Field(SEQ, "int")}


def overlaps(left: tuple[str, ...], right: tuple[str, ...]) -> bool:
    """Whether two sets of kinds or members have one in common; none named means any."""
    return not left or not right or any(item in right for item in left)


def comparable(left: Type, right: Type, op: str) -> str:
    """Why two values cannot be compared by an operator; "" when they can. Texts and enums are compared as texts."""
    if "list" in (left.base, right.base):
        return "lists cannot be compared"
    if op in ("gt", "gte", "lt", "lte"):
        for side in (left, right):
            if side.base not in ("int", "number") and not (side.base == "enum" and side.ordered):
                return f"{side.describe()} has no order"
        if left.base == "enum" and right.base == "enum" and left.choices != right.choices:
            return "the two enums do not have the same members in the same order"
    if left.base != right.base and {left.base, right.base} != {"text", "enum"}:
        return f"{left.describe()} and {right.describe()} are different types"
    if left.base == right.base and left.base in ("ref", "enum") and not overlaps(left.choices, right.choices):
        return f"{left.describe()} and {right.describe()} have nothing in common"
    return ""


def assignable(have: Type, field: Field) -> str:
    """Why a value cannot be written to a field; "" when it can. A reference must have a kind in common with the field's."""
    if have.base == field.type:
        if have.base == "enum" and not set(have.choices) <= set(field.choices):
            other = next(item for item in have.choices if item not in field.choices)
            return f"{have.describe()} may be {other}, which {field.name} may not"
        if have.base == "ref" and not overlaps(have.choices, field.choices):
            return f"it is {have.describe()}"
        return ""
    if have.base == "enum" and field.type == "text":
        return ""
    return f"it is {have.describe()}"
