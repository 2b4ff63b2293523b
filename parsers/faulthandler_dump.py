"""Why: a crash of the interpreter itself has no traceback; its dump names the signal and prints the deepest call first."""

from __future__ import annotations

from tollens.parsers.page import FrameFound, Page, Unit
from tollens.parsers.patterns import Pattern, number

NAME = "python_faulthandler"

_ERROR = Pattern(r"(?:.*?)((?:Fatal Python error|Windows fatal exception): )(\S.*)$")
_SIGNS = ("Fatal Python error: ", "Windows fatal exception: ")
_FRAME = Pattern(r'\s*File "(.*)", line ([0-9]+) in (.*)$')
_NEAR = 12


class FaulthandlerDump:
    """`Fatal Python error: Segmentation fault` and the stack of the thread that crashed."""

    name = NAME

    def read(self, page: Page) -> None:
        """See `Grammar.read`."""
        text = page.text
        for index, line in enumerate(text.lines):
            if not any(sign in line for sign in _SIGNS) or not page.free(index):
                continue
            found = _ERROR.match(line.rstrip())
            if found is None:
                continue
            unit = Unit("exception", NAME, index, index)
            unit.class_name = found.group(2)
            unit.spans = {"": text.span(index, found.start(1), found.end(2)), "class_name": text.span(index, *found.span(2))}
            _read_thread(page, index, unit)
            page.claim(index, unit.last)
            page.units.append(unit)


def _read_thread(page: Page, at: int, unit: Unit) -> None:
    lines = page.text.lines
    stop = min(at + _NEAR, len(lines))
    start = next((index for index in range(at + 1, stop) if "(most recent call first):" in lines[index]), None)
    if start is None:
        page.truncated(page.text.number(at), NAME, "a fatal error without the stack of its thread")
        return
    frames: list[FrameFound] = []
    index = start + 1
    while index < len(lines):
        found = _FRAME.match(lines[index].rstrip()) if 'File "' in lines[index] else None
        if found is None:
            break
        spans = {"": page.text.whole(index)}
        for field, group in (("file", 1), ("line", 2), ("function", 3)):
            spans[field] = page.text.span(index, *found.span(group))
        frames.append(FrameFound(found.group(1), number(found.group(2)), found.group(3) or None, spans=spans))
        index += 1
    unit.frames = frames[::-1]
    unit.last = index - 1
