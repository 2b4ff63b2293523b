"""Why: rule files that all look alike are read for what they say; a formatter must be safe enough to run unasked.

What it settles: two spaces per level, lists one level below their key, one space around what stands in brackets and after commas, one
blank line where there were several, no space at the ends of lines, one line end at the end. Words, quotes, comments and the order of
everything stay, and what is written in brackets stays in brackets, on one line unless a comment stands in it.
"""

from __future__ import annotations

import json

from tollens.engine.errors import PackError
from tollens.engine.rulebook.source.layout import Comment, Laid, Part, comments, lay_out
from tollens.engine.rulebook.source.nodes import Map, Node, Scalar, read_documents
from tollens.engine.rulebook.source.problems import Problems
from tollens.engine.rulebook.syntax import Place

INDENT = 2


def formatted(data: bytes, file: str) -> str:
    """The text of a rule file or file of cases as it should be written; PackErrors where it cannot be read.

    PackError where the new text would not mean the same: such a file is left alone.
    """
    problems = Problems()
    before = read_documents(data, file, problems)
    problems.check()
    text = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    documents = lay_out(text)
    result = _Writer(text, documents).text()
    if not _same(before, result, file) or _words(text) != _words(result):
        raise PackError(
            "the file is written in a way that cannot be formatted without changing it",
            place=Place(file, 1),
            next_step="leave it as it is, or write the unusual part (a multi-line text, a comment in brackets) more simply",
        )
    return result


def _same(before: list[Map], text: str, file: str) -> bool:
    problems = Problems()
    try:
        after = read_documents(text.encode("utf-8"), file, problems)
    except PackError:
        return False
    return not len(problems) and [meaning(one) for one in before] == [meaning(one) for one in after]


def meaning(node: Node) -> object:
    """What a node says, without its places."""
    if isinstance(node, Scalar):
        return (type(node.value).__name__, node.value, node.text)
    if isinstance(node, Map):
        return [(key.text, meaning(value)) for key, value in node.entries]
    return ("list", [meaning(item) for item in node.items])


def _words(text: str) -> list[str]:
    return [comment.text for comment in comments(text, lay_out(text))]


