"""Why: one exception as Python prints it: a header, frames, the line that names it, and its message."""

from __future__ import annotations

from typing import NamedTuple

from tollens.parsers.assertion import Row, read_assertion
from tollens.parsers.frames import Stack, is_carets, is_frame, read_stack
from tollens.parsers.page import Extra, Page, Unit
from tollens.parsers.patterns import Pattern, indent
from tollens.parsers.text import Text

NAME = "python_traceback"
HEADER = "Traceback (most recent call last):"
#: The lines between two exceptions of a chain, and what they say about the second.
LINKS = {
    "The above exception was the direct cause of the following exception:": "direct_cause",
    "During handling of the above exception, another exception occurred:": "context",
}

_EXCEPTION = Pattern(r"\s*([^\W\d][\w.<>]*)(?:\s*$|:(?: (.*)|\s*)$)")
_TASK = Pattern(r"<(?:Task|Future)\b.*\bexception=([^\W\d][\w.]*)\(")
_RECORD = Pattern(
    r"\s*\[?[0-9]{4}-[0-9][0-9]-[0-9][0-9][T ]|\[?[0-9][0-9]:[0-9][0-9]:[0-9][0-9]\b|[$%] |\+ [a-z]"
    r"|(?:DEBUG|INFO|WARNING|ERROR|CRITICAL|FATAL)\b|Exception (?:in thread|ignored) |Task exception was never retrieved"
    r"|\S+:[0-9]+: [A-Za-z]*Warning: "
    r"|(?:make|ninja|npm)(?:\[[0-9]+\])?: "
)


class ExceptionLine(NamedTuple):
    """The line that names an exception: its class, the first line of its message, and the columns of both."""

    class_name: str
    message: str
    class_at: tuple[int, int]
    message_at: tuple[int, int] | None


def exception_line(line: str) -> ExceptionLine | None:
    """The class and message of `package.Class: message` or `Class`; None for any other line."""
    found = _EXCEPTION.match(line)
    if found is None or found.group(1).endswith("."):
        return None
    message = found.group(2)
    at = found.span(2) if message else None
    return ExceptionLine(found.group(1), (message or "").rstrip(), found.span(1), at)


def record_type(class_name: str | None) -> str:
    """The record that an exception class makes: `assertion` for AssertionError, `exception` for any other."""
    return "assertion" if (class_name or "").rpartition(".")[2] == "AssertionError" else "exception"


def is_rule(line: str) -> bool:
    """Whether a line is a drawn rule (`=====`, `-----`, `*****`) or a title in one."""
    return line[:4] in ("====", "----", "****", "____", "_ _ ")


def skip_blank(text: Text, at: int, stop: int) -> int:
    """The first line from `at` on that is not blank, or `stop`."""
    while at < stop and not text.lines[at].strip():
        at += 1
    return at


def read_one(page: Page, text: Text, at: int, stop: int, *, bounded: bool) -> tuple[Unit | None, int]:
    """The exception whose header or first frame stands at line `at`, and the line after it; None where nothing can be told."""
    lines = text.lines
    headed = HEADER in lines[at]
    start = at + 1 if headed else at
    if headed:
        start = _skip_ellipsis(lines, start, stop, indent(lines[at]))
    stack = read_stack(text, start, stop)
    tail = _tail(lines, stack, stop, headed)
    unit = Unit("exception", NAME, text.base(at), text.base(max(at, stack.end - 1)))
    unit.frames = stack.frames
    unit.spans[""] = text.whole(at)
    if headed:
        _before(page, text, at, unit)
    if tail is None:
        _name_from_task(text, at, unit)
        return _cut_off(page, text, at, headed, unit), max(stack.end, at + 1)
    if not headed and text.base(at) not in page.headless and not (len(stack.frames) == 1 and stack.frames[0].function is None):
        page.truncated(text.number(at), NAME, "frames without the header above them")
    end = _message_end(text, stack.end + 1, stop, bounded)
    set_exception(unit, text, stack.end, end, tail)
    if unit.record_type == "assertion":
        _assertion(unit, text, stack.end, end, tail)
    return unit, end


def _skip_ellipsis(lines: list[str], at: int, stop: int, margin: int) -> int:
    """Past what a document writes in the place of frames: `...`, alone and indented."""
    index = at
    while index < stop and lines[index].strip() == "..." and indent(lines[index]) >= margin:
        index += 1
    return index


