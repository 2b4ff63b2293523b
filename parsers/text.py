"""Why: grammars read clean lines, and every fact still points at the exact characters of the raw text."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence

from tollens.facts.fact import Span
from tollens.parsers.limits import DEFAULT, Limits
from tollens.parsers.patterns import Pattern

#: Terminal control sequences, as bytes and as the two printable characters that some log viewers make of the escape character.
_ANSI = Pattern(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]"
    r"|\^\[\[[0-9;]*[mK]|\^\[\([AB0]|\u2190\[[0-9;]*[mK]"
)
_ANSI_SIGNS = ("\x1b", "^[[", "^[(", "\u2190[")

#: Where stretches of a clean line begin, as (clean column, raw column), in rising order.
Stretches = tuple[tuple[int, int], ...]


class Cut:
    """Raw characters that the pre-layer left out: at which raw line, why, and how many."""

    __slots__ = ("line", "lost", "reason")

    def __init__(self, line: int, reason: str, lost: int) -> None:
        self.line = line
        self.reason = reason
        self.lost = lost


class RawLines:
    """The raw lines that are kept, by their numbers in the whole text; `total` is how many that text has."""

    __slots__ = ("_lines", "_numbers", "total")

    def __init__(self, lines: Sequence[str], numbers: Sequence[int], total: int) -> None:
        self._lines = lines
        self._numbers = numbers
        self.total = total

    def get(self, number: int) -> str | None:
        """The line with this number, without its line end; None where it is not kept."""
        at = bisect_left(self._numbers, number)
        return self._lines[at] if at < len(self._numbers) and self._numbers[at] == number else None


class Text:
    """Clean lines, numbered from 0, each with its way back to a raw line (numbered from 1) and its columns."""

    __slots__ = ("_maps", "_numbers", "all_raw", "cuts", "lines")

    def __init__(
        self,
        raw: RawLines,
        lines: list[str],
        numbers: Sequence[int],
        maps: dict[int, Stretches],
        cuts: tuple[Cut, ...] = (),
    ) -> None:
        self.all_raw = raw
        self.lines = lines
        self._numbers = numbers
        self._maps = maps
        self.cuts = cuts

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def raw_lines(self) -> int:
        """How many raw lines the whole text has."""
        return self.all_raw.total

    def raw(self, number: int) -> str:
        """The raw line with this number, without its line end; "" where there is none, or it was not kept."""
        return self.all_raw.get(number) or ""

    def number(self, index: int) -> int:
        """The raw line number of a clean line."""
        return self._numbers[index]

    def column(self, index: int, column: int) -> int:
        """The raw column of a column of a clean line."""
        stretches = self._maps.get(index)
        if stretches is None:
            return column
        clean, raw = stretches[max(0, bisect_right(stretches, column, key=_clean_column) - 1)]
        return raw + column - clean

    def span(self, index: int, start: int, end: int) -> Span:
        """Where the columns from `start` to before `end` of a clean line stand in the raw text."""
        first = self.column(index, start)
        last = self.column(index, end - 1) + 1 if end > start else first
        return Span(self._numbers[index], first, last)

    def whole(self, index: int) -> Span:
        """The span of a clean line from its first character that is not blank to its last."""
        line = self.lines[index]
        stripped = line.rstrip()
        return self.span(index, len(stripped) - len(stripped.lstrip()), len(stripped))

    def base(self, index: int) -> int:
        """The number of a clean line in the whole text; a view answers for the text that it looks at."""
        return index

    def view(self, rows: Sequence[tuple[int, int]]) -> View:
        """Some lines of this text, each given as its number and how many characters to leave out at its beginning."""
        return View(self, rows)


class View(Text):
    """Lines of another text without their margins, so that one grammar can read what stands inside another."""

    __slots__ = ("_rows", "_text")

    def __init__(self, text: Text, rows: Sequence[tuple[int, int]]) -> None:
        self._text = text
        self._rows = rows
        lines = [text.lines[index][margin:] for index, margin in rows]
        super().__init__(text.all_raw, lines, [text.number(index) for index, _ in rows], {}, text.cuts)

    def column(self, index: int, column: int) -> int:
        """The raw column of a column of a line of the view."""
        row, margin = self._rows[index]
        return self._text.column(row, column + margin)

    def base(self, index: int) -> int:
        """The line's number in the text under all views."""
        return self._text.base(self._rows[index][0])


def _clean_column(stretch: tuple[int, int]) -> int:
    return stretch[0]


def decode(data: bytes | str) -> str:
    """Text of any bytes: UTF-8 (or UTF-16 with its mark), what cannot be read replaced; lone surrogates become `?`."""
    if isinstance(data, str):
        return data if data.isascii() else data.encode("utf-8", "replace").decode("utf-8")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace").encode("utf-8", "replace").decode("utf-8")
    return data.decode("utf-8", "replace")


def make_text(source: str, limits: Limits = DEFAULT) -> Text:
    """The text with its lines cleaned, line ends being LF, CRLF, or CR where there is no LF."""
    lines = source.split("\n" if "\n" in source or "\r" not in source else "\r")
    if not lines[-1]:
        lines.pop()
    return clean_text(lines, range(1, len(lines) + 1), limits)


def clean_text(raw: list[str], numbered: Sequence[int], limits: Limits = DEFAULT, lost: Mapping[int, int] | None = None) -> Text:
    """The pre-layer: redraws, control sequences, over-long lines. `numbered` are the numbers of the raw lines in the whole text, rising.

    `lost` says of how many characters each line was robbed before, by its number.
    """
    total = numbered[-1] if numbered else 0
    present = [sign for sign in _ANSI_SIGNS if any(sign in line for line in raw)]
    marked = bool(raw) and numbered[0] == 1 and raw[0].startswith("\ufeff")
    longest = max(map(len, raw), default=0)
    if not present and not lost and not marked and longest <= limits.line and not any("\r" in line for line in raw):
        return Text(RawLines(raw, numbered, total), raw, numbered, {})
    cuts: list[Cut] = []
    lines: list[str] = []
    numbers: list[int] = []
    maps: dict[int, Stretches] = {}
    for number, full in zip(numbered, raw, strict=True):
        whole = full[: limits.line]
        left_out = len(full) - len(whole) + (lost.get(number, 0) if lost else 0)
        if left_out:
            cuts.append(Cut(number, "the line is too long", left_out))
        offset = 1 if number == 1 and marked else 0
        for part in whole[offset:].rstrip("\r").split("\r"):
            clean, stretches = part, None
            if any(sign in part for sign in present):
                clean, stretches = _strip(part, offset)
            elif offset:
                stretches = ((0, offset),)
            if stretches is not None:
                maps[len(lines)] = stretches
            lines.append(clean)
            numbers.append(number)
            offset += len(part) + 1
    kept = [line.rstrip("\r") for line in raw]
    return Text(RawLines(kept, numbered, total), lines, numbers, maps, tuple(cuts))


def _strip(part: str, offset: int) -> tuple[str, Stretches]:
    pieces: list[str] = []
    stretches: list[tuple[int, int]] = []
    clean = raw = 0
    for found in _ANSI.finditer(part):
        if found.start() > raw:
            stretches.append((clean, offset + raw))
            pieces.append(part[raw : found.start()])
            clean += found.start() - raw
        raw = found.end()
    stretches.append((clean, offset + raw))
    pieces.append(part[raw:])
    return "".join(pieces), tuple(stretches)
