"""Why: bots and services report an exception on one line, with the place in parentheses after the message."""

from __future__ import annotations

from tollens.parsers.page import FrameFound, Page, Unit
from tollens.parsers.patterns import Pattern, number
from tollens.parsers.traceback_one import exception_line, record_type

NAME = "python_one_line"

_PLACE = Pattern(r'\((?i:file) "([^"]*)", line ([0-9]+)(?:, in (\S[^)]*))?\)\s*$')
#: What a syntax error says of itself where no traceback is printed.
_SHORT = Pattern(r"(?:Sorry: |E +)?((?:Syntax|Indentation|Tab)Error): (.*\S) \((\S[^()]*), line ([0-9]+)\)\s*$")
#: Two processes wrote at once: an exception's class, and on its line the frame of another traceback.
_GLUED = Pattern(r'([^\W\d][\w.]*(?:Error|Exception|Interrupt|Warning))(:)?\s+File "')


class OneLineReport:
    """`AttributeError: message (file "/path.py", line 103, in f)`, `SyntaxError: message (a.py, line 3)`; and a class that another
    process wrote its frame behind.
    """

    name = NAME

    def read(self, page: Page) -> None:
        """See `Grammar.read`."""
        for index, line in enumerate(page.text.lines):
            if "Error: " in line and ", line " in line and page.free(index):
                _read_short(page, index)
            if 'ile "' not in line:
                continue
            if page.free(index) and "(" in line and ", line " in line:
                _read(page, index)
            if page.free(index) and line[:1].isalpha():
                _read_glued(page, index)


def _read(page: Page, at: int) -> None:
    text, line = page.text, page.text.lines[at]
    place = _PLACE.compiled.search(line)
    named = exception_line(line[: place.start()].rstrip()) if place is not None else None
    if place is None or named is None:
        return
    unit = Unit("exception", NAME, at, at)
    unit.class_name, unit.message = named.class_name, named.message or None
    unit.record_type = record_type(named.class_name)
    unit.spans = {"": text.whole(at), "class_name": text.span(at, *named.class_at)}
    if named.message_at is not None:
        unit.spans["message"] = text.span(at, named.message_at[0], named.message_at[0] + len(named.message))
    spans = {"": text.span(at, *place.span())}
    for field, group in (("file", 1), ("line", 2), ("function", 3)):
        if place.group(group):
            spans[field] = text.span(at, *place.span(group))
    unit.frames = [FrameFound(place.group(1), number(place.group(2)), place.group(3), spans=spans)]
    page.claim(at, at)
    page.units.append(unit)


def _read_glued(page: Page, at: int) -> None:
    """Only the class is certain: which of the lines around it are the message, nobody can tell."""
    text = page.text
    found = _GLUED.match(text.lines[at])
    if found is None:
        return
    unit = Unit("exception", NAME, at, at)
    unit.class_name = found.group(1)
    unit.record_type = record_type(unit.class_name)
    unit.spans = {"": text.span(at, *found.span(1)), "class_name": text.span(at, *found.span(1))}
    page.truncated(text.number(at), NAME, "an exception's line that another process wrote on")
    page.claim(at, at)
    page.units.append(unit)


def _read_short(page: Page, at: int) -> None:
    text = page.text
    found = _SHORT.match(text.lines[at])
    if found is None:
        return
    unit = Unit("exception", NAME, at, at)
    unit.class_name, unit.message = found.group(1), found.group(2)
    unit.spans = {"": text.whole(at), "class_name": text.span(at, *found.span(1)), "message": text.span(at, *found.span(2))}
    spans = {"": text.span(at, found.start(3), found.end(4)), "file": text.span(at, *found.span(3)), "line": text.span(at, *found.span(4))}
    unit.frames = [FrameFound(found.group(3), number(found.group(4)), None, spans=spans)]
    page.claim(at, at)
    page.units.append(unit)
