"""Why: the values that joins compare, as integers; nothing else of a fact ever enters the engine.

Texts, references, ids and enumerations are numbered as they come; numbers are scaled integers already. An absent value becomes an
integer that nothing else has, so that no equality with it ever holds.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import NamedTuple

from tollens.engine.session.conditions import getter, ranks
from tollens.facts.fact import Fact
from tollens.facts.kind import Kind
from tollens.facts.values import INT_LIMIT

#: The forms of a column: the value itself, an ordered enumeration's rank, and 1 or 0 for present or absent.
VALUE, RANK, HELD = "value", "rank", "held"


class Column(NamedTuple):
    """One field of a kind in one form."""

    field: str
    form: str


class Numbering(dict[object, int]):
    """Texts and the integers that stand for them within one session of the engine."""

    def __missing__(self, text: object) -> int:
        number = self[text] = len(self) + 1
        return number


class Columns:
    """Makes the functions that read columns off facts."""

    def __init__(self) -> None:
        self._numbering = Numbering()
        self._absent = count(INT_LIMIT).__next__
        self._known: dict[tuple[str, Column], Callable[[Fact], int]] = {}

    def reader(self, kind: Kind, column: Column) -> Callable[[Fact], int]:
        """A function that gives a fact's integer for the column."""
        key = (kind.name, column)
        if key not in self._known:
            self._known[key] = self._make(kind, column)
        return self._known[key]

    def _make(self, kind: Kind, column: Column) -> Callable[[Fact], int]:
        number = self._numbering.__getitem__
        if column.field == "id":
            return lambda fact: number(fact.id)
        if column.field == "seq":
            return lambda fact: fact.seq
        declared, position = kind.field(column.field), kind.index[column.field]
        if column.form == HELD:
            return lambda fact: 1 if fact.values[position] is not None else 0
        if column.form == RANK:
            number = (ranks(kind, column.field) or {}).__getitem__  # type: ignore[assignment]  # an enumeration holds its members only
        elif declared.type in ("int", "number", "bool"):
            number = int  # type: ignore[assignment]  # these types hold ints and bools only
        if declared.optional:
            return self._optional(kind, column.field, number)
        return lambda fact: number(fact.values[position])

    def _optional(self, kind: Kind, field: str, number: Callable[[object], int]) -> Callable[[Fact], int]:
        get, absent = getter(kind, field), self._absent

        def read(fact: Fact) -> int:
            value = get(fact)
            return absent() if value is None else number(value)

        return read
