"""Why: the kinds that the engine itself asserts, so that rules can join and prove them like any other fact."""

from __future__ import annotations

from tollens.facts.kind import Field, Kind

MATCH = "match"
MATCH_GROUP = "match_group"
PASSED_OVER = "passed_over"
TIED = "tied"

#: For each engine kind, the field that holds the id of the entry that asserted it ("" where it has none).
PRODUCER_FIELDS = {MATCH: "pattern", MATCH_GROUP: "", PASSED_OVER: "by", TIED: "by"}


def _kind(name: str, doc: str, *fields: Field) -> Kind:
    return Kind(name, fields, doc=doc, origin="engine")


ENGINE_KINDS: tuple[Kind, ...] = (
    _kind(
        MATCH,
        "the first match of a named pattern in a text; start and end count characters of the field's text from 0",
        Field("pattern", "text"),
        Field("fact", "ref"),
        Field("field", "text"),
        Field("start", "int"),
        Field("end", "int"),
        Field("text", "text"),
    ),
    _kind(
        MATCH_GROUP,
        "a named group that took part in a match",
        Field("match", "ref", False, (MATCH,)),
        Field("name", "text"),
        Field("start", "int"),
        Field("end", "int"),
        Field("text", "text"),
    ),
    _kind(
        PASSED_OVER,
        "a row that lost an election, and the key that decided it",
        Field("by", "text"),
        Field("key", "text"),
        Field("loser", "ref"),
        Field("winner", "ref"),
    ),
    _kind(
        TIED,
        "two rows of an election that only its last key told apart",
        Field("by", "text"),
        Field("first", "ref"),
        Field("second", "ref"),
    ),
)
