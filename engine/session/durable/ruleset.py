"""Why: units become the text of one ruleset in the safe subset, and facts become the short messages that it reads.

Every condition begins with its channel and, but for a rule's first, ends with a comparison that is always true: the engine reads past
the end of a condition whose last comparison fails. Conditions on blocking facts stand behind all others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from json import dumps
from typing import Any, NamedTuple

from tollens.engine.session.durable.channels import Channel
from tollens.engine.session.durable.columns import Column, Columns
from tollens.engine.session.durable.limits import Side, side
from tollens.engine.session.durable.plan import Condition, Join, Unit
from tollens.facts.fact import Fact
from tollens.facts.kind import KindTable

#: Firings that the engine hands over at once.
BATCH = 256
#: The property that every message has with value 1, and the rule and property that make a session's first action.
PAD, BOOT_RULE, BOOT = "_1", "boot", "_b"
BOOT_MESSAGE = f'{{"id":0,"{BOOT}":1}}'

OPERATORS = {"ne": "$neq", "gt": "$gt", "gte": "$gte", "lt": "$lt", "lte": "$lte"}


class Form(NamedTuple):
    """How facts in the same channels become messages: a template, which begins with the number, and readers of the columns."""

    template: str
    readers: tuple[Callable[[Fact], int], ...]


class Ruleset:
    """Some units as one ruleset; `definition` is its JSON form, `sizes` how many facts each unit binds."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self.units = tuple(units)
        self.sizes = [len(unit.positive) for unit in units]
        self._columns: dict[Side, dict[Column, str]] = {}
        self._needed: dict[int, dict[Column, None]] = {}
        for unit in units:
            self._note(unit)
        self.definition: dict[str, Any] = {BOOT_RULE: {"all": [{"m0": {BOOT: 1}}]}}
        for number, unit in enumerate(units):
            self.definition[f"r{number}"] = {"cap": BATCH, "all": self._conditions(unit)}

    @property
    def channels(self) -> Collection[int]:
        """The numbers of the channels that its rules read."""
        return self._needed.keys()

    @property
    def text(self) -> str:
        """The definition as the engine reads it."""
        return dumps(self.definition, separators=(",", ":"))

    def form(self, channels: Sequence[Channel], kinds: KindTable, columns: Columns) -> Form | None:
        """The form of facts of one kind that are in `channels`; None where no rule here reads them."""
        own = [channel for channel in channels if channel.number in self._needed]
        if not own:
            return None
        kind, names = kinds[own[0].kind], self._columns.get(side(own[0]), {})
        needed = {column: None for channel in own for column in self._needed[channel.number]}
        marks = "".join(f'"{channel.property}":1,' for channel in own)
        fields = "".join(f',"{names[column]}":%d' for column in needed)
        return Form(f'{{"id":%d,{marks}"{PAD}":1{fields}}}', tuple(columns.reader(kind, column) for column in needed))

    def _note(self, unit: Unit) -> None:
        for condition in unit.conditions:
            self._needed.setdefault(condition.channel.number, {})
            for join in condition.joins:
                if join.left is not None:
                    self._name(condition.channel, join.left)
                self._name(unit.positive[join.slot].channel, join.right)

    def _name(self, channel: Channel, column: Column) -> str:
        names = self._columns.setdefault(side(channel), {})
        self._needed.setdefault(channel.number, {})[column] = None
        return names.setdefault(column, f"p{len(names)}")

    def _conditions(self, unit: Unit) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for slot, condition in enumerate(unit.positive):
            found.append({f"m{slot}": self._test(unit, condition) if slot else {condition.channel.property: 1}})
        for number, condition in enumerate(unit.negative):
            found.append({f"n{number}$not": self._test(unit, condition)})
        return found

    def _test(self, unit: Unit, condition: Condition) -> dict[str, Any]:
        tests: list[dict[str, Any]] = [{condition.channel.property: 1}]
        tests += [self._join(unit, condition, join) for join in sorted(condition.joins, key=lambda join: join.op != "eq")]
        return {"$and": [*tests, {PAD: {"m0": PAD}}]}

    def _join(self, unit: Unit, condition: Condition, join: Join) -> dict[str, Any]:
        left = PAD if join.left is None else self._columns[side(condition.channel)][join.left]
        right = self._columns[side(unit.positive[join.slot].channel)][join.right]
        comparison = {left: {f"m{join.slot}": right}}
        return comparison if join.op == "eq" else {OPERATORS[join.op]: comparison}
