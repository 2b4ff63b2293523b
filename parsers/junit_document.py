"""Why: a JUnit file is XML that may be cut off anywhere and must keep its line numbers; a scan for its few tags is enough."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from tollens.parsers.patterns import Pattern
from tollens.parsers.text import Text
from tollens.parsers.xml_text import Segment, XmlText

_TAG = Pattern(r"<(/?)(testsuite|testcase|failure|error)(?=[\s/>])")
_ATTRIBUTE = Pattern(r"([A-Za-z_:][\w:.-]*)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")


class Tag(NamedTuple):
    """A start tag: name, offset of its first character and of what follows it, whether it closes itself, its attributes' offsets."""

    name: str
    start: int
    end: int
    empty: bool
    attributes: dict[str, tuple[int, int]]


class Document:
    """The lines of a text as one string, with the way back from an offset to a line and a column."""

    __slots__ = ("_starts", "source", "text")

    def __init__(self, text: Text) -> None:
        self.text = text
        self.source = "\n".join(text.lines)
        self._starts: list[int] = []
        at = 0
        for line in text.lines:
            self._starts.append(at)
            at += len(line) + 1

    def row(self, offset: int) -> int:
        """The number of the clean line in which an offset lies."""
        return max(0, bisect_right(self._starts, offset) - 1)

    def start(self, row: int) -> int:
        """The offset at which a clean line begins."""
        return self._starts[row]

    def decoded(self, start: int, end: int, *, entities: bool = True) -> XmlText:
        """What stands between two offsets, decoded."""
        segments: list[Segment] = []
        for row in range(self.row(start), self.row(max(start, end - 1)) + 1):
            first = self._starts[row]
            segments.append((row, max(0, start - first), min(len(self.text.lines[row]), end - first)))
        return XmlText(self.text, segments, entities=entities)

    def value(self, tag: Tag, name: str) -> str | None:
        """An attribute's decoded value; None where the tag has none of that name."""
        span = tag.attributes.get(name)
        return None if span is None else "\n".join(self.decoded(*span).lines)

    def tags(self) -> list[Tag]:
        """The start and end tags (an end tag's name begins with `/`) of suites, cases, failures and errors, in order."""
        found: list[Tag] = []
        end = 0
        for match in _TAG.finditer(self.source):
            if match.start() < end:
                continue
            if match.group(1):
                found.append(Tag("/" + match.group(2), match.start(), match.end(), False, {}))
                continue
            close = _close(self.source, match.end())
            if close < 0:
                break
            end = close + 1
            inside = self.source[match.end() : close]
            attributes = {}
            for pair in _ATTRIBUTE.finditer(inside):
                group = 2 if pair.group(2) is not None else 3
                attributes[pair.group(1)] = (match.end() + pair.start(group), match.end() + pair.end(group))
            found.append(Tag(match.group(2), match.start(), end, inside.endswith("/"), attributes))
        return found


def _close(source: str, at: int) -> int:
    """The offset of the `>` that ends a tag, outside of quotes; -1 where there is none."""
    while at < len(source):
        char = source[at]
        if char == ">":
            return at
        if char in "'\"":
            at = source.find(char, at + 1)
            if at < 0:
                return -1
        at += 1
    return -1
