"""Why: text inside XML is written with entities; grammars read it decoded, and every fact still points at the raw characters."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from tollens.facts.fact import Span
from tollens.parsers.patterns import Pattern
from tollens.parsers.text import Text

_ENTITY = Pattern(r"&(lt|gt|amp|quot|apos|#[0-9]{1,7}|#x[0-9a-fA-F]{1,6});")
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}

#: A stretch of a clean line: its number, the column at which the stretch begins, and the column after it.
Segment = tuple[int, int, int]


class XmlText(Text):
    """Stretches of another text with their entities decoded; a line-feed entity ends a line."""

    __slots__ = ("_rows", "_stretches", "_text")

    def __init__(self, text: Text, segments: Sequence[Segment], *, entities: bool) -> None:
        lines: list[str] = []
        self._text = text
        self._rows: list[int] = []
        self._stretches: list[list[tuple[int, int]]] = []
        for row, start, end in segments:
            for line, stretches in _decode(text.lines[row][start:end], start, entities):
                lines.append(line)
                self._rows.append(row)
                self._stretches.append(stretches)
        super().__init__(text.all_raw, lines, [text.number(row) for row in self._rows], {}, text.cuts)

    def column(self, index: int, column: int) -> int:
        """The raw column of a column of a decoded line."""
        stretches = self._stretches[index]
        clean, start = stretches[max(0, bisect_right(stretches, column, key=_clean) - 1)]
        return self._text.column(self._rows[index], start + column - clean)

    def span(self, index: int, start: int, end: int) -> Span:
        """Where the columns from `start` to before `end` stand in the raw text; an entity is one character here and several there."""
        first = self.column(index, start)
        known = dict(self._stretches[index])
        if end <= start:
            last = first
        elif end in known and end - 1 in known:
            last = self._text.column(self._rows[index], known[end] - 1) + 1
        else:
            last = self.column(index, end - 1) + 1
        return Span(self.number(index), first, last)

    def base(self, index: int) -> int:
        """The line's number in the text under all views."""
        return self._text.base(self._rows[index])

    def cut(self, margin: int) -> None:
        """Leave out up to so many blanks at the beginning of each line."""
        for index, line in enumerate(self.lines):
            skip = min(margin, len(line) - len(line.lstrip()))
            moved = [(column - skip, raw) for column, raw in self._stretches[index] if column > skip]
            clean, start = self._stretches[index][max(0, bisect_right(self._stretches[index], skip, key=_clean) - 1)]
            self._stretches[index] = [(0, start + skip - clean), *moved]
            self.lines[index] = line[skip:]

    def widen(self, index: int, at: int, blanks: int) -> None:
        """Put blanks into a line before a column; they stand for nothing in the raw text."""
        stretches = self._stretches[index]
        place = bisect_right(stretches, at, key=_clean)
        clean, start = stretches[max(0, place - 1)]
        moved = [(column + blanks, raw) for column, raw in stretches[place:]]
        self._stretches[index] = [*stretches[:place], (at + blanks, start + at - clean), *moved]
        self.lines[index] = self.lines[index][:at] + " " * blanks + self.lines[index][at:]


def _clean(stretch: tuple[int, int]) -> int:
    return stretch[0]


def _decode(part: str, start: int, entities: bool) -> list[tuple[str, list[tuple[int, int]]]]:
    """The lines that a stretch of one line holds, each with where its parts begin: decoded column, column in the line."""
    found: list[tuple[str, list[tuple[int, int]]]] = []
    pieces: list[str] = []
    stretches: list[tuple[int, int]] = [(0, start)]
    length = at = 0
    for entity in _ENTITY.finditer(part) if entities and "&" in part else ():
        char = _char(entity.group(1))
        pieces += [part[at : entity.start()], char if char != "\n" else ""]
        length += entity.start() - at
        at = entity.end()
        if char == "\n":
            found.append(("".join(pieces), stretches))
            pieces, stretches, length = [], [(0, start + at)], 0
        else:
            stretches.append((length, start + entity.start()))
            length += len(char)
            stretches.append((length, start + at))
    pieces.append(part[at:])
    found.append(("".join(pieces), stretches))
    return found


def _char(name: str) -> str:
    if name in _NAMED:
        return _NAMED[name]
    code = int("0" + name[1:], 0) if name[1] == "x" else int(name[1:])
    return chr(code) if 0 < code < 0xD800 or 0xDFFF < code < 0x110000 else "\ufffd"
