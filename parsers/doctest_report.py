"""Why: the doctest module prints examples that failed between rows of stars, with or without a line number."""

from __future__ import annotations

from tollens.parsers.doctest_example import NAME, read_sides
from tollens.parsers.frames import is_frame, read_frame
from tollens.parsers.page import Extra, FrameFound, Page, Region, Unit
from tollens.parsers.traceback_one import HEADER

_FAILED = "Failed example:"
_RAISED = "Exception raised:"


class DoctestReport:
    """`File "x", line 3, in name` and `Failed example:`, then what was expected and got, or the exception that was raised."""

    name = NAME

    def read(self, page: Page) -> None:
        """See `Grammar.read`."""
        lines = page.text.lines
        for index in range(1, len(lines)):
            if lines[index][:7] == "Failed " and lines[index].rstrip() == _FAILED and page.free(index) and is_frame(lines[index - 1]):
                _read_example(page, index)


def _read_example(page: Page, at: int) -> None:
    """Put down the example whose `Failed example:` stands at line `at`."""
    text, lines = page.text, page.text.lines
    frame = read_frame(text, at - 1)
    end = at + 1
    while end < len(lines) and page.free(end) and lines[end][:3] != "***" and (lines[end][:1] in ("", " ") or _is_head(lines[end])):
        end += 1
    while end > at + 1 and not lines[end - 1].strip():
        end -= 1
    head = next((index for index in range(at + 1, end) if _is_head(lines[index])), end)
    if frame is None:
        return
    if head > at + 1:
        source = "\n".join(_unindented(line) for line in lines[at + 1 : head])
        frame = frame._replace(source=source, spans={**frame.spans, "source": text.whole(at + 1)})
    test = Unit("test", NAME, at - 1, end - 1)
    test.spans[""] = text.whole(at - 1)
    name = frame.function or frame.file
    spans = {field: frame.spans[field] for field in ("file",) if field in frame.spans}
    if frame.function:
        spans["name"] = frame.spans["function"]
    test.extras.append(Extra("test_case", {"name": name, "phase": "call", "file": frame.file}, spans))
    page.units.append(test)
    if head < end and lines[head].startswith(_RAISED):
        _read_raised(page, head, end, test, frame)
    elif read_sides(page, text, at + 1, end, test, frame) is None:
        page.truncated(text.number(at), NAME, "an example without what was expected and what came")
    page.claim(at - 1, head if head < end and lines[head].startswith(_RAISED) else end - 1)


def _unindented(line: str) -> str:
    """A line of an example without the margin of four blanks that doctest prints, or what is left of it."""
    return (line[4:] if line[:4] == "    " else line.lstrip(" ")).rstrip()


def _is_head(line: str) -> bool:
    return line.startswith(("Expected", "Got", _RAISED))


def _read_raised(page: Page, head: int, end: int, test: Unit, frame: FrameFound) -> None:
    """The exception that an example raised is a traceback's to tell; where it is cut off, the example still raised one."""
    text, lines = page.text, page.text.lines
    header = next((index for index in range(head + 1, end) if HEADER in lines[index]), None)
    if header is not None and header + 1 < end and lines[header + 1].strip():
        page.regions.append(Region(head + 1, end - 1, test, None))
        return
    unit = Unit("exception", NAME, head, end - 1)
    unit.spans[""] = text.whole(head)
    unit.frames, unit.parent = [frame], test
    page.units.append(unit)
    page.claim(head, end - 1)
    page.truncated(text.number(head), NAME, "an exception that an example raised is cut off")
