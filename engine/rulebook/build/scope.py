"""Why: what a name stands for at one place of a rule file: bound facts, computed values, and the packs' kinds and tables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from tollens.engine.errors import PackError
from tollens.engine.rulebook.build.types import ID, Type, fields_of, of_field
from tollens.engine.rulebook.measures import MeasureSignature
from tollens.engine.rulebook.source.nodes import Scalar
from tollens.engine.rulebook.source.problems import Followup, Problems, fault, unknown
from tollens.engine.rulebook.source.shapes import what
from tollens.engine.rulebook.syntax import Const, Name, Place, Ref
from tollens.facts.kind import Field, Kind, KindTable
from tollens.facts.values import Value, scaled

#: Names that the language uses itself and that no alias or let may take.
RESERVED = ("tables", "number", "nearest", "group", "size", "member")

_REFERENCE = re.compile(r"([A-Za-z][A-Za-z0-9_]*)(?:\.([A-Za-z][A-Za-z0-9_]*))?", re.ASCII)

Raw = str | int | float | bool | tuple[str, ...]


class Table(NamedTuple):
    """One entry of `tables`: the value as written (numbers unscaled) and where it stands."""

    name: str
    value: Raw
    place: Place
    pack: str


class World(NamedTuple):
    """What all rule files share. `broken` are kinds whose declaration has a fault: what a rule says of them cannot be judged."""

    kinds: KindTable
    broken: frozenset[str]
    tables: Mapping[str, Table]
    stages: tuple[str, ...]
    measures: Mapping[str, MeasureSignature]
    problems: Problems

    def kind(self, key: Scalar) -> Kind:
        """The kind that a key names."""
        if key.text in self.broken:
            raise Followup(f"the declaration of {key.text} has a fault", place=key.place)
        if key.text in self.kinds:
            return self.kinds[key.text]
        raise unknown(key.place, f"there is no kind {key.text!r:.60}", key.text, self.kinds.names(), "a declared kind", "packs")

    def table(self, name: str, place: Place) -> Raw:
        """The value of a table entry."""
        if name in self.tables:
            return self.tables[name].value
        raise unknown(place, f"there is no table entry {name!r:.60}", name, sorted(self.tables), "an entry of `tables`", "packs")


def field_of(kind: Kind, name: str, place: Place) -> Field:
    """A field of a kind (or `id`, `seq`)."""
    fields = fields_of(kind)
    if name in fields:
        return fields[name]
    raise unknown(place, f"{kind.name} has no field {name!r:.60}", name, sorted(kind.index), f"a field of {kind.name}", "rules")


def constant_type(value: Raw) -> Type:
    """The type of a constant as it is written."""
    if isinstance(value, bool):
        return Type("bool", literal=True)
    if isinstance(value, int):
        return Type("int", literal=True)
    if isinstance(value, float):
        return Type("number", literal=True)
    return Type("list" if isinstance(value, tuple) else "text", literal=True)


def constant_value(value: Raw, place: Place) -> Value:
    """A constant as the evaluators keep it: decimal numbers become millionths."""
    if isinstance(value, float):
        try:
            return scaled(value)
        except ValueError as error:
            raise fault(place, f"{value!r} cannot be used: {error}", expected="a number within bounds") from None
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**62:
        raise fault(place, f"{value} cannot be used: it must be smaller than 2**62 in magnitude", expected="an int within bounds")
    return value


class Scope:
    """The names that are bound where an expression or test stands.

    `partial` names what only some of the alternatives of an `any` bind, with the reason as the message says it; `broken` names what would
    be bound by something that has a fault of its own.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.aliases: dict[str, Kind] = {}
        self.names: dict[str, Type] = {}
        self.partial: dict[str, str] = {}
        self.broken: set[str] = set()

    def copy(self) -> Scope:
        """A scope that can grow on its own."""
        other = Scope(self.world)
        other.aliases = dict(self.aliases)
        other.names = dict(self.names)
        other.partial = dict(self.partial)
        other.broken = set(self.broken)
        return other

    def reference(self, text: str, place: Place) -> tuple[Ref | Name, Type]:
        """What `alias`, `alias.field` or `name` (without the `$`) stands for."""
        found = _REFERENCE.fullmatch(text)
        if found is None:
            raise fault(
                place,
                f"{'$' + text!r:.60} is not a reference",
                expected="$alias, $alias.field, $name or $tables.NAME",
                next_step="write `$$` for a text that begins with `$`",
            )
        name, field = found.group(1), found.group(2)
        if name in self.aliases:
            kind = self.aliases[name]
            return Ref(name, field or ID), of_field(field_of(kind, field or ID, place))
        if name in self.names and field is None:
            return Name(name), self.names[name]
        raise self._unbound(name, field, place)

    def _unbound(self, name: str, field: str | None, place: Place) -> PackError:
        if name in self.broken:
            return Followup("what binds this name has a fault", place=place)
        if name in self.partial:
            return fault(place, f"${name} {self.partial[name]}", expected="a name that every alternative binds to one kind")
        if name in self.names:
            return fault(
                place, f"${name} is a computed value and has no field {field!r}", expected=f"${name}", next_step=f"write `${name}`"
            )
        choices = sorted("$" + known for known in (*self.aliases, *self.names) if not known.startswith("_"))
        error = fault(place, f"nothing is bound to ${name:.60}", expected="a bound name", choices=choices, found="$" + name)
        error.next_step = f"write `{error.nearest}`" if error.nearest else "bind it with `as:` in a pattern that stands before"
        return error

    def value(self, node: Scalar) -> tuple[Const | Ref | Name, Type]:
        """A scalar as a constant or reference. Constants keep the type they are written in."""
        if isinstance(node.value, str) and node.value.startswith("$") and not node.value.startswith(("$$", "$tables.")):
            return self.reference(node.value[1:], node.place)
        raw = scalar_constant(node, self.world)
        return Const(constant_value(raw, node.place)), constant_type(raw)


def scalar_constant(node: Scalar, world: World) -> Raw:
    """A scalar that must be a constant: `$tables.NAME` is replaced by its value and `$$` at the start stands for `$`."""
    value = node.value
    if value is None:
        raise fault(
            node.place,
            "a value is missing here",
            expected="a constant or a reference",
            next_step='write the value; the text null needs quotes: "null"',
        )
    if isinstance(value, str) and value.startswith("$"):
        if value.startswith("$$"):
            return value[1:]
        if value.startswith("$tables."):
            return world.table(value[len("$tables.") :], node.place)
        raise fault(
            node.place,
            f"a constant must stand here, not {what(node)}",
            expected="a constant or $tables.NAME",
            next_step="write `$$` for a text that begins with `$`",
        )
    return value
