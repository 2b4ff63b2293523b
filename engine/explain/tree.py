"""Why: a proof is a graph; a person reads it as a tree in which what is shared is shown once and what is left out is counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tollens.engine.explain.reading import Json, Record

#: How many facts below a cut are counted before the count is given as "at least".
COUNT_LIMIT = 100


class Limits(NamedTuple):
    """How much of a proof is shown.

    `depth` is levels of facts below a root and `width` premises of one sort beside each other (0: no limit); with `all_ways` every
    derivation of a fact is shown, otherwise the first, which is the canonical shortest.
    """

    depth: int = 12
    width: int = 8
    all_ways: bool = False


class Node:
    """One place in a proof tree.

    `role` is root, bound (`label` is the alias), input (a fact that an operator or measure went over), computed (a value with the facts
    that it was counted over as children), absent (a pattern that found nothing), lost (a fact that an election passed over), text (an
    input that is no fact), way (a further derivation, its premises as children), or more (`hidden` premises that were left out).
    `note` is empty, above (the fact is shown earlier in the tree) or deep (`hidden` facts below are not shown). `others` are derivations
    that are not shown. `index` is a computed value's position in its derivation; `against` is the winner's derivation of a node that lost.
    """

    __slots__ = ("against", "children", "fact", "hidden", "index", "label", "note", "others", "role", "way")

    def __init__(self, role: str, label: str = "", fact: Json | None = None, way: Json | None = None) -> None:
        self.role = role
        self.label = label
        self.fact = fact
        self.way = way
        self.others: list[Json] = []
        self.children: list[Node] = []
        self.note = ""
        self.hidden = 0
        self.index = 0
        self.against: Json | None = None

    @property
    def is_fact(self) -> bool:
        """Whether the node stands for a fact of the proof (not for a mention of one that lost)."""
        return self.fact is not None and self.role in ("root", "bound", "input")


def build_tree(record: Record, roots: Sequence[str], limits: Limits | None = None) -> list[Node]:
    """The proof trees of facts by id, in turn; what an earlier tree shows, a later one refers to. KeyError for an unknown id."""
    limits = limits or Limits()
    trees = [Node("root", "", record.by_id[fact_id]) for fact_id in roots]
    shown: set[str] = set()
    stack = [(tree, 0) for tree in reversed(trees)]
    while stack:
        node, depth = stack.pop()
        if node.is_fact and node.fact is not None:
            _expand(record, node, node.fact, depth, limits, shown)
            depth += 1
        stack += [(child, depth) for child in reversed(node.children)]
    return trees


def _expand(record: Record, node: Node, fact: Json, depth: int, limits: Limits, shown: set[str]) -> None:
    ways = fact["derivations"]
    node.way = ways[0]
    if fact["id"] in shown:
        node.note = "above"
        return
    if limits.depth and depth >= limits.depth:
        node.hidden = _below(record, fact, shown)
        if node.hidden:
            node.note = "deep"
            return
    shown.add(fact["id"])
    node.children = _premises(record, fact, ways[0], limits)
    if not limits.all_ways:
        node.others = ways[1:]
        return
    for way in ways[1:]:
        other = Node("way", "", fact, way)
        other.children = _premises(record, fact, way, limits)
        node.children.append(other)


def _premises(record: Record, fact: Json, way: Json, limits: Limits) -> list[Node]:
    """What a derivation rests on, in the order in which it is read: bound facts, inputs, who lost, what was absent, what was computed."""
    found = [_fact_node(record, "bound", alias, fact_id) for alias, fact_id in way.get("bound", ())]
    if way["by"] == "elect":
        found += _election(record, fact, way, limits)
    else:
        label = "nearest" if way["by"] == "take" else ""
        found += _inputs(record, way.get("inputs", ()), limits, label)
    found += [Node("absent", pattern) for pattern in way.get("absent", ())]
    for position, (name, _, inputs) in enumerate(way.get("computed", ())):
        node = Node("computed", name, None, way)
        node.index = position
        node.children = _inputs(record, inputs, limits)
        found.append(node)
    return found


def _election(record: Record, fact: Json, way: Json, limits: Limits) -> list[Node]:
    """For a winner, those passed over for it; for who lost, the winner."""
    inputs = way.get("inputs", [])
    if fact["kind"] in ("passed_over", "tied"):
        return _inputs(record, inputs, limits, "winner")
    winner = way["bound"][0][1] if way.get("bound") else ""
    losers = {str(lost["fields"].get("loser")): lost for lost in record.losers(way["name"], winner)}
    nodes = []
    for fact_id in inputs:
        if fact_id != winner:
            lost = losers.get(fact_id)
            node = Node("lost", fact_id, record.by_id.get(fact_id), lost["derivations"][0] if lost else None)
            node.against = way
            nodes.append(node)
    return _within(nodes, limits)


def _inputs(record: Record, ids: Sequence[str], limits: Limits, label: str = "") -> list[Node]:
    return _within([_fact_node(record, "input", label, fact_id) for fact_id in dict.fromkeys(ids)], limits)


def _within(nodes: list[Node], limits: Limits) -> list[Node]:
    if not limits.width or len(nodes) <= limits.width:
        return nodes
    more = Node("more", "passed over" if nodes[-1].role == "lost" else "")
    more.hidden = len(nodes) - limits.width
    return [*nodes[: limits.width], more]


def _fact_node(record: Record, role: str, label: str, fact_id: str) -> Node:
    fact = record.by_id.get(fact_id)
    return Node(role, label, fact) if fact is not None else Node("text", fact_id)


def premise_ids(way: Json) -> Iterator[str]:
    """The ids that a derivation rests on; for an election its candidates too."""
    for _, fact_id in way.get("bound", ()):
        yield fact_id
    yield from way.get("inputs", ())
    for _, _, inputs in way.get("computed", ()):
        yield from inputs


def _below(record: Record, fact: Json, shown: set[str]) -> int:
    """How many facts the first derivations of a fact rest on that are not shown yet; counting ends at COUNT_LIMIT."""
    seen: set[str] = set()
    stack = [fact]
    while stack and len(seen) < COUNT_LIMIT:
        for fact_id in premise_ids(stack.pop()["derivations"][0]):
            if fact_id in record.by_id and fact_id not in shown and fact_id not in seen:
                seen.add(fact_id)
                stack.append(record.by_id[fact_id])
    return min(len(seen), COUNT_LIMIT)


def walk(trees: Sequence[Node]) -> Iterator[tuple[Node, Node | None]]:
    """All nodes of trees with their parents, in the order in which they are read."""
    stack: list[tuple[Node, Node | None]] = [(tree, None) for tree in reversed(trees)]
    while stack:
        node, parent = stack.pop()
        yield node, parent
        stack += [(child, node) for child in reversed(node.children)]
