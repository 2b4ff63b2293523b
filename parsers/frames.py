"""Why: frames look the same in every printed Python stack: a `File` line, its source, carets, and a count of repetitions."""

from __future__ import annotations

from tollens.facts.fact import Span
from tollens.parsers.page import FrameFound
from tollens.parsers.patterns import Pattern, indent, number
from tollens.parsers.text import Text

_FRAME = Pattern(r'(\s*)File "(.*)", line ([0-9]+|\?)(?:, in (.*))?$')
_REPEATED = Pattern(r"\s*\[Previous line repeated ([0-9]+) more times?\]\s*$")


class Stack:
    """The frames read from one run of lines: `end` is the line after them, `margin` the last frame line's indentation."""

    __slots__ = ("end", "frames", "margin")

    def __init__(self) -> None:
        self.frames: list[FrameFound] = []
        self.end = 0
        self.margin = 0


def is_frame(line: str) -> bool:
    """Whether a line is a `File "...", line N` line of a traceback."""
    return 'File "' in line and _FRAME.match(line.rstrip()) is not None


def read_frame(text: Text, index: int) -> FrameFound | None:
    """The frame of a `File` line, without its source."""
    line = text.lines[index]
    found = _FRAME.match(line.rstrip()) if 'File "' in line else None
    if found is None:
        return None
    spans = {"": text.whole(index)}
    for field, group in (("file", 2), ("line", 3), ("function", 4)):
        if found.group(group) is not None:
            spans[field] = text.span(index, *found.span(group))
    return FrameFound(found.group(2), number(found.group(3)), found.group(4) or None, spans=spans)


def read_stack(text: Text, at: int, stop: int) -> Stack:
    """Frames from line `at` on, each with the source lines under it."""
    stack, index = Stack(), at
    lines = text.lines
    while index < stop:
        frame = read_frame(text, index)
        if frame is not None:
            stack.margin = indent(lines[index])
            end = source_end(lines, index + 1, stop, stack.margin)
            stack.frames.append(with_source(text, frame, index + 1, end))
            index = end
            continue
        repeated = _REPEATED.match(lines[index]) if "[Previous line" in lines[index] else None
        if repeated is None or not stack.frames:
            break
        stack.frames[-1] = stack.frames[-1]._replace(repeated=number(repeated.group(1)))
        index += 1
    stack.end = index
    return stack


def source_end(lines: list[str], at: int, stop: int, margin: int) -> int:
    """Where the source lines under a frame end: they are indented deeper than the frame's own line."""
    index = at
    while index < stop and lines[index].strip():
        line = lines[index]
        if indent(line) <= margin or is_frame(line):
            break
        index += 1
    lost = margin == 0 and index == at and at + 1 < stop
    if lost and not is_frame(lines[at]) and "[Previous line" not in lines[at] and _goes_on(lines, at + 1, stop):
        return at + 1  # all indentation was lost: one line of source stands at the frame's own margin
    return index


def _goes_on(lines: list[str], at: int, stop: int) -> bool:
    return is_frame(lines[at]) or (bool(lines[at].strip()) and at + 1 <= stop and lines[at][:1].isalpha() and ":" in lines[at])


def with_source(text: Text, frame: FrameFound, start: int, end: int) -> FrameFound:
    """The frame with the first source line of these lines, and the part of it that carets mark on the line below."""
    if start >= end:
        return frame
    line = text.lines[start]
    source = line.strip()
    spans: dict[str, Span] = {**frame.spans, "source": text.whole(start)}
    marked = None
    if start + 1 < end and is_carets(text.lines[start + 1]):
        carets = text.lines[start + 1].rstrip()
        first, last = indent(carets), min(len(carets), len(line.rstrip()))
        marked = line[first:last] or None
        if marked is not None:
            spans["marked"] = text.span(start, first, last)
    return frame._replace(source=source, marked=marked, spans=spans)


def is_carets(line: str) -> bool:
    """Whether a line holds nothing but the carets and tildes under a source line."""
    stripped = line.strip()
    return bool(stripped) and not stripped.strip("^~ ")
