"""Why: one door for raw text of any kind: the pre-layer, then each grammar in a fixed order, then numbered facts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from tollens.facts.fact import Draft
from tollens.parsers.collect import Collected
from tollens.parsers.emit import Emitter
from tollens.parsers.limits import DEFAULT, Limits
from tollens.parsers.page import Grammar, Page
from tollens.parsers.prefixes import without_prefixes
from tollens.parsers.pytest_report import PytestReport
from tollens.parsers.python_traceback import PythonTraceback
from tollens.parsers.rare import AFTER_TRACEBACKS, BEFORE_TRACEBACKS, FIRST
from tollens.parsers.source import Mask, Source
from tollens.parsers.text import RawLines, Text, clean_text
from tollens.parsers.unittest_report import UnittestReport
from tollens.parsers.windows import Part, Windows

#: The grammars in the order in which they may claim lines: reports first, then what may stand inside them.
GRAMMARS: tuple[Grammar, ...] = (FIRST, PytestReport(), UnittestReport(), BEFORE_TRACEBACKS, PythonTraceback(), AFTER_TRACEBACKS)


class Parsed(NamedTuple):
    """What a raw text says: drafts of facts in their canonical order, and the text with its raw lines by number.

    Of a text that is too long to be held, only the raw lines are there that facts cite.
    """

    drafts: tuple[Draft, ...]
    text: Text


#: A text with more NUL characters than one in so many is binary.
_NUL_SHARE = 1000


def parse(data: bytes | str, *, limits: Limits = DEFAULT) -> Parsed:
    """The facts that stand in the output of a failed run (spec 13, 3.1 (a)). Never raises on any input.

    Signals are numbered by position from 1; spans give raw lines (from 1) and columns in characters (from 0). Text with
    NUL characters throughout is binary and gives no signals. What began like a known grammar and did not go on, and what was cut
    by a limit, is a `truncated` fact.
    """
    return parse_stream([data.encode("utf-8", "replace") if isinstance(data, str) else data], limits=limits)


def parse_stream(chunks: Iterable[bytes], *, mask: Mask | None = None, limits: Limits = DEFAULT) -> Parsed:
    """The same for bytes that come piece by piece, of any number and size, in bounded memory.

    `mask` hides secrets before anything is kept. Raises only what `chunks` raises.
    """
    source = Source(chunks, mask, limits)
    windows = Windows(limits)
    collected = Collected(limits)
    text, whole = clean_text([], []), True
    for part in windows.parts(source):
        whole = part.starts and part.ends and not windows.left_out
        if not _is_binary(source):
            text = _read(part, collected, limits, whole=whole)
    drafts: list[Draft] = []
    if not _is_binary(source):
        for flag in windows.flags():
            collected.flag(flag)
        drafts = collected.drafts()
    if not whole:
        numbers = sorted(collected.raw)
        text = Text(RawLines([collected.raw[number] for number in numbers], numbers, windows.total), [], [], {})
    fields = {
        "digest": source.digest(),
        "lines": windows.total,
        "characters": source.characters,
        "signals": sum(draft.kind == "signal" for draft in drafts),
        "binary": _is_binary(source),
    }
    return Parsed((Draft("raw_text", fields, {}, ("parser", "text")), *drafts), text)


def _is_binary(source: Source) -> bool:
    return source.nuls * _NUL_SHARE > source.kept


def _read(part: Part, collected: Collected, limits: Limits, *, whole: bool) -> Text:
    text = without_prefixes(clean_text(part.lines, part.numbers, limits, part.lost))
    page = Page(text, limits, starts=part.starts, ends=part.ends)
    for cut in text.cuts:
        page.truncated(cut.line, "text", cut.reason, cut.lost)
    for grammar in GRAMMARS:
        grammar.read(page)
    Emitter(page, collected, whole=whole).emit()
    return text
