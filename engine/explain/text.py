"""Why: a proof that is pleasant to read gets read: sentence first, then who says so, down to the raw line with carets under the words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tollens.engine.explain.reading import Json, Record
from tollens.engine.explain.sentences import again, computed_value, deciding, fields_text, mention, producer, sentence, shown, summary
from tollens.engine.explain.terminal import Style, cells, excerpt, wrapped
from tollens.engine.explain.tree import COUNT_LIMIT, Node, walk

#: Levels that are indented; deeper ones stay at this indentation and tell their level.
INDENTED = 24
#: Raw lines shown for one fact.
RAW_LINES = 3
_LEAST_WIDTH = 40


def render(record: Record, trees: Sequence[Node], style: Style) -> Iterator[str]:
    """The trees as lines without line ends."""
    for tree in trees:
        stack: list[tuple[Node, int, str, bool]] = [(tree, 0, "", True)]
        while stack:
            node, level, guides, last = stack.pop()
            yield from _node_lines(record, node, style, level, guides, last)
            inner = _inner(style, guides, level, last)
            stack += [(child, level + 1, inner, child is node.children[-1]) for child in reversed(node.children)]


def _inner(style: Style, guides: str, level: int, last: bool) -> str:
    """The guides of what stands under a node."""
    if level == 0 or level > INDENTED:
        return guides
    return guides + (style.guides.blank if last else style.guides.bar)


def _node_lines(record: Record, node: Node, style: Style, level: int, guides: str, last: bool) -> Iterator[str]:
    lead = guides + ((style.guides.last if last else style.guides.fork) if level else "")
    inner = _inner(style, guides, level, last)
    follow = inner + (style.guides.bar if node.children else style.guides.blank)
    if level > INDENTED:
        lead += f"[level {level}] "
    head, details = _content(record, node)
    head = style.safe(head)
    for number, part in enumerate(_wrap(head, style, cells(lead), cells(follow))):
        yield (lead if number == 0 else follow) + style.paint(part, "strong" if node.is_fact and node.note != "above" else "faint")
    for detail in details:
        for part in _wrap(style.safe(detail), style, cells(follow), cells(follow)):
            yield follow + style.paint(part, "faint")
    if node.is_fact and node.fact is not None and node.note != "above":
        for text, colour in _raw(record, node.fact, style, style.width - cells(follow)):
            yield follow + style.paint(text, colour)


def _wrap(text: str, style: Style, first: int, rest: int) -> list[str]:
    if not style.width:
        return [text]
    return wrapped(text, max(style.width - first, _LEAST_WIDTH), max(style.width - rest, _LEAST_WIDTH))


def _content(record: Record, node: Node) -> tuple[str, list[str]]:
    """The first line of a node and the lines of detail under it, not yet made harmless."""
    if node.is_fact and node.fact is not None and node.way is not None:
        label = f"{node.label}: " if node.label else ""
        if node.note == "above":
            return label + again(record, node.fact, node.way), []
        return label + sentence(record, node.fact, node.way), _details(record, node, node.fact, node.way)
    if node.role == "lost":
        return _lost(record, node), []
    if node.role == "way" and node.way is not None and node.fact is not None:
        return f"also {producer(record, node.way)}: {sentence(record, node.fact, node.way)}", []
    if node.role == "computed" and node.way is not None:
        return _computed(record, node, node.way), []
    if node.role == "absent":
        return f"no {node.label}", []
    if node.role == "more":
        return f"{node.hidden} more{' ' + node.label if node.label else ''}, not shown (--all shows them)", []
    return node.label, []


def _details(record: Record, node: Node, fact: Json, way: Json) -> list[str]:
    told = sentence(record, fact, way)
    short, made = record.short(fact["id"]), producer(record, way)
    # where the summary stands for the sentence, the fields are not told twice
    lines = [f"{short}, {made}"] if told == summary(record, fact) else [f"{short} {fields_text(record, fact)}".rstrip(), made]
    if way["by"] == "measure" and not way.get("inputs"):
        lines.append("the function named no facts that it was computed from")
    if way["by"] == "pattern":
        lines.append(f"regular expression {record.rule(way['name']).get('regex', '?')}")
    lines += [f"also {producer(record, other)}" for other in node.others[:3]]
    if len(node.others) > 3:
        lines.append(f"also in {len(node.others) - 3} more ways (--all shows them)")
    if node.note == "deep":
        count = f"{node.hidden} or more" if node.hidden >= COUNT_LIMIT else str(node.hidden)
        lines.append(f"{count} fact{'' if node.hidden == 1 else 's'} below, not shown (--depth sets how many levels are)")
    return lines


def _lost(record: Record, node: Node) -> str:
    text = f"passed over: {mention(record, node.label)}"
    if node.way is None or node.against is None:
        return text
    return f"{text}, {deciding(record, str(node.way.get('key', '')), node.against, node.way)}"


def _computed(record: Record, node: Node, way: Json) -> str:
    name, _, inputs = way["computed"][node.index]
    if not name:
        return f"aggregates in the conclusion, over {len(inputs)} facts"
    over = f", over {len(inputs)} fact{'' if len(inputs) == 1 else 's'}" if inputs else ""
    return f"{name} = {shown(record, computed_value(record, way, node.index))}{over}"


def _raw(record: Record, fact: Json, style: Style, width: int) -> Iterator[tuple[str, str]]:
    """The raw lines that a fact's spans cite, each with carets."""
    by_line: dict[int, list[tuple[str, int, int]]] = {}
    for name, (number, start, end) in fact["spans"].items():
        by_line.setdefault(number, []).append((name, start, end))
    for number in sorted(by_line)[:RAW_LINES]:
        spans = sorted((start, end) for name, start, end in by_line[number] if name) or [(start, end) for _, start, end in by_line[number]]
        gutter = f"line {number} | "
        room = max(width - len(gutter), _LEAST_WIDTH) if style.width else 0
        for column, text in record.line(number):
            inside = [(start - column, end - column) for start, end in spans if column <= start <= column + len(text)]
            if not inside:
                continue
            line, marks = excerpt(style, text, inside, room)
            yield gutter + (style.guides.cut if column else "") + line, "place"
            yield f"{'|':>{len(gutter) - 1}} " + (" " * cells(style.guides.cut) if column else "") + marks, "mark"
        if not record.line(number):
            yield f"{gutter}(not kept)", "faint"
    if len(by_line) > RAW_LINES:
        yield f"{len(by_line) - RAW_LINES} more raw lines cited", "faint"


