"""Why: raw output of failed runs is hostile text; what reaches a terminal must be harmless, aligned and within the terminal's means."""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import category, east_asian_width

TAB = 4
_COLOURS = {"strong": "1", "faint": "2", "mark": "91", "place": "36", "title": "1;36"}


class Guides:
    """The characters of a tree."""

    __slots__ = ("bar", "blank", "cut", "fork", "last")

    def __init__(self, fork: str, last: str, bar: str, cut: str) -> None:
        self.fork, self.last, self.bar, self.cut = fork, last, bar, cut
        self.blank = " " * len(bar)


_LINES = Guides("├─ ", "└─ ", "│  ", "…")
_ASCII = Guides("|- ", "`- ", "|  ", "...")


class Style:
    """How text is shown: for an output encoding, with colour or without, within `width` cells (0: not limited)."""

    def __init__(self, *, encoding: str = "utf-8", colour: bool = False, width: int = 0) -> None:
        self._encoding = encoding
        self._colour = colour
        self.width = width
        self._shown: dict[str, str] = {}
        self.guides = _LINES if all(self._encodable(char) for char in "├─└│…") else _ASCII

    def paint(self, text: str, colour: str) -> str:
        """The text in a colour: strong, faint, mark, place or title."""
        return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m" if self._colour and text else text

    def safe(self, text: str) -> str:
        """The text without anything that acts on a terminal or cannot be seen: that appears as escapes (`\\x1b`, `\\u202e`, `\\n`, `\\t`).

        Controls, formats (text direction among them), surrogates and all separators but the plain space are such characters.
        """
        if text.isascii() and text.isprintable():
            return text
        return "".join([self.char(char) for char in text])

    def char(self, char: str) -> str:
        """One character as it is shown."""
        known = self._shown.get(char)
        if known is None:
            known = self._shown[char] = char if self._is_plain(char) else _escape(char)
        return known

    def _is_plain(self, char: str) -> bool:
        return char.isprintable() and self._encodable(char)

    def _encodable(self, char: str) -> bool:
        try:
            char.encode(self._encoding)
        except (UnicodeEncodeError, LookupError):
            return False
        return True


def _escape(char: str) -> str:
    number = ord(char)
    named = {9: "\\t", 10: "\\n", 13: "\\r"}.get(number)
    if named:
        return named
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def cells(text: str) -> int:
    """How many cells of a terminal a harmless text takes: wide characters two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(0 if category(char) in ("Mn", "Me") else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def cut(text: str, room: int) -> str:
    """As much of the beginning of a harmless text as fits into `room` cells."""
    taken = 0
    for position, char in enumerate(text):
        taken += cells(char)
        if taken > room:
            return text[:position]
    return text


def excerpt(style: Style, text: str, spans: Sequence[tuple[int, int]], width: int) -> tuple[str, str]:
    """A raw text and a line of carets under spans of it (columns in characters).

    Both are cut to `width` cells around the first span (0: not cut).
    """
    shown: list[str] = []
    at = [0]
    for char in text:
        part = " " * (TAB - at[-1] % TAB) if char == "\t" else style.char(char)
        shown.append(part)
        at.append(at[-1] + cells(part))
    inside = [(min(max(start, 0), len(text)), min(max(end, 0), len(text))) for start, end in spans]
    low, high = _window(at, inside[0] if inside else (0, 0), width - 2 * cells(style.guides.cut)) if 0 < width < at[-1] else (0, len(text))
    before = style.guides.cut if low else ""
    after = style.guides.cut if high < len(text) else ""
    marks = [" "] * (at[high] - at[low] + 1)
    for start, end in inside:
        if start > high or (end < low) or (start == high and high < len(text)):
            continue
        first, last = at[max(start, low)] - at[low], at[min(max(end, start), high)] - at[low]
        for cell in range(first, max(last, first + 1)):
            marks[cell] = "^"
    return before + "".join(shown[low:high]) + after, (" " * cells(before) + "".join(marks)).rstrip()


def _window(at: Sequence[int], span: tuple[int, int], room: int) -> tuple[int, int]:
    """The stretch of characters to show: the span's beginning, then some of what is before it, then what follows."""
    room = max(room, 8)
    low = span[0]
    used = min(at[span[1]] - at[span[0]], room)
    context = max((room - used) // 2, room // 5 if used == room else 0)
    while low > 0 and at[span[0]] - at[low - 1] <= context:
        low -= 1
    high = low
    while high + 1 < len(at) and at[high + 1] - at[low] <= room:
        high += 1
    while low > 0 and at[high] - at[low - 1] <= room:
        low -= 1
    return low, high


def wrapped(text: str, first: int, rest: int) -> list[str]:
    """A harmless text broken at spaces into lines of at most `first` (the first one) and `rest` cells; a longer word stays whole."""
    lines: list[str] = []
    current, room = "", first
    for word in text.split(" "):
        longer = f"{current} {word}" if current else word
        if current and cells(longer) > room:
            lines.append(current)
            current, room = word, rest
        else:
            current = longer
    return [*lines, current]
