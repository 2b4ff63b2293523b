"""Why: the engine needs 8 kB of memory for each fact, and fresh memory is what costs most of its time.

Where equalities tie all conditions of a rule, only facts that hang together through equal values can meet. If besides no rule of the
stratum produces what the rule binds, all its facts are there from the start: they can be given to the engine part by part, each in
the memory of the one before. The matches are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from tollens.engine.session.durable.columns import VALUE, Column
from tollens.engine.session.durable.limits import Limits, Side, side, spread
from tollens.engine.session.durable.plan import Condition, Unit

#: For each side, the columns whose values tie its facts to others, with a number: equal values of one number tie.
Links = dict[Side, tuple[tuple[int, Column], ...]]
_Node = tuple[int, Column]


class Part(NamedTuple):
    """The units of one ruleset, and what splits its facts (empty: they stay together)."""

    units: list[Unit]
    links: Links


def parts(units: Sequence[Unit], produced: Collection[str], facts: Callable[[Collection[int]], int], limits: Limits) -> list[Part]:
    """The rulesets of a stratum whose rules assert the kinds `produced`; `facts` tells how many finished facts are in some channels."""
    together: list[Unit] = []
    split: list[tuple[Links, list[Unit]]] = []
    for unit in units:
        many = facts({condition.channel.number for condition in unit.conditions}) >= limits.split
        grows = any(condition.channel.kind in produced for condition in unit.positive)
        links = tying(unit) if many and not grows else {}
        if links:
            _place(unit, links, split)
        else:
            together.append(unit)
    found = [Part(chosen, {}) for chosen in spread(together, limits)]
    for links, alike in split:
        found += [Part(chosen, links) for chosen in spread(alike, limits)]
    return found


def _place(unit: Unit, links: Links, split: list[tuple[Links, list[Unit]]]) -> None:
    for known, alike in split:
        if known == links:
            alike.append(unit)
            return
    split.append((links, [unit]))


def tying(unit: Unit) -> Links:
    """The columns by whose equal values all facts of a match hang together; empty where a condition is not tied to the others.

    Facts that are bound must be tied by themselves, since a fact that blocks ties nothing where it is absent.
    """
    if len(unit.conditions) == 1:
        return {side(unit.positive[0].channel): ((0, Column("seq", VALUE)),)}
    classes = _classes(unit)
    if not _tied(classes, len(unit.positive)):
        return {}
    links: dict[Side, dict[tuple[int, Column], None]] = {}
    for number, members in enumerate(classes):
        for slot, column in members:
            links.setdefault(side(unit.positive[slot].channel), {})[number, column] = None
    for condition in unit.negative:
        equalities = _equalities(condition)
        if not equalities:
            return {}
        for left, node in equalities:
            number = next(number for number, members in enumerate(classes) if node in members)
            links.setdefault(side(condition.channel), {})[number, left] = None
    return {key: tuple(columns) for key, columns in links.items()}


def _equalities(condition: Condition) -> list[tuple[Column, _Node]]:
    """The columns of a condition that must equal a column of the fact in an earlier slot."""
    return [(join.left, (join.slot, join.right)) for join in condition.joins if join.op == "eq" and join.left is not None]


def _classes(unit: Unit) -> list[list[_Node]]:
    """The columns of bound facts in classes of equal value; those that only a blocking fact is compared with stand alone."""
    classes: list[list[_Node]] = []

    def unite(*nodes: _Node) -> None:
        touched = [known for known in classes if any(node in known for node in nodes)]
        for known in touched:
            classes.remove(known)
        classes.append(list(dict.fromkeys([*nodes, *[node for known in touched for node in known]])))

    for slot, condition in enumerate(unit.positive):
        for left, node in _equalities(condition):
            unite(node, (slot, left))
    for condition in unit.negative:
        for _, node in _equalities(condition):
            unite(node)
    return classes


def _tied(classes: Sequence[Sequence[_Node]], slots: int) -> bool:
    """Whether the classes tie all slots to each other."""
    reached = {0}
    while True:
        near = {slot for members in classes if any(slot in reached for slot, _ in members) for slot, _ in members}
        if near <= reached:
            return len(reached) == slots
        reached |= near