class _Writer:
    def __init__(self, text: str, documents: list[Laid]) -> None:
        self._text = text
        self._documents = documents
        self._comments: list[Comment] = comments(text, documents)
        self._lines: list[str] = []

    def text(self) -> str:
        """All documents."""
        for number, document in enumerate(self._documents):
            begin = document.marker if document.marker >= 0 else document.root.start
            if number or document.marker >= 0:
                self._alone(begin, 0)
                if document.marker >= 0:
                    self._blank(document.marker)
                if number or self._lines:
                    self._lines.append("---")
            self._block(document.root, 0, document.end)
        self._alone(len(self._text) + 1, 0)
        return "\n".join(self._lines) + "\n"

    def _alone(self, until: int, indent: int, *, least: int = 0) -> None:
        """Write the comments before a place that stand on lines of their own; with `least`, those that are indented so far."""
        while self._comments and self._comments[0].start < until and self._comments[0].column >= least:
            comment = self._comments.pop(0)
            self._blank(comment.start)
            self._lines.append(" " * indent + comment.text)

    def _blank(self, at: int) -> None:
        """One blank line where the text has one before this place, but not at the beginning of something."""
        line = self._text.rfind("\n", 0, at)
        above = self._text.rfind("\n", 0, max(line, 0))
        empty = line > 0 and not self._text[above + 1 : line].strip()
        if empty and self._lines and self._lines[-1] not in ("", "---") and not self._opens(self._lines[-1]):
            self._lines.append("")

    def _opens(self, line: str) -> bool:
        return line.rstrip().endswith(":") and not line.lstrip().startswith("#")

    def _trailing(self, line_of: int) -> None:
        """Append the comment that stands at the end of the line of a place."""
        end = self._text.find("\n", line_of)
        end = len(self._text) if end < 0 else end
        if self._comments and not self._comments[0].alone and self._comments[0].start <= end:
            self._lines[-1] += " " + self._comments.pop(0).text

    def _block(self, part: Part, indent: int, until: int) -> None:
        """Write a part that begins on a line of its own."""
        if part.what == "scalar" or part.flow:
            self._alone(part.start, indent)
            self._lines.append(" " * indent)
            self._inline(part, indent, part.column)
            return
        step = 2 if part.what == "map" else 1
        for position in range(0, len(part.parts), step):
            following = part.parts[position + step].start if position + step < len(part.parts) else until
            first = part.parts[position]
            self._alone(first.start, indent)
            self._blank(first.start)
            self._lines.append(" " * indent)
            if part.what == "map":
                self._entry(first, part.parts[position + 1], indent, following)
            else:
                self._item(first, indent, following, part.column)
        self._alone(until, indent, least=part.column)

    def _entry(self, key: Part, value: Part, indent: int, until: int) -> None:
        """`key: value` on the line that is begun."""
        self._lines[-1] += self._text[key.start : key.end] + ":"
        if value.what == "scalar" or value.flow:
            if value.what != "scalar" or self._text[value.start : value.end].strip() or value.style:
                self._lines[-1] += " "
                self._inline(value, indent, key.column)
            else:
                self._trailing(key.end)
            return
        self._trailing(key.end)
        self._block(value, indent + INDENT, until)

    def _item(self, item: Part, indent: int, until: int, column: int) -> None:
        """`- item` on the line that is begun; `column` is where the list stands in the text."""
        self._lines[-1] += "-"
        if item.what == "scalar" or item.flow:
            if item.end > item.start or item.style:
                self._lines[-1] += " "
                self._inline(item, indent, column)
            return
        self._lines[-1] += " "
        line = len(self._lines) - 1
        self._block(item, indent + INDENT, until)
        if len(self._lines) > line + 1 and self._lines[line].endswith("- "):
            first = next(number for number in range(line + 1, len(self._lines)) if self._lines[number].strip())
            if not self._lines[first].lstrip().startswith("#"):
                self._lines[line] += self._lines[first].lstrip()
                del self._lines[line + 1 : first + 1]
            else:
                self._lines[line] = self._lines[line].rstrip()

    def _inline(self, part: Part, indent: int, column: int) -> None:
        """A scalar, or a part in brackets, after what the line holds; `column` is where what it belongs to stands in the text."""
        if part.what == "scalar" and part.style in ("|", ">"):
            self._literal(part, indent, column)
            return
        inside = [comment for comment in self._comments if part.start < comment.start < part.end]
        if inside:
            self._comments = [comment for comment in self._comments if comment not in inside]
            self._lines[-1] += self._text[part.start : part.end]
            self._lines[-1:] = [line.rstrip() for line in self._lines[-1].split("\n")]
        else:
            self._lines[-1] += self._flow(part)
        self._trailing(max(part.start, part.end - 1))

    def _flow(self, part: Part) -> str:
        """A part on one line."""
        if part.what == "scalar":
            source = self._text[part.start : part.end]
            return json.dumps(part.value, ensure_ascii=False) if "\n" in source else source
        if part.what == "list":
            return "[" + ", ".join(self._flow(item) for item in part.parts) + "]"
        pairs = zip(part.parts[::2], part.parts[1::2], strict=True)
        body = ", ".join(f"{self._flow(key)}: {self._flow(value)}" for key, value in pairs)
        return f"{{{body}}}" if self._text[part.start] == "{" else body

    def _literal(self, part: Part, indent: int, column: int) -> None:
        """A block text: its head, and its lines one level below, or as far below as the head says by a digit."""
        lines = self._text[part.start : part.end].removesuffix("\n").split("\n")
        head = lines[0].rstrip()
        body = [line.rstrip() if not line.strip() else line for line in lines[1:]]
        digit = next((int(char) for char in head.partition("#")[0] if char.isdigit()), 0)
        first = next((line for line in body if line.strip()), "")
        old = column + digit if digit else len(first) - len(first.lstrip(" "))
        while body and not body[-1].strip() and "+" not in head:
            body.pop()
        self._lines[-1] += head
        self._lines += [" " * (indent + (digit or INDENT)) + line[old:] if line.strip() else "" for line in body]
