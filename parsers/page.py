"""Why: grammars share one page: they claim lines on it and put down what they found, and nothing is numbered until all have read it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from tollens.facts.fact import Span
from tollens.parsers.limits import Limits
from tollens.parsers.text import Text


class FrameFound(NamedTuple):
    """A frame as printed; the fields are those of a `stack_frame` fact."""

    file: str
    line: int | None
    function: str | None
    source: str | None = None
    marked: str | None = None
    repeated: int | None = None
    spans: Mapping[str, Span] = {}


class Extra(NamedTuple):
    """A fact about one signal; the signal's reference (and a detail's number) is filled in when signals have numbers."""

    kind: str
    fields: Mapping[str, object]
    spans: Mapping[str, Span] = {}


class Loose(NamedTuple):
    """A fact that is about no signal, at a raw line."""

    line: int
    kind: str
    fields: Mapping[str, object]
    spans: Mapping[str, Span] = {}


class Unit:
    """A signal before it has a number. `first` and `last` are clean line numbers of the whole text, both inclusive."""

    __slots__ = (
        "chain",
        "class_name",
        "extras",
        "first",
        "frames",
        "grammar",
        "group",
        "last",
        "member",
        "message",
        "parent",
        "record_type",
        "relation",
        "section",
        "spans",
    )

    def __init__(self, record_type: str, grammar: str, first: int, last: int) -> None:
        self.record_type = record_type
        self.grammar = grammar
        self.first = first
        self.last = last
        self.class_name: str | None = None
        self.message: str | None = None
        self.frames: list[FrameFound] = []
        self.extras: list[Extra] = []
        self.spans: dict[str, Span] = {}
        self.chain: list[Unit] | None = None
        self.relation = "first"
        self.parent: Unit | None = None
        self.section: str | None = None
        self.group: Unit | None = None
        self.member = 0


class Region(NamedTuple):
    """Lines that stand inside a test's block, as its body (`section` None) or as output captured while it ran."""

    first: int
    last: int
    test: Unit
    section: str | None


class Grammar(Protocol):
    """One grammar: reads the lines of the page that are still free, claims those it understands, puts down units and loose facts.

    Adding a grammar is one module with such an object and one entry in `tollens.parsers.rare`, with the signs by which it is loaded.
    """

    name: str

    def read(self, page: Page) -> None:
        """Read the page. Never raises, whatever the text; works in time that is linear in it."""


class Page:
    """The text under the grammars' hands."""

    __slots__ = ("_taken", "ends", "headless", "limits", "loose", "regions", "starts", "text", "units")

    def __init__(self, text: Text, limits: Limits, *, starts: bool = True, ends: bool = True) -> None:
        self.text = text
        self.limits = limits
        #: Whether the text begins and ends here; where it does not, the page is a part of a text that is too long to be seen at once.
        self.starts = starts
        self.ends = ends
        self.units: list[Unit] = []
        self.loose: list[Loose] = []
        self.regions: list[Region] = []
        #: Clean lines at which a traceback begins that never had a header, so that none is missing.
        self.headless: set[int] = set()
        self._taken = bytearray(len(text))

    def claim(self, first: int, last: int) -> None:
        """Take the clean lines from `first` to `last`, both inclusive."""
        if last >= first:
            self._taken[first : last + 1] = b"\x01" * (last + 1 - first)

    def free(self, index: int) -> bool:
        """Whether no grammar has claimed the line."""
        return not self._taken[index]

    def free_end(self, index: int) -> int:
        """The first claimed line from `index` on, or the number of lines."""
        found = self._taken.find(1, index)
        return len(self._taken) if found < 0 else found

    def truncated(self, line: int, grammar: str, reason: str, lost: int = 0) -> None:
        """Flag a fragment at a raw line; `lost` counts characters or lines that are not there, 0 where nobody can tell."""
        fields = {"line": line, "grammar": grammar, "reason": reason, "lost": lost}
        spans = {"": Span(line, 0, len(self.text.raw(line)))}
        self.loose.append(Loose(line, "truncated", fields, spans))
