"""Why: the envelope that every fact travels in: what it says, where in the raw text it stands, who said it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tollens.facts.kind import Kind, coerce_all
from tollens.facts.values import Value, digest, unscaled


class Span(NamedTuple):
    """A stretch of one raw line: `line` counts from 1, `start` and `end` are columns in characters from 0."""

    line: int
    start: int
    end: int


class Draft(NamedTuple):
    """A fact before it is stored: what a parser, measure, caller or pack row asserts.

    `spans` maps a field's name to where its text stands in the raw signal; "" is the whole fact.
    `origin` is (producer family, producer name), for example ("parser", "pytest").
    """

    kind: str
    fields: Mapping[str, object]
    spans: Mapping[str, Span] = {}
    origin: tuple[str, str] = ("caller", "")


def fact_id(kind: str, *key: Value) -> str:
    """The id of the fact of a kind with these values of its key fields, so that a parser can refer to what it asserts."""
    return f"{kind}:{digest(kind, *key)}"


class BadFact(ValueError):
    """A fact that does not fit its kind; the message says which field, what was expected and who asserted it."""


class Fact:
    """One fact in a session. Values stand in the order of the kind's fields; `seq` is its canonical position."""

    __slots__ = ("id", "kind", "origin", "seq", "spans", "values")

    def __init__(self, kind: Kind, values: tuple[Value, ...], spans: Mapping[str, Span], origin: tuple[str, str], seq: int = -1) -> None:
        self.kind = kind
        self.values = values
        self.spans = spans
        self.origin = origin
        self.seq = seq
        keyed = values if kind.whole else [values[position] for position in kind.key_positions]
        self.id = f"{kind.name}:{digest(kind.name, *keyed)}"

    def get(self, field: str) -> Value:
        """The value of a field; `id` and `seq` are fields of every fact."""
        if field == "id":
            return self.id
        if field == "seq":
            return self.seq
        return self.values[self.kind.index[field]]

    def plain(self) -> dict[str, object]:
        """The fields as plain JSON data, numbers unscaled, absent ones left out."""
        result: dict[str, object] = {}
        for field, value in zip(self.kind.fields, self.values, strict=True):
            if value is None:
                continue
            if field.type == "number" and isinstance(value, int):
                result[field.name] = unscaled(value)
            else:
                result[field.name] = list(value) if isinstance(value, tuple) else value
        return result

    def __repr__(self) -> str:
        return f"<{self.id} #{self.seq} {self.plain()!r}>"


def make_fact(kind: Kind, draft: Draft) -> Fact:
    """A checked fact from a draft; BadFact names the field, the expected type and the producer."""
    if not draft.fields.keys() <= kind.index.keys():
        unknown = next(name for name in draft.fields if name not in kind.index)
        raise BadFact(f"{_producer(draft)}: {kind.name} has no field {unknown!r}; its fields are {', '.join(kind.index)}")
    try:
        return Fact(kind, coerce_all(kind, draft.fields), draft.spans, draft.origin)
    except UnicodeEncodeError:
        raise BadFact(f"{_producer(draft)}: {kind.name} holds text that is not valid Unicode (a lone surrogate)") from None
    except ValueError as error:
        raise BadFact(f"{_producer(draft)}: {kind.name}: {error}") from None


def _producer(draft: Draft) -> str:
    return ":".join(part for part in draft.origin if part)
