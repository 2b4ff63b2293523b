"""Why: a pytest report is a sequence of titled sections; what a title means decides how the lines under it are read."""

from __future__ import annotations

from typing import NamedTuple

from tollens.parsers.patterns import Pattern, number
from tollens.parsers.text import Text

_TITLE = Pattern(r"(=+|_+|-+) (\S|\S.*\S) (=+|_+|-+)\s*$")
_COUNT = Pattern(r"([0-9]+) ([a-z]+)(?: [a-z]+)?$")
_ENDING = Pattern(r"(.*\S) in [0-9.]+ ?s(?:econds)?(?: \([0-9:]+\))?$")

#: Titles of sections, as pytest prints them; every other title in `=` is taken for a section only at the report's width.
KNOWN = ("FAILURES", "ERRORS", "XFAILURES", "XPASSES", "PASSES", "short test summary info", "test session starts", "warnings summary")
FAILING = ("FAILURES", "ERRORS")
#: Sections about tests that did what was expected of them; nothing in them is a failure.
EXPECTED = ("XFAILURES", "XPASSES", "PASSES")
_WORDS = {"passed": "passed", "failed": "failed", "error": "errors", "errors": "errors", "skipped": "skipped"}
_NOT_TESTS = ("warning", "warnings", "deselected")


class Title(NamedTuple):
    """A centred title in a rule of one sign."""

    sign: str
    text: str
    width: int


def read_title(line: str) -> Title | None:
    """The title of a line such as `===== FAILURES =====`; None where the line is none."""
    if line[:1] not in ("=", "_", "-"):
        return None
    found = _TITLE.match(line)
    if found is None:
        return None
    left, right = found.group(1), found.group(3)
    if left[0] != right[0] or abs(len(left) - len(right)) > 1 or not found.group(2).strip("_= -"):
        return None
    return Title(left[0], found.group(2), len(line.rstrip()))


def read_counts(line: str) -> dict[str, int] | None:
    """The counts of a closing line, with or without rules around it: `1 failed, 2 passed in 0.12s`."""
    if " in " not in line:
        return None
    ending = _ENDING.match(line.strip("= \t"))
    if ending is None:
        return None
    counts = dict.fromkeys(("passed", "failed", "errors", "skipped", "other"), 0)
    if ending.group(1) == "no tests ran":
        return counts
    for part in ending.group(1).split(", "):
        found = _COUNT.match(part)
        amount = number(found.group(1)) if found is not None else None
        if found is None or amount is None:
            return None
        if found.group(2) not in _NOT_TESTS:
            counts[_WORDS.get(found.group(2), "other")] += amount
    return counts


def is_block_title(title: Title, width: int) -> bool:
    """Whether a title opens a test's block in a section of this width; a title that is too long keeps one sign on each side."""
    return title.sign == "_" and (abs(title.width - width) <= 1 or (title.width > width and title.width - len(title.text) == 4))


class Section(NamedTuple):
    """A section of a report: its title's line and the line after its last. `closed` says that another title follows it."""

    title: str
    width: int
    at: int
    end: int
    closed: bool


class Outline:
    """The sections of all reports in a text, the closing lines with their counts, and which lines are of a report inside a report."""

    __slots__ = ("counts", "nested", "sections")

    def __init__(self, sections: list[Section], counts: list[tuple[int, dict[str, int]]], nested: bytearray) -> None:
        self.sections = sections
        self.counts = counts
        self.nested = nested


def outline(text: Text) -> Outline:
    """Find the sections. A report inside a test's captured output is part of that output and opens none."""
    heads: list[tuple[int, Title]] = []
    counts: list[tuple[int, dict[str, int]]] = []
    closings = _closings(text)
    last_closing = max(closings, default=-1)
    nested = bytearray(len(text))
    width, inside, captured, depth = 0, "", False, 0
    for index, line in enumerate(text.lines):
        nested[index] = depth > 0
        if line[:1] not in ("=", "-", "_") and index not in closings:
            continue
        closing = closings.get(index)
        if depth:
            title = read_title(line)
            starts = title is not None and title.text == "test session starts"
            depth += starts - (closing is not None)
            continue
        if closing is not None and captured and line[:1] != "=" and index != last_closing:
            continue  # a quiet run's closing line in the output of a test
        if closing is not None:
            counts.append((index, closing))
            heads.append((index, Title("=", "", 0)))
            inside, captured = "", False
            continue
        title = read_title(line)
        if title is None:
            continue
        if title.sign == "-" and inside:
            captured = captured or title.text.startswith("Captured ")
        elif inside and is_block_title(title, width):
            captured = False
        elif title.sign == "=" and (title.text in KNOWN or abs(title.width - width) <= 1):
            if captured and title.text == "test session starts" and last_closing > index:
                depth = 1
                continue
            heads.append((index, title))
            inside = title.text if title.text in FAILING else ""
            width, captured = title.width, False
    sections = []
    for position, (at, title) in enumerate(heads):
        closed = position + 1 < len(heads)
        end = heads[position + 1][0] if closed else len(text)
        if title.width:
            sections.append(Section(title.text, title.width, at, end, closed))
    return Outline(sections, counts, nested)


def _closings(text: Text) -> dict[int, dict[str, int]]:
    found: dict[int, dict[str, int]] = {}
    for index, line in enumerate(text.lines):
        if line[:1] == "=" or line[:1].isdigit() or line.startswith("no tests ran"):
            counts = read_counts(line)
            if counts is not None:
                found[index] = counts
    return found
