"""Why: people paste parts of a report; blocks whose section, or even whose title, is cut off still say what failed."""

from __future__ import annotations

from tollens.parsers.page import Extra, Page, Unit
from tollens.parsers.patterns import Pattern
from tollens.parsers.pytest_block import NAME, is_error_line, is_marked, read_block, read_location
from tollens.parsers.pytest_sections import Title, read_title
from tollens.parsers.pytest_test import read_test
from tollens.parsers.text import Text

_IMPORTING = Pattern(r"ImportError while (?:importing test module|loading conftest) '(.*)'\.?$")


def read_orphans(page: Page) -> list[Unit]:
    """Read the blocks in the lines that no section has claimed; gives the tests that have a title."""
    if not any(line[:1] == "E" and is_error_line(line) for line in page.text.lines):
        return []
    tests: list[Unit] = []
    taken = bytearray(len(page.text))
    for region in page.regions:
        taken[region.first : region.last + 1] = b"\x01" * (region.last + 1 - region.first)
    index, stop = 0, len(page.text)
    while index < stop:
        if not page.free(index) or taken[index]:
            index += 1
            continue
        end = index
        while end < stop and page.free(end) and not taken[end]:
            end += 1
        tests += _read_island(page, index, end)
        index = end
    return tests


def _read_island(page: Page, first: int, end: int) -> list[Unit]:
    lines = page.text.lines
    titles: list[tuple[int, Title]] = []
    for index in range(first, end):
        title = read_title(lines[index]) if lines[index][:1] == "_" else None
        if title is not None and title.sign == "_":
            titles.append((index, title))
    starts = [index for index, _ in titles]
    bottom = starts[0] if starts else end
    parts = [index for index in range(first + 1, bottom) if lines[index].startswith("ImportError while ")]
    for start, stop in zip([first, *parts], [*parts, bottom], strict=True):
        if _has_failure(page, start, stop):
            _read_untitled(page, start, stop)
    tests = []
    for (index, title), following in zip(titles, [*starts, end][1:], strict=True):
        if _has_failure(page, index + 1, following):
            page.truncated(page.text.number(index), NAME, "a block outside of a section of failures")
            tests.append(read_test(page, index, title, following, title.width))
    return tests


def _has_failure(page: Page, first: int, end: int) -> bool:
    """Whether error lines stand there and, with them, what only pytest prints: a marked line or a location."""
    lines = page.text.lines
    if not any(is_error_line(lines[index]) for index in range(first, end)):
        return False
    return any(is_marked(lines[index]) or read_location(page.text, index) is not None for index in range(first, end))


def _read_untitled(page: Page, first: int, end: int) -> None:
    text = page.text
    parent: Unit | None = None
    for index in range(first, end):
        found = _IMPORTING.match(text.lines[index].rstrip()) if text.lines[index].startswith("ImportError while ") else None
        if found is not None:
            parent = Unit("test", NAME, index, index)
            parent.spans[""] = text.whole(index)
            spans = {"name": text.span(index, *found.span(1)), "file": text.span(index, *found.span(1))}
            fields = {"name": found.group(1), "file": found.group(1), "phase": "collect"}
            parent.extras.append(Extra("test_case", fields, spans))
            page.units.append(parent)
            first = index + 1
            break
    while end > first + 1 and not is_error_line(text.lines[end - 1]) and read_location(text, end - 1) is None:
        end -= 1
    block = read_block(page, text, first, end)
    if parent is None and block.units:
        page.units.append(_nameless(text, block.units))
    for unit in block.units:
        unit.parent = parent
        page.claim(unit.first, unit.last)
        if parent is not None:
            parent.last = unit.last
            page.claim(parent.first, unit.last)
    page.units.extend(block.units)
    if parent is None and block.units:
        page.truncated(text.number(block.units[0].first), NAME, "a block without its title")


def _nameless(text: Text, units: list[Unit]) -> Unit:
    """The test whose block's title is cut off: it failed, and nothing says what it is called."""
    test = Unit("test", NAME, units[0].first, units[-1].last)
    test.spans[""] = text.whole(units[0].first)
    return test
