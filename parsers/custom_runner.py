"""Why: runners of single projects title each failure with the file and the test, and print a traceback without its header."""

from __future__ import annotations

from tollens.parsers.frames import is_frame
from tollens.parsers.page import Extra, Page, Region, Unit
from tollens.parsers.patterns import Pattern
from tollens.parsers.pytest_sections import read_title

NAME = "titled_failure"

_TITLE = Pattern(r"(\S+\.py)(?::|::)([^\W\d][\w.\[\]]*)$")


class CustomRunner:
    """`____ path/test_x.py:test_name ____`, and below it frames and the exception."""

    name = NAME

    def read(self, page: Page) -> None:
        """See `Grammar.read`."""
        lines = page.text.lines
        for index in range(len(lines) - 1):
            if lines[index][:3] == "___" and ".py:" in lines[index] and page.free(index) and is_frame(lines[index + 1]):
                _read_block(page, index)


def _read_block(page: Page, at: int) -> None:
    text, lines = page.text, page.text.lines
    title = read_title(lines[at])
    found = _TITLE.match(title.text) if title is not None else None
    if found is None or title is None:
        return
    end = at + 1
    while end < len(lines) and page.free(end) and lines[end][:3] != "___" and not _ends(lines, end):
        end += 1
    test = Unit("test", NAME, at, at)
    column = lines[at].index(title.text)
    test.spans[""] = text.whole(at)
    spans = {"file": text.span(at, column, column + found.end(1)), "name": text.span(at, column + found.start(2), column + found.end(2))}
    test.extras.append(Extra("test_case", {"name": found.group(2), "file": found.group(1), "phase": "call"}, spans))
    while end > at + 1 and not lines[end - 1].strip():
        end -= 1
    test.last = end - 1
    page.units.append(test)
    page.claim(at, at)
    page.regions.append(Region(at + 1, end - 1, test, None))
    page.headless.add(at + 1)


def _ends(lines: list[str], index: int) -> bool:
    """Whether a line after the exception ends the block: a blank one with something that is no source below it."""
    if lines[index].strip():
        return False
    following = lines[index + 1] if index + 1 < len(lines) else ""
    return not following.strip() or not following.startswith("    ")
