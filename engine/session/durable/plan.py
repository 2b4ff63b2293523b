"""Why: a stratum's rules become units of channels and integer joins before any ruleset is written.

A unit is one alternative of one rule. What cannot match is left out here: alternatives of kinds that have no fact and get none, and
units whose channels stay empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from tollens.engine.errors import EngineError
from tollens.engine.rulebook.syntax import Pattern, Ref, Rule, Test
from tollens.engine.session.conditions import ranks
from tollens.engine.session.durable.channels import Channel, Channels
from tollens.engine.session.durable.columns import HELD, RANK, VALUE, Column
from tollens.engine.session.evaluator import Stratum
from tollens.facts.kind import Kind, KindTable

ORDERING = ("gt", "gte", "lt", "lte")


class Join(NamedTuple):
    """A comparison of a fact's column with a column of the fact in an earlier slot; without `left` it asks that `right` is 1."""

    op: str
    left: Column | None
    slot: int
    right: Column


class Condition(NamedTuple):
    """One pattern: the channel that its facts are in, and its joins."""

    channel: Channel
    joins: tuple[Join, ...]


class Unit(NamedTuple):
    """One alternative of a rule: what must be there, and what must not."""

    rule: Rule
    alternative: int
    positive: tuple[Condition, ...]
    negative: tuple[Condition, ...]

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """All conditions, the positive ones first."""
        return self.positive + self.negative


def candidates(stratum: Stratum, channels: Channels) -> list[Unit]:
    """The units of all alternatives whose kinds have facts or get some from rules that may fire themselves."""
    pairs = [(rule, number) for rule in stratum.rules for number in range(len(rule.alternatives))]
    some = {pattern.kind for rule, number in pairs for pattern in rule.alternatives[number]}
    available = {kind for kind in some if stratum.store.facts(kind)}
    live: dict[tuple[int, int], tuple[Rule, int]] = {}
    grew = True
    while grew:
        grew = False
        for rule, number in pairs:
            key = (id(rule), number)
            if key not in live and all(pattern.kind in available for pattern in rule.alternatives[number]):
                live[key] = (rule, number)
                available.update(head.kind for head in rule.heads)
                grew = True
    return [_unit(*pair, stratum.store.kinds, channels) for pair in pairs if (id(pair[0]), pair[1]) in live]


def fitting(units: Sequence[Unit], filled: Callable[[Channel], bool]) -> list[Unit]:
    """The units that can match, given which channels hold finished facts; conditions on empty blocking channels fall away."""
    kept: list[Unit] = []
    for unit in units:
        negative = tuple(condition for condition in unit.negative if filled(condition.channel))
        if all(condition.joins for condition in negative):
            kept.append(unit._replace(negative=negative))
    live: list[Unit] = []
    produced: set[str] = set()
    while True:
        live = [unit for unit in kept if all(filled(c.channel) or c.channel.kind in produced for c in unit.positive)]
        grown = {head.kind for unit in live for head in unit.rule.heads}
        if grown == produced:
            return live
        produced = grown


def _unit(rule: Rule, alternative: int, kinds: KindTable, channels: Channels) -> Unit:
    patterns = rule.alternatives[alternative]
    if not patterns:
        raise EngineError(f"the rule {rule.meta.id} demands nothing", place=rule.meta.place)
    slots = {pattern.alias: slot for slot, pattern in enumerate(patterns)}
    compared: list[list[str]] = [[] for _ in patterns]
    positive_joins = []
    for slot, pattern in enumerate(patterns):
        joins = [_join(test, pattern, slots, patterns, kinds) for test in pattern.tests if isinstance(test.operand, Ref)]
        for join in joins:
            if join.slot >= slot:
                raise EngineError(f"the rule {rule.meta.id} refers to a name before it is bound", place=pattern.place)
            compared[slot].append(join.left.field if join.left else "")
            compared[join.slot].append(join.right.field)
        positive_joins.append(joins)
    positive = [
        Condition(channels.get(kinds[pattern.kind], False, _constants(pattern), sorted(set(compared[slot]))), tuple(joins))
        for slot, (pattern, joins) in enumerate(zip(patterns, positive_joins, strict=True))
    ]
    negative = [_blocker(pattern, slots, patterns, kinds, channels) for pattern in rule.unless]
    return Unit(rule, alternative, tuple(positive), tuple(negative))


def _constants(pattern: Pattern) -> list[Test]:
    return [test for test in pattern.tests if not isinstance(test.operand, Ref)]


def _join(test: Test, pattern: Pattern, slots: dict[str, int], patterns: Sequence[Pattern], kinds: KindTable) -> Join:
    operand = test.operand
    slot = slots.get(operand.alias) if isinstance(operand, Ref) else None
    if slot is None or not isinstance(operand, Ref):
        raise EngineError(f"nothing is bound that {test.field} could be compared with", place=pattern.place)
    here, there = kinds[pattern.kind], kinds[patterns[slot].kind]
    return Join(test.op, _column(here, test.field, test.op), slot, _column(there, operand.field, test.op))


def _column(kind: Kind, field: str, op: str) -> Column:
    ranked = op in ORDERING and ranks(kind, field) is not None
    return Column(field, RANK if ranked else VALUE)


def _blocker(pattern: Pattern, slots: dict[str, int], patterns: Sequence[Pattern], kinds: KindTable, channels: Channels) -> Condition:
    """A pattern of `unless`: it does not see the facts that the match binds, and an absent value on either side blocks nothing."""
    joins: list[Join] = []
    present: list[str] = []
    for test in pattern.tests:
        if isinstance(test.operand, Ref):
            join = _join(test, pattern, slots, patterns, kinds)
            joins.append(join)
            present.append(test.field)
            bound = kinds[patterns[join.slot].kind]
            if test.op != "eq" and join.right.field in bound.index and bound.field(join.right.field).optional:
                joins.append(Join("eq", None, join.slot, Column(join.right.field, HELD)))
    identity = Column("id", VALUE)
    joins += [Join("ne", identity, slot, identity) for slot, other in enumerate(patterns) if other.kind == pattern.kind]
    return Condition(channels.get(kinds[pattern.kind], True, _constants(pattern), sorted(set(present))), _unique(joins))


def _unique(joins: Iterable[Join]) -> tuple[Join, ...]:
    return tuple(dict.fromkeys(joins))
