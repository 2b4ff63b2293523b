"""Why: YAML text becomes a small positioned tree, so that every later error can point at the line and column of what is wrong.

Only what rule files need is let in: no anchors, aliases, tags, merge keys, duplicate keys or tabs in indentation, at most 200 levels.
A plain scalar is `true` or `false`, a decimal number, nothing (`null`, `~`) or a text; `yes`, `on`, dates, `010` and `1:30` are texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml

from tollens.engine.rulebook.source.problems import Problems, fault
from tollens.engine.rulebook.source.yaml_words import syntax_error
from tollens.engine.rulebook.syntax import Place

#: Levels of nesting of one document.
DEPTH_LIMIT = 200

Plain = str | int | float | bool | None


class Scalar(NamedTuple):
    """A single value: what it means, and the characters that stand for it."""

    value: Plain
    text: str
    place: Place


class Seq(NamedTuple):
    """A list."""

    items: tuple[Node, ...]
    place: Place


class Map(NamedTuple):
    """A mapping in the order written."""

    entries: tuple[tuple[Scalar, Node], ...]
    place: Place

    def get(self, name: str) -> Node | None:
        """The value of a key."""
        for key, value in self.entries:
            if key.text == name:
                return value
        return None


Node = Scalar | Seq | Map

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_INT = re.compile(r"[-+]?(0|[1-9][0-9]{0,30})", re.ASCII)
_FLOAT = re.compile(
    r"""[-+]? (
        (0|[1-9][0-9]*)? \. [0-9]+ ([eE][-+]?[0-9]{1,3})?
      | (0|[1-9][0-9]*) (\. [0-9]*)? [eE][-+]?[0-9]{1,3}
      | (0|[1-9][0-9]*) \.
    )""",
    re.ASCII | re.VERBOSE,
)
_CONTROL = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_TAB = re.compile(r"^ *\t", re.MULTILINE)


def resolve(text: str) -> Plain:
    """What an unquoted scalar means."""
    if text in ("true", "false"):
        return text == "true"
    if text in ("", "~", "null"):
        return None
    if _INT.fullmatch(text):
        return int(text)
    if len(text) <= 60 and _FLOAT.fullmatch(text):
        return float(text)
    return text


def read_documents(data: bytes, file: str, problems: Problems) -> list[Map]:
    """The documents of a file. Raises PackError for what makes the file unreadable; other faults go to `problems`."""
    text = _decoded(data, file)
    tab = _TAB.search(text)
    if tab:
        line = text.count("\n", 0, tab.start()) + 1
        place = Place(file, line, tab.end() - tab.start())
        raise fault(place, "a tab stands in the indentation", expected="spaces", next_step="replace the tab by spaces")
    control = _CONTROL.search(text)
    if control:
        line = text.count("\n", 0, control.start()) + 1
        place = Place(file, line, control.start() - text.rfind("\n", 0, control.start()))
        raise fault(
            place, f"a control character ({control.group()!a})", expected="text", next_step="write it as an escape in double quotes"
        )
    documents: list[Map] = []
    found = False
    for node in _Reader(file, problems).documents(text):
        found = True
        if isinstance(node, Map):
            documents.append(node)
        else:
            what = "is empty" if isinstance(node, Scalar) and node.value is None else "is not a mapping"
            problems.add(
                fault(
                    node.place,
                    f"this document {what}",
                    expected="a mapping such as `stage: NAME` with `rules:`",
                    next_step="see docs/language.md#rule-files",
                )
            )
    if not found:
        problems.add(
            fault(Place(file, 1), "the file is empty", expected="at least one document", next_step="write a document or delete the file")
        )
    return documents


def _decoded(data: bytes, file: str) -> str:
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        raise fault(Place(file, line), "this is a binary file: it holds a zero byte", expected="YAML text in UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        start = data.rfind(b"\n", 0, error.start) + 1
        place = Place(file, data.count(b"\n", 0, error.start) + 1, len(data[start : error.start].decode("utf-8", "replace")) + 1)
        raise fault(place, "the file is not UTF-8 text", expected="UTF-8", next_step="save the file in UTF-8") from None


class _Open:
    """A list or mapping that is still being read."""

    __slots__ = ("entries", "is_map", "items", "key", "known", "place")

    def __init__(self, place: Place, is_map: bool) -> None:
        self.place = place
        self.is_map = is_map
        self.items: list[Node] = []
        self.entries: list[tuple[Scalar, Node]] = []
        self.key: Scalar | None = None
        self.known: dict[str, Place] = {}

    def closed(self) -> Node:
        return Map(tuple(self.entries), self.place) if self.is_map else Seq(tuple(self.items), self.place)


class _Reader:
    """Builds trees from YAML events with a stack of its own, so that depth never meets the interpreter's recursion limit."""

    def __init__(self, file: str, problems: Problems) -> None:
        self._file = file
        self._problems = problems

    def documents(self, text: str) -> Iterator[Node]:
        stack: list[_Open] = []
        try:
            for event in yaml.parse(text, Loader=_LOADER):
                if isinstance(event, yaml.ScalarEvent | yaml.SequenceStartEvent | yaml.MappingStartEvent | yaml.AliasEvent):
                    node = self._enter(event, stack)
                elif isinstance(event, yaml.SequenceEndEvent | yaml.MappingEndEvent):
                    node = stack.pop().closed()
                else:
                    continue
                if node is not None:
                    if stack:
                        self._put(stack[-1], node)
                    else:
                        yield node
        except yaml.YAMLError as error:
            raise syntax_error(error, self._file, text) from None

    def _enter(self, event: yaml.NodeEvent, stack: list[_Open]) -> Node | None:
        mark = event.start_mark
        place = Place(self._file, mark.line + 1, mark.column + 1) if mark is not None else Place(self._file, 1)
        self._refuse(event, place)
        if isinstance(event, yaml.ScalarEvent):
            text = event.value
            if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
                raise fault(place, "this text holds half of a surrogate pair", expected="valid Unicode")
            return Scalar(resolve(text) if event.implicit[0] else text, text, place)
        if len(stack) >= DEPTH_LIMIT:
            raise fault(
                place, f"the document is nested deeper than {DEPTH_LIMIT} levels", next_step="close the brackets, or split the value"
            )
        stack.append(_Open(place, isinstance(event, yaml.MappingStartEvent)))
        return None

    def _refuse(self, event: yaml.NodeEvent, place: Place) -> None:
        if isinstance(event, yaml.AliasEvent):
            raise fault(
                place,
                f"the alias *{event.anchor} is not allowed",
                expected="the value itself",
                next_step="repeat the value, or put a text that begins with * in quotes",
            )
        if event.anchor is not None:
            raise fault(
                place,
                f"the anchor &{event.anchor} is not allowed",
                expected="a value without an anchor",
                next_step="remove it, or put a text that begins with & in quotes",
            )
        if isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent) and event.tag is not None:
            raise fault(
                place,
                f"the tag {event.tag} is not allowed",
                expected="a value without a tag",
                next_step="remove it, or put a text that begins with ! in quotes",
            )

    def _put(self, parent: _Open, node: Node) -> None:
        if not parent.is_map:
            parent.items.append(node)
        elif parent.key is None:
            if not isinstance(node, Scalar):
                raise fault(node.place, "a key must be a single text", expected="`key: value`")
            if node.text == "<<" and node.value == "<<":
                raise fault(node.place, "merge keys (<<) are not allowed", expected="the keys themselves", next_step="repeat the keys")
            parent.key = node
        else:
            key, parent.key = parent.key, None
            first = parent.known.setdefault(key.text, key.place)
            if first is not key.place:
                self._problems.add(
                    fault(
                        key.place,
                        f"the key {key.text!r} stands twice in this mapping; first in line {first.line}",
                        expected="each key once",
                        next_step="remove or rename one of them",
                    )
                )
            else:
                parent.entries.append((key, node))