def to_json(record: Record, trees: Sequence[Node]) -> list[dict[str, object]]:
    """The trees as a flat list of nodes in reading order, so that no proof is too deep for a JSON reader.

    Each has `number`, `parent` (a number or null), `role` and, as far as they apply, `label`, `fact` (as the record holds it, without its
    derivations), `derivation`, `sentence`, `producer`, `others` (derivations not shown), `note` and `hidden` (see Node).
    """
    numbers: dict[int, int] = {}
    nodes: list[dict[str, object]] = []
    for node, parent in walk(trees):
        number = numbers[id(node)] = len(nodes)
        data: dict[str, object] = {"number": number, "parent": numbers[id(parent)] if parent is not None else None, "role": node.role}
        if node.label:
            data["label"] = node.label
        if node.fact is not None:
            data["fact"] = {name: value for name, value in node.fact.items() if name != "derivations"}
        if node.way is not None and node.role != "computed":
            data["derivation"] = node.way
        if node.is_fact and node.fact is not None and node.way is not None:
            data["sentence"], data["producer"] = sentence(record, node.fact, node.way), producer(record, node.way)
        if node.role == "computed" and node.way is not None:
            data["value"] = computed_value(record, node.way, node.index)
        elif node.hidden:
            data["hidden"] = node.hidden
        if node.others:
            data["others"] = node.others
        if node.note:
            data["note"] = node.note
        nodes.append(data)
    return nodes
