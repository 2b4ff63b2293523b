"""Why: a test that hangs is ended with a dump of every thread's stack, between rules and outside of any failure block."""

from __future__ import annotations

from tollens.parsers.frames import read_stack
from tollens.parsers.page import Extra, Page, Unit
from tollens.parsers.patterns import Pattern

NAME = "pytest_timeout"

_RULE = Pattern(r"(?:\S+\.py\S* [.FEsxX]*)?\++ (Timeout) \++\s*$")
_STACK = Pattern(r"~+ (Stack of .*\S) ~+\s*$")


class PytestTimeout:
    """`+++ Timeout +++` and the stacks of threads below it; or such stacks alone, as they stand in captured output."""

    name = NAME

    def read(self, page: Page) -> None:
        """See `Grammar.read`."""
        lines, index = page.text.lines, 0
        while index < len(lines):
            line = lines[index]
            if line[-2:] in ("++", "~~") and page.free(index) and (_RULE.match(line) or _STACK.match(line)):
                index = _read_dump(page, index)
            index += 1


def _read_dump(page: Page, at: int) -> int:
    """Put down the dump whose first rule stands at line `at`; gives its last line.

    A dump without the main thread comes from a run that goes on: its test fails in the main thread and has a block of its own.
    """
    text, lines = page.text, page.text.lines
    unit = Unit("exception", NAME, at, at)
    unit.spans[""] = text.whole(at)
    opened = _RULE.match(lines[at])
    if opened is not None:
        unit.message = opened.group(1)
        unit.spans["message"] = text.span(at, *opened.span(1))
    index = at + 1 if opened is not None else at
    while index < len(lines) and page.free(index):
        title = _STACK.match(lines[index]) if lines[index][:2] == "~~" else None
        if title is not None:
            stack = read_stack(text, index + 1, len(lines))
            if "MainThread" in title.group(1):
                unit.frames = stack.frames
            said = "\n".join(line.strip() for line in lines[index : max(stack.end, index + 1)])
            unit.extras.append(Extra("detail", {"label": "thread", "text": said}, {"text": text.whole(index)}))
            unit.last = max(index, stack.end - 1)
            index = max(stack.end, index + 1)
            continue
        if opened is not None and _RULE.match(lines[index]):
            unit.last = index
            break
        if lines[index].strip() and (opened is None or index > unit.last + 40):
            break
        index += 1
    page.claim(at, unit.last)
    page.units.append(unit)
    return unit.last
