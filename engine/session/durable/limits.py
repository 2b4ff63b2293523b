"""Why: the engine fails, hangs or crashes beyond fixed sizes, so they are counted before a ruleset is made.

A stratum that is too large for one ruleset is spread over several. Each is fed every fact that one of its rules reads, so a match
is found in the ruleset of its rule and nowhere else, and the result does not depend on how the rules are spread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tollens.engine.errors import EngineError
from tollens.engine.rulebook.syntax import Const
from tollens.engine.session.durable.channels import Channel
from tollens.engine.session.durable.columns import Column
from tollens.engine.session.durable.plan import Unit


class Limits(NamedTuple):
    """What one ruleset may hold, with a margin to what the engine bears (given behind each)."""

    rules: int = 2000  # 4096
    channels: int = 256  # 511 tests under one node
    entries: int = 56  # 64 alpha branches that one fact enters at once
    same_path: int = 200  # 255 rules that begin with the same test and no join
    columns: int = 150  # 252 properties of a fact, its channels among them
    conditions: int = 15  # 16 conditions of a rule
    joins: int = 28  # 29 comparisons of one condition, the closing one among them
    split: int = 200  # facts from which it is worth giving them to the engine part by part; a matter of speed and memory only
    session: int = 64  # facts of one part, unless more hang together
    held: int = 6_000  # facts of 9 kB each that one ruleset holds at a time; beyond these three the reference evaluator joins
    frames: int = 200_000  # partial matches of 300 bytes each that one rule can come to
    tries: int = 1_000_000  # facts that one rule can try
    hopeless: int = 10_000_000  # facts that one rule can try from which the reference evaluator takes the whole stratum


LIMITS = Limits()

Side = tuple[str, bool]


class _Load:
    """What the rules chosen for a ruleset so far come to."""

    def __init__(self) -> None:
        self.units: list[Unit] = []
        self._joined: dict[Channel, int] = {}
        self._first: dict[Channel, int] = {}
        self._sides: dict[Side, dict[Channel, None]] = {}
        self._columns: dict[Side, set[Column]] = {}

    def add(self, unit: Unit) -> None:
        """Count one more unit."""
        self.units.append(unit)
        for place, condition in enumerate(unit.conditions):
            channel = condition.channel
            self._sides.setdefault(side(channel), {})[channel] = None
            counted = self._joined if place else self._first
            counted[channel] = counted.get(channel, 0) + 1
            for join in condition.joins:
                if join.left is not None:
                    self._columns.setdefault(side(channel), set()).add(join.left)
                self._columns.setdefault(side(unit.positive[join.slot].channel), set()).add(join.right)

    def within(self, limits: Limits, unit: Unit) -> bool:
        """Whether the ruleset is small enough; only what the last `unit` touched is looked at."""
        if len(self.units) > limits.rules or sum(map(len, self._sides.values())) > limits.channels:
            return False
        if self._first[unit.positive[0].channel] > limits.same_path:
            return False
        for touched in dict.fromkeys(side(condition.channel) for condition in unit.conditions):
            weights = {channel: max(1, self._joined.get(channel, 0)) for channel in self._sides[touched]}
            if entries(weights) > limits.entries or len(self._columns.get(touched, ())) > limits.columns:
                return False
        return True


def side(channel: Channel) -> Side:
    """The kind of a channel's facts and what they are used for: facts are read and sent once for each."""
    return channel.kind, channel.blocks


def spread(units: Sequence[Unit], limits: Limits = LIMITS) -> list[list[Unit]]:
    """The units in as few groups, in order, as the limits allow; EngineError where one rule alone is too large."""
    for unit in units:
        _check(unit, limits)
    if _small(units, limits):
        return [list(units)] if units else []
    groups: list[list[Unit]] = []
    load = _Load()
    for unit in units:
        load.add(unit)
        if not load.within(limits, unit) and len(load.units) > 1:
            groups.append(load.units[:-1])
            load = _Load()
            load.add(unit)
    if load.units:
        groups.append(load.units)
    return groups


def _small(units: Sequence[Unit], limits: Limits) -> bool:
    """Whether all units fit into one ruleset whatever they share, so that nobody needs to count what they share."""
    conditions = sum(len(unit.positive) + len(unit.negative) for unit in units)
    joins = sum(len(condition.joins) for unit in units for condition in unit.conditions)
    return conditions <= min(limits.rules, limits.channels, limits.entries, limits.same_path) and 2 * joins <= limits.columns


def entries(weights: Mapping[Channel, int]) -> int:
    """The most alpha branches that one fact of a kind can take at once, given that a field has one value only."""
    best = sum(weights.values())
    fields = {test.field for channel in weights for test in channel.tests if test.op == "eq"}
    for field in sorted(fields):
        free, by_value = 0, dict[Const, int]()
        for channel, weight in weights.items():
            value = channel.constant(field)
            if value is None:
                free += weight
            else:
                by_value[value] = by_value.get(value, 0) + weight
        best = min(best, free + max(by_value.values()))
    return best


def _check(unit: Unit, limits: Limits) -> None:
    where = unit.rule.meta
    if len(unit.conditions) > limits.conditions:
        raise EngineError(
            f"the rule {where.id} has {len(unit.conditions)} patterns; the engine takes {limits.conditions}", place=where.place
        )
    joins = max(len(condition.joins) for condition in unit.conditions)
    if joins > limits.joins:
        raise EngineError(f"a pattern of the rule {where.id} compares {joins} fields; the engine takes {limits.joins}", place=where.place)
