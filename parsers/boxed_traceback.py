"""Why: command-line tools print tracebacks in a drawn box, with the exception on the line below it."""

from __future__ import annotations

from tollens.facts.fact import Span
from tollens.parsers.page import FrameFound, Page, Unit
from tollens.parsers.patterns import Pattern, number
from tollens.parsers.printed_chain import PrintedChain
from tollens.parsers.text import Text
from tollens.parsers.traceback_one import exception_line, set_exception

NAME = "rich_traceback"

_TOP = Pattern(r"\s*[╭┌+][─-]+ Traceback \(most recent call last\) [─-]+[╮┐+]\s*$")
_ENTRY = Pattern(r"\s*[│|] (\S.*?):([0-9]+) in (\S.*?)\s*[│|]?\s*$")
_ARROW = Pattern(r"\s*[│|] ❱ *([0-9]+) (.*?)\s*[│|]?\s*$")
_SIDES, _BOTTOMS = ("│", "|"), ("╰", "└", "+")


class BoxedTraceback:
    """Tracebacks in boxes, with locals or without, and chains of them."""

    name = NAME

    def read(self, page: Page) -> None:
        """See `Grammar.read`."""
        lines, index = page.text.lines, 0
        chain = PrintedChain(_begins)
        while index < len(lines):
            if not page.free(index) or not _begins(lines[index]):
                index += 1
                continue
            unit, index = _read_box(page, index)
            page.units.append(unit)
            chain.add(unit)
            index = chain.follow(lines, index)


def _begins(line: str) -> bool:
    return "Traceback (most" in line and _TOP.match(line) is not None


def _read_box(page: Page, at: int) -> tuple[Unit, int]:
    """The exception of the box whose top is line `at`, and the line after it."""
    text, lines = page.text, page.text.lines
    unit = Unit("exception", NAME, at, at)
    unit.spans[""] = text.whole(at)
    index = at + 1
    while index < len(lines) and lines[index].lstrip()[:1] in _SIDES:
        _line(text, unit, index)
        index += 1
    closed = index < len(lines) and lines[index].lstrip()[:1] in _BOTTOMS
    index += closed
    named = exception_line(lines[index]) if closed and index < len(lines) else None
    unit.last = index - 1
    if named is None:
        page.truncated(text.number(at), NAME, "a traceback in a box without the exception below it")
    else:
        set_exception(unit, text, index, index + 1, named)
        index += 1
    page.claim(at, index - 1)
    return unit, index


def _line(text: Text, unit: Unit, index: int) -> None:
    line = text.lines[index]
    entry = _ENTRY.match(line) if " in " in line else None
    if entry is not None and "❱" not in line:
        spans: dict[str, Span] = {"": text.whole(index)}
        for field, group in (("file", 1), ("line", 2), ("function", 3)):
            spans[field] = text.span(index, *entry.span(group))
        unit.frames.append(FrameFound(entry.group(1), number(entry.group(2)), entry.group(3), spans=spans))
        return
    arrow = _ARROW.match(line) if "❱" in line else None
    if arrow is not None and unit.frames and unit.frames[-1].source is None:
        source = arrow.group(2).lstrip("\u2502 ").rstrip()
        start = line.index(source, arrow.start(2))
        spans = {**unit.frames[-1].spans, "source": text.span(index, start, start + len(source))}
        unit.frames[-1] = unit.frames[-1]._replace(source=source or None, spans=spans)
