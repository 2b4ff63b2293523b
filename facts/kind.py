"""Why: a kind says which fields a fact has, so that rules can be checked before anything runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from tollens.facts.values import INT_LIMIT, Value, scaled


class Field(NamedTuple):
    """One field of a kind. `choices` are an enum's members in declared order, or the kinds a ref may point at."""

    name: str
    type: str
    optional: bool = False
    choices: tuple[str, ...] = ()
    ordered: bool = False
    doc: str = ""

    @property
    def comparable(self) -> bool:
        """Whether `gt gte lt lte` mean something: ints, numbers, and enums that declare an order."""
        return self.type in ("int", "number") or (self.type == "enum" and self.ordered)

    def describe(self) -> str:
        """The type as an error message says it."""
        text = self.type
        if self.type == "enum":
            text = f"one of {', '.join(self.choices)}"
        elif self.type == "ref":
            text = f"a reference to {' or '.join(self.choices) or 'any fact'}"
        return text + (" or nothing" if self.optional else "")


_PLAIN_TYPES: Mapping[str, type] = {"text": str, "ref": str, "bool": bool, "int": int}


class Kind:
    """A kind of fact: its fields, the fields that make its identity, and what it is for.

    Without `key` all fields are the identity; with an empty one there is at most one fact of the kind.
    """

    __slots__ = (
        "closes",
        "doc",
        "fields",
        "index",
        "key",
        "key_positions",
        "name",
        "origin",
        "plain_types",
        "references",
        "rival",
        "verdict",
        "whole",
    )

    def __init__(
        self,
        name: str,
        fields: Iterable[Field],
        *,
        key: Iterable[str] | None = None,
        rival: bool = False,
        verdict: bool = False,
        closes: str = "",
        doc: str = "",
        origin: str = "",
    ) -> None:
        self.name = name
        self.fields = tuple(fields)
        self.index = {field.name: position for position, field in enumerate(self.fields)}
        self.key = tuple(self.index) if key is None else tuple(key)
        self.key_positions = tuple([self.index[name] for name in self.key])
        self.rival = rival
        self.verdict = verdict
        self.closes = closes
        self.doc = doc
        self.origin = origin
        #: The positions of the fields that refer to other facts.
        self.references = tuple([position for position, field in enumerate(self.fields) if field.type == "ref"])
        #: Whether the identity is made of all values as they stand.
        self.whole = rival or self.key == tuple(self.index)
        #: For each field, the type of values that are kept as they are (None: `coerce` has to look at all of them).
        self.plain_types = tuple([_PLAIN_TYPES.get(field.type) for field in self.fields])

    def field(self, name: str) -> Field:
        """The field of that name; KeyError where there is none."""
        return self.fields[self.index[name]]

    def __repr__(self) -> str:
        return f"Kind({self.name!r}, fields={list(self.index)!r})"

    def to_json(self) -> list[object]:
        """The kind as plain JSON data, for the kind table and the pack cache."""
        fields = [list(field) for field in self.fields]
        return [self.name, fields, list(self.key), self.rival, self.verdict, self.closes, self.doc, self.origin]

    @classmethod
    def from_json(cls, data: list[object]) -> Kind:
        """The inverse of `to_json`."""
        name, fields, key, rival, verdict, closes, doc, origin = data
        assert isinstance(fields, list)
        assert isinstance(key, list)
        made = [Field(n, t, o, tuple(c), r, d) for n, t, o, c, r, d in fields]
        return cls(str(name), made, key=key, rival=bool(rival), verdict=bool(verdict), closes=str(closes), doc=str(doc), origin=str(origin))


class KindTable:
    """The kinds that a session knows, by name."""

    __slots__ = ("_kinds",)

    def __init__(self, kinds: Iterable[Kind] = ()) -> None:
        self._kinds = {kind.name: kind for kind in kinds}

    def __getitem__(self, name: str) -> Kind:
        return self._kinds[name]

    def __contains__(self, name: object) -> bool:
        return name in self._kinds

    def __iter__(self) -> Iterator[Kind]:
        return iter(self._kinds.values())

    def __len__(self) -> int:
        return len(self._kinds)

    def names(self) -> list[str]:
        """All names, sorted."""
        return sorted(self._kinds)

    def extended(self, kinds: Iterable[Kind]) -> KindTable:
        """A new table with more kinds; ValueError where a name is taken."""
        table = KindTable(self._kinds.values())
        for kind in kinds:
            if kind.name in table._kinds:
                raise ValueError(f"the kind {kind.name} is declared twice")
            table._kinds[kind.name] = kind
        return table


def coerce_all(kind: Kind, given: Mapping[str, object]) -> tuple[Value, ...]:
    """The values of all fields of a kind in their order, each as `coerce` gives it; what `given` has besides is not looked at."""
    values: list[Any] = []
    for field, plain in zip(kind.fields, kind.plain_types, strict=True):
        value = given.get(field.name)
        if type(value) is plain and (type(value) is not int or -INT_LIMIT < value < INT_LIMIT):
            values.append(value)
        else:
            values.append(coerce(field, value))
    return tuple(values)


def coerce(field: Field, value: object) -> Value:
    """The value as the field keeps it (numbers become scaled ints); ValueError says what was expected.

    A ref is checked for its shape only: whether it points at a fact is the store's to know.
    """
    if value is None:
        if field.optional:
            return None
        raise ValueError(f"{field.name} needs a value: {field.describe()}")
    if isinstance(value, str):
        if field.type in ("text", "ref") or (field.type == "enum" and value in field.choices):
            return value
    elif isinstance(value, bool):
        if field.type == "bool":
            return value
    elif isinstance(value, list | tuple):
        if field.type == "list" and all(isinstance(item, str) for item in value):
            return tuple(value)
    elif field.type == "number" and isinstance(value, int | float):
        return scaled(value)
    elif field.type == "int" and isinstance(value, int):
        if abs(value) >= INT_LIMIT:
            raise ValueError(f"{field.name} must be smaller than 2**62 in magnitude")
        return value
    raise ValueError(f"{field.name} must be {field.describe()}, not {value!r:.80}")
