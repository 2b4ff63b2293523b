"""Why: a formatter must know how a file is written, not only what it says: where each part begins and ends, and where comments stand."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import yaml

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Mark(Protocol):
    """What is used of a mark; the two loaders have a class each."""

    index: int
    column: int


class Part(NamedTuple):
    """A scalar, list or mapping with its place in the text (characters from 0, and its column).

    `parts` are the items of a list, or keys and values of a mapping in turn; `style` is that of a scalar ("" plain, else ' " | >), `flow`
    is true within brackets.
    """

    what: str
    start: int
    end: int
    column: int
    flow: bool
    style: str
    value: str
    parts: tuple[Part, ...]


class Laid(NamedTuple):
    """A document: where its `---` stands (-1: none is written), its content, and where it ends."""

    marker: int
    root: Part
    end: int


class Comment(NamedTuple):
    """A comment: where it begins, its column, its text from `#` on, and whether it stands on a line of its own."""

    start: int
    column: int
    text: str
    alone: bool


def lay_out(text: str) -> list[Laid]:
    """The documents of a text that the loader can read. It must hold no anchors, tags or directives, which the loader refuses."""
    documents: list[Laid] = []
    stack: list[tuple[yaml.CollectionStartEvent, list[Part]]] = []
    marker, root = -1, None
    for event in yaml.parse(text, Loader=_LOADER):
        if isinstance(event, yaml.DocumentStartEvent):
            marker, root = (_at(event.start_mark).index if event.explicit else -1), None
        elif isinstance(event, yaml.DocumentEndEvent):
            assert root is not None
            documents.append(Laid(marker, root, _at(event.start_mark).index))
        elif isinstance(event, yaml.SequenceStartEvent | yaml.MappingStartEvent):
            stack.append((event, []))
        elif isinstance(event, yaml.ScalarEvent | yaml.SequenceEndEvent | yaml.MappingEndEvent):
            part = _scalar(event) if isinstance(event, yaml.ScalarEvent) else _closed(*stack.pop(), event)
            if stack:
                stack[-1][1].append(part)
            else:
                root = part
    return documents


def _at(mark: _Mark | None) -> _Mark:
    assert mark is not None  # events that come from a text have marks; only those made by hand may lack them
    return mark


def _scalar(event: yaml.ScalarEvent) -> Part:
    start = _at(event.start_mark)
    return Part("scalar", start.index, _at(event.end_mark).index, start.column, False, event.style or "", event.value, ())


def _closed(opened: yaml.CollectionStartEvent, parts: list[Part], event: yaml.CollectionEndEvent) -> Part:
    what = "map" if isinstance(opened, yaml.MappingStartEvent) else "list"
    mark = _at(opened.start_mark)
    return Part(what, mark.index, _at(event.end_mark).index, mark.column, bool(opened.flow_style), "", "", tuple(parts))


def comments(text: str, documents: list[Laid]) -> list[Comment]:
    """All comments of a text, in order."""
    covered = [span for document in documents for span in _scalars(document.root)]
    found: list[Comment] = []
    position, next_scalar = 0, 0
    while (at := text.find("#", position)) >= 0:
        position = at + 1
        while next_scalar < len(covered) and covered[next_scalar][1] <= at:
            next_scalar += 1
        if next_scalar < len(covered) and covered[next_scalar][0] <= at:
            position = covered[next_scalar][1]
            continue
        line = text.rfind("\n", 0, at) + 1
        if at > line and text[at - 1] not in " \t":
            continue
        end = text.find("\n", at)
        position = len(text) if end < 0 else end
        found.append(Comment(at, at - line, text[at:position].rstrip(), not text[line:at].strip()))
    return found


def _scalars(part: Part) -> list[tuple[int, int]]:
    """Where scalars stand, in order."""
    spans: list[tuple[int, int]] = []
    stack = [part]
    while stack:
        one = stack.pop()
        if one.what == "scalar":
            spans.append((one.start, one.end))
        stack += reversed(one.parts)
    return spans
