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
from tollens.engine.session.durable.plan import Unit

Keys = dict[Side, Column]
_Node = tuple[int, Column]


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
    """Every way to choose one column for each kind of a unit's facts such that all facts of a match have equal values there."""
    classes = _Classes()
    for place, condition in enumerate(unit.conditions):
        for join in condition.joins:
            if join.op == "eq" and join.left is not None:
                classes.unite((place, join.left), (join.slot, join.right))
    found = []
    for members in classes.all():
        columns = dict(reversed(members))
        keys: Keys = {}
        if len(columns) == len(unit.conditions) > 1:
            for place, condition in enumerate(unit.conditions):
                keys.setdefault(side(condition.channel), columns[place])
            if all((place, keys[side(c.channel)]) in members for place, c in enumerate(unit.conditions)):
                found.append(keys)
    return found


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