def _tail(lines: list[str], stack: Stack, stop: int, headed: bool) -> ExceptionLine | None:
    """The exception line after the frames, if it stands where one may stand: left of the frames."""
    if stack.end >= stop:
        return None
    line = lines[stack.end]
    if stack.frames and stack.margin and indent(line) >= stack.margin:
        return None
    if not stack.frames and not headed:
        return None
    return exception_line(line)


def _name_from_task(text: Text, at: int, unit: Unit) -> None:
    """Where the exception's own line is cut off, the task that nobody asked for its result still names the class above the header."""
    for index in range(at - 1, max(-1, at - 3), -1):
        found = _TASK.compiled.search(text.lines[index]) if "exception=" in text.lines[index] else None
        if found is not None:
            unit.class_name = found.group(1)
            unit.spans["class_name"] = text.span(index, *found.span(1))
            unit.record_type = record_type(unit.class_name)


def _cut_off(page: Page, text: Text, at: int, headed: bool, unit: Unit) -> Unit | None:
    frames = len(unit.frames)
    if headed and not frames:
        page.truncated(text.number(at), NAME, "a traceback's header without its frames")
        return None
    what = "a traceback without the exception at its end" if headed else "frames without a header and without an exception"
    page.truncated(text.number(at), NAME, what)
    return unit if headed or frames > 1 else None


def _message_end(text: Text, at: int, stop: int, bounded: bool) -> int:
    """Where a message ends: before the link to the next exception, at the block's end, or at the first blank or foreign line."""
    lines = text.lines
    contiguous: int | None = None
    index = at
    while index < stop:
        line = lines[index]
        stripped = line.strip()
        if stripped in LINKS:
            return _trimmed(lines, at, index)
        if HEADER in line or is_frame(line) or is_rule(line):
            break
        if contiguous is None and (not stripped or _RECORD.match(line)):
            contiguous = index
            if not bounded and _RECORD.match(line):
                break
        index += 1
    if bounded:
        return _trimmed(lines, at, index)
    return index if contiguous is None else contiguous


def _trimmed(lines: list[str], at: int, end: int) -> int:
    while end > at and not lines[end - 1].strip():
        end -= 1
    return end


def set_exception(unit: Unit, text: Text, index: int, end: int, found: ExceptionLine) -> None:
    """Fill in a unit's class and message from its exception line and the lines of the message under it."""
    margin = indent(text.lines[index])
    rest = [line[margin:].rstrip() if not line[:margin].strip() else line.strip() for line in text.lines[index + 1 : end]]
    unit.class_name = found.class_name
    unit.record_type = record_type(found.class_name)
    unit.message = "\n".join([found.message, *rest]) if rest else found.message
    unit.last = text.base(max(index, end - 1))
    unit.spans["class_name"] = text.span(index, *found.class_at)
    if found.message_at is not None:
        start = found.message_at[0]
        unit.spans["message"] = text.span(index, start, start + len(found.message))
    if not unit.message:
        unit.message = None


def _assertion(unit: Unit, text: Text, index: int, end: int, tail: ExceptionLine) -> None:
    margin = indent(text.lines[index])
    start = tail.message_at[0] if tail.message_at is not None else len(text.lines[index])
    rows: list[Row] = [(index, start, text.lines[index][start:].rstrip())]
    rows += [(row, margin, text.lines[row][margin:].rstrip()) for row in range(index + 1, end)]
    source = unit.frames[-1].source if unit.frames else None
    read_assertion(unit, text, rows, source)


def _before(page: Page, text: Text, at: int, unit: Unit) -> None:
    """What announces a traceback: the text before the header on its line, and up to two lines above it."""
    head = text.lines[at].partition(HEADER)[0].rstrip()
    if head.strip() not in ("", "Exception Group"):
        start = indent(head)
        unit.extras.append(Extra("detail", {"label": "before", "text": head.strip()}, {"text": text.span(at, start, len(head))}))
    above: list[int] = []
    for index in range(at - 1, max(-1, at - 3), -1):
        line = text.lines[index]
        if not line.strip() or not page.free(text.base(index)) or is_rule(line) or is_carets(line):
            break
        above.append(index)
    for index in reversed(above):
        line = text.lines[index].strip()
        unit.extras.append(Extra("detail", {"label": "before", "text": line}, {"text": text.whole(index)}))
