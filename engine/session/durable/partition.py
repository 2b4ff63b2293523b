"""Why: the engine's hash tables have 512 buckets each, so a match over many facts is found sooner in many small sessions.

Where every condition of a rule is tied to the others by equality with one value, only facts with the same value can meet. Such rules
get a ruleset with many sessions, and each fact goes to the session of its value. The matches are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from tollens.engine.session.durable.channels import Channel
from tollens.engine.session.durable.columns import Column
from tollens.engine.session.durable.limits import Limits, Side, side, spread
from tollens.engine.session.durable.plan import Condition, Unit

Keys = dict[Side, Column]
_Node = tuple[int, Column]


class Equality(NamedTuple):
    """A column that must equal the column of the fact in a slot."""

    left: Column
    slot: int
    right: Column


class Part(NamedTuple):
    """The units of one ruleset, how many sessions it gets, and the column that decides which session a fact goes to."""

    units: list[Unit]
    keys: Keys
    sessions: int


def parts(units: Sequence[Unit], size: Callable[[Channel], int], limits: Limits) -> list[Part]:
    """The rulesets of a stratum; `size` tells how many finished facts a channel holds."""
    plain: list[Unit] = []
    groups: list[tuple[Keys, list[Unit]]] = []
    for unit in units:
        facts = sum(size(channel) for channel in {condition.channel: None for condition in unit.conditions})
        choices = shared_keys(unit) if facts >= limits.partitioned else []
        if choices:
            _place(unit, choices, groups)
        else:
            plain.append(unit)
    found = [Part(chosen, {}, 1) for chosen in spread(plain, limits)]
    for keys, grouped in groups:
        for chosen in spread(grouped, limits):
            channels = {condition.channel: None for unit in chosen for condition in unit.conditions}
            sessions = sum(map(size, channels)) // limits.per_session
            found.append(Part(chosen, keys, max(1, min(sessions, limits.sessions))))
    return found


def shared_keys(unit: Unit) -> list[Keys]:
    """Every way to choose one column for each kind of a unit's facts such that all facts of a match have equal values there.

    Only facts that are bound tie each other; a fact that blocks must be tied to them, since where it is absent it ties nothing.
    """
    classes = _Classes()
    for slot, condition in enumerate(unit.positive):
        for join in _equalities(condition):
            classes.unite((slot, join.left), (join.slot, join.right))
    for condition in unit.negative:
        for join in _equalities(condition):
            classes.unite((join.slot, join.right), (join.slot, join.right))
    found = []
    for members in classes.all():
        keys: Keys = {}
        if len(unit.conditions) > 1 and all(_choose(keys, unit, slot, members) for slot in range(len(unit.conditions))):
            found.append(keys)
    return found


def _equalities(condition: Condition) -> list[Equality]:
    return [Equality(join.left, join.slot, join.right) for join in condition.joins if join.op == "eq" and join.left is not None]


def _choose(keys: Keys, unit: Unit, place: int, members: Sequence[_Node]) -> bool:
    """Note the column of one condition that is equal to those of the class; False where it has none, or its kind another."""
    condition = unit.conditions[place]
    if place < len(unit.positive):
        columns = [column for slot, column in members if slot == place]
    else:
        columns = [join.left for join in _equalities(condition) if (join.slot, join.right) in members]
    return any(keys.setdefault(side(condition.channel), column) == column for column in columns)


def _place(unit: Unit, choices: list[Keys], groups: list[tuple[Keys, list[Unit]]]) -> None:
    for keys, grouped in groups:
        for choice in choices:
            if all(keys.get(key, column) == column for key, column in choice.items()):
                keys.update(choice)
                grouped.append(unit)
                return
    groups.append((dict(choices[0]), [unit]))


class _Classes:
    """Columns that equalities make equal."""

    def __init__(self) -> None:
        self._class_of: dict[_Node, list[_Node]] = {}

    def unite(self, one: _Node, other: _Node) -> None:
        first = self._class_of.setdefault(one, [one])
        second = self._class_of.setdefault(other, [other])
        if first is not second:
            first += second
            for node in second:
                self._class_of[node] = first

    def all(self) -> list[list[_Node]]:
        return list({id(members): members for members in self._class_of.values()}.values())
