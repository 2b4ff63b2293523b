"""Why: a crash of the interpreter itself has no traceback; its dump names the signal and prints the deepest call of each thread first."""

from __future__ import annotations

from typing import NamedTuple

from tollens.parsers.page import Extra, FrameFound, Page, Unit
from tollens.parsers.patterns import Pattern, number

NAME = "python_faulthandler"

_ERROR = Pattern(r"(?:.*?)((?:Fatal Python error|Windows fatal exception): )(\S.*)$")
_TIMEOUT = Pattern(r"(?:.*?)(Timeout \([0-9:.]+\)!)\s*$")
_SIGNS = ("Fatal Python error: ", "Windows fatal exception: ")
_THREAD = "(most recent call first):"
_FRAME = Pattern(r'\s*File "(.*)", line ([0-9]+|\?\?\?) in (.*)$')
_NEAR = 12


class Thread(NamedTuple):
    """A thread's part of a dump: its title's line, its frames with the outermost first, and the line after it."""

    at: int
    frames: list[FrameFound]
    end: int


class FaulthandlerDump:
    """`Fatal Python error: Segmentation fault` or `Timeout (0:00:05)!` and the stacks of the threads that it prints."""

    name = NAME

    def read(self, page: Page) -> None:
        """See `Grammar.read`."""
        for index, line in enumerate(page.text.lines):
            crashed = "atal " in line and any(sign in line for sign in _SIGNS)
            if not crashed and _THREAD not in line and not line.endswith(")!"):
                continue
            if not page.free(index):
                continue
            found = (_ERROR if crashed else _TIMEOUT).match(line.rstrip())
            if found is not None:
                _read_dump(page, index, found.start(1), found.group(2) if crashed else None)
            elif _THREAD in line and _FRAME.match(_following(page, index)) is not None:
                page.truncated(page.text.number(index), NAME, "the stack of a thread without what stopped it")
                _read_dump(page, index, 0, None, index)


def _following(page: Page, index: int) -> str:
    return page.text.lines[index + 1].rstrip() if index + 1 < len(page.text) else ""


def _read_dump(page: Page, at: int, column: int, class_name: str | None, first: int | None = None) -> None:
    """Put down what stands at line `at` from `column` on, with the stacks that follow it."""
    text, line = page.text, page.text.lines[at].rstrip()
    stop = min(at + _NEAR, len(text))
    start = first if first is not None else next((row for row in range(at + 1, stop) if _THREAD in text.lines[row]), None)
    if start is None and class_name is None:
        return
    unit = Unit("exception", NAME, at, at)
    unit.spans[""] = text.span(at, column, len(line))
    name = "class_name" if class_name is not None else "message"
    begin = len(line) - len(class_name) if class_name is not None else column
    unit.spans[name] = text.span(at, begin, len(line))
    unit.class_name, unit.message = class_name, None if class_name is not None else line[column:]
    threads = _threads(page, start) if start is not None else []
    if not threads:
        page.truncated(text.number(at), NAME, "a fatal error without the stack of its thread")
    else:
        current = next((thread for thread in threads if "Current thread" in text.lines[thread.at]), threads[0 if class_name else -1])
        unit.frames = current.frames
        unit.last = threads[-1].end - 1
        for thread in threads:
            if thread is not current:
                _mention(page, unit, thread)
    page.claim(at, unit.last)
    page.units.append(unit)


def _threads(page: Page, at: int) -> list[Thread]:
    """The stacks of threads from line `at` on, with at most a blank line between two of them."""
    lines, threads = page.text.lines, []
    while at < len(lines) and _THREAD in lines[at]:
        frames: list[FrameFound] = []
        index = at + 1
        while index < len(lines):
            frame = _frame(page, index)
            if frame is None and lines[index].strip() not in ("<no Python frame>", "..."):
                break
            frames += [frame] if frame is not None else []
            index += 1
        threads.append(Thread(at, frames[::-1], index))
        at = index + 1 if index < len(lines) and not lines[index].strip() else index
    return threads


def _frame(page: Page, index: int) -> FrameFound | None:
    line = page.text.lines[index]
    found = _FRAME.match(line.rstrip()) if 'File "' in line else None
    if found is None:
        return None
    spans = {"": page.text.whole(index)}
    for field, group in (("file", 1), ("line", 2), ("function", 3)):
        spans[field] = page.text.span(index, *found.span(group))
    if number(found.group(2)) is None:
        del spans["line"]
    return FrameFound(found.group(1), number(found.group(2)), found.group(3) or None, spans=spans)


def _mention(page: Page, unit: Unit, thread: Thread) -> None:
    lines = [page.text.lines[row].strip() for row in range(thread.at, thread.end)]
    spans = {"text": page.text.whole(thread.at)}
    unit.extras.append(Extra("detail", {"label": "thread", "text": "\n".join(lines)}, spans))
