"""Why: grammars see a stretch of text at once; a text that is too long for that is thinned, then cut where no signal stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tollens.facts.fact import Span
from tollens.parsers.limits import Limits
from tollens.parsers.page import Loose
from tollens.parsers.patterns import Pattern
from tollens.parsers.pytest_sections import FAILING, is_block_title, read_title
from tollens.parsers.source import Block
from tollens.parsers.traceback_one import HEADER, LINKS

#: What a line has that any grammar may want; a line without all of them says something only near one that has some.
LOUD = Pattern(
    r"rror|xception|raceback|[Ff]ile|[Ff]ail|FAIL|ERR|[Ww]arn|WARN|xpected|[Aa]ssert|ASSERT|[Tt]imeout|TIMEOUT|[Tt]imed out|atal|bort"
    r"|egmentation|in <module>|most recent|<[a-z/?!]|&[lg]t;|[Pp]assed|PASS|Ran [0-9]|OK\s*$|no tests ran|collected|crashed|[Nn]ot found"
    r"|[Cc]annot|[Nn]o such|denied|unrecognized|usage:|Current thread|Thread 0x|====|____"
    r"|----|\*\*\*\*|[\u2500-\u257f]|^ *[|+E>] |^\s*\S+\.py:|, line [0-9]"
)
#: How many lines around a loud one are kept.
AROUND = 60
#: What a line costs beside its characters.
_ROW = 16


class Part(NamedTuple):
    """Raw lines with their numbers in the whole text, rising. `starts` and `ends` say whether the text begins and ends here."""

    lines: list[str]
    numbers: list[int]
    lost: dict[int, int]
    starts: bool
    ends: bool


class Windows:
    """Gathers blocks into parts that are as large as possible and no larger than the limit."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        #: How many lines there were, and how many characters were left out from which line on.
        self.total = 0
        self.left_out = 0
        self.first_left_out = 0
        self._lines: list[str] = []
        self._numbers: list[int] = []
        self._lost: dict[int, int] = {}
        self._size = 0
        self._thin = 0

    def parts(self, blocks: Iterable[Block]) -> Iterator[Part]:
        """The parts, in order; there is always one."""
        starts = True
        for block in blocks:
            self._take(block)
            while self._size > self.limits.window:
                self._thin_out()
                if self._size * 4 <= self.limits.window * 3:
                    break
                yield self._part(self._place_to_cut(), starts=starts)
                starts = False
        yield Part(self._lines, self._numbers, self._lost, starts, True)

    def flags(self) -> list[Loose]:
        """What was left out, as one flag."""
        if not self.left_out:
            return []
        reason = "the text is long: lines in which no signal can stand are left out"
        fields = {"line": self.first_left_out, "grammar": "text", "reason": reason, "lost": self.left_out}
        return [Loose(self.first_left_out, "truncated", fields, {"": Span(self.first_left_out, 0, 0)})]

    def _take(self, block: Block) -> None:
        lines = block.text.split("\n")
        if not lines[-1]:
            lines.pop()
        self._lines += lines
        self._numbers += range(block.first, block.first + len(lines))
        self._lost.update(block.lost)
        self.total = block.first + len(lines) - 1
        self._size += len(block.text) + _ROW * len(lines)

    def _thin_out(self) -> None:
        """Leave out what stands far from every loud line; a blank line stays for it, so that nothing grows together."""
        lines, start = self._lines, self._thin
        stop = max(start, len(lines) - AROUND)
        search = LOUD.compiled.search
        kept: list[int] = []
        near = max(0, start - AROUND)
        until = start  # lines before this one are near a loud line that was seen
        for index in range(near, len(lines)):
            if search(lines[index]):
                end = min(index + 1 + AROUND, stop)
                kept += range(max(until, index - AROUND), end)
                until = max(until, end)
        self._keep(start, stop, kept)

    def _keep(self, start: int, stop: int, kept: list[int]) -> None:
        lines, numbers = self._lines[:start], self._numbers[:start]
        expected = start
        for index in [*kept, stop]:
            if index > expected:
                lost = sum(map(len, self._lines[expected:index])) + index - expected
                self.first_left_out = self.first_left_out or self._numbers[expected]
                self.left_out += lost
                lines.append("")
                numbers.append(self._numbers[expected])
            if index < stop:
                lines.append(self._lines[index])
                numbers.append(self._numbers[index])
            expected = index + 1
        self._thin = len(lines)
        self._lines, self._numbers = lines + self._lines[stop:], numbers + self._numbers[stop:]
        self._size = sum(map(len, self._lines)) + _ROW * len(self._lines)

    def _part(self, at: int, *, starts: bool) -> Part:
        """The lines before `at`; the section in which they end is opened again for what follows."""
        head = _open_section(self._lines, at)
        number = self._numbers[at - 1]
        part = Part(self._lines[:at], self._numbers[:at], {key: self._lost[key] for key in self._lost if key <= number}, starts, False)
        self._lost = {key: self._lost[key] for key in self._lost if key > number}
        opened = [] if head < 0 else [head]
        self._lines = [self._lines[index] for index in opened] + self._lines[at:]
        self._numbers = [self._numbers[index] for index in opened] + self._numbers[at:]
        self._size = sum(map(len, self._lines)) + _ROW * len(self._lines)
        self._thin = max(0, self._thin - at + len(opened))
        return part

    def _place_to_cut(self) -> int:
        """Before which line of the second half: where a block begins, else after a blank line; else at the end, through a signal."""
        lines, half = self._lines, max(1, len(self._lines) // 2)
        titles = [(index, title) for index, line in enumerate(lines) if line[:1] == "=" and (title := read_title(line)) is not None]
        fallback = 0
        for index in range(len(lines) - 1, half - 1, -1):
            while titles and titles[-1][0] >= index:
                titles.pop()
            if titles and titles[-1][1].text in FAILING:
                title = read_title(lines[index]) if lines[index][:1] == "_" else None
                if title is not None and is_block_title(title, titles[-1][1].width):
                    return index
                fallback = fallback or (index if _begins_anew(lines, index) else 0)
            elif _begins_anew(lines, index):
                return index
        return fallback or len(lines)


def _begins_anew(lines: list[str], index: int) -> bool:
    """Whether a line follows a blank one and goes on with nothing: it is not indented, and links no two exceptions of a chain."""
    line = lines[index]
    if lines[index - 1].strip() or not line.strip() or line[:1] in " \t|+>" or line.strip() in LINKS:
        return False
    before = index - 2
    while before >= 0 and index - before < 5 and not lines[before].strip():
        before -= 1
    return not (HEADER in line and before >= 0 and lines[before].strip() in LINKS)


def _open_section(lines: list[str], at: int) -> int:
    """The line of the title of the section of failures in which the line before `at` stands; -1 where it stands in none."""
    for index in range(at - 1, -1, -1):
        if lines[index][:1] == "=":
            title = read_title(lines[index])
            if title is not None:
                return index if title.text in FAILING else -1
    return -1
