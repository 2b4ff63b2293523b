"""Why: every test with a constant is decided once per fact in Python, so that the engine compares nothing but integers.

A channel is a kind with a set of such tests, seen from one side: facts that a rule binds, or facts that block one. A fact of the
kind that passes the tests is in the channel, and enters the engine with the channel's property.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from tollens.engine.rulebook.syntax import Const, Test
from tollens.engine.session.conditions import Check, alpha_check, getter
from tollens.facts.fact import Fact
from tollens.facts.kind import Kind


class Channel(NamedTuple):
    """A kind and tests with constants; `blocks` tells facts that block a match from facts that a match binds."""

    number: int
    kind: str
    blocks: bool
    tests: tuple[Test, ...]

    @property
    def property(self) -> str:
        """The name of the engine property that facts in the channel carry."""
        return f"c{self.number}"

    def constant(self, field: str) -> Const | None:
        """The constant that the channel's tests demand of a field, or None where they demand none."""
        for test in self.tests:
            if test.op == "eq" and test.field == field and isinstance(test.operand, Const):
                return test.operand
        return None


class Channels:
    """The channels of one stratum, each made once."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, bool, tuple[Test, ...]], Channel] = {}

    def get(self, kind: Kind, blocks: bool, tests: Sequence[Test], present: Sequence[str]) -> Channel:
        """The channel of these tests; each optional field of `present` must have a value besides."""
        needed = [field for field in present if field in kind.index and kind.field(field).optional]
        every = dict.fromkeys([*tests, *(Test(field, "exists", Const(True)) for field in needed)])
        key = (kind.name, blocks, tuple(every))
        if key not in self._known:
            self._known[key] = Channel(len(self._known), *key)
        return self._known[key]


class _Entry(NamedTuple):
    number: int
    checks: tuple[Check, ...]


class Reader:
    """Finds the channels that a fact of a kind is in; constants to be equal to are looked up, not tried one after the other."""

    def __init__(self, kind: Kind, channels: Sequence[Channel]) -> None:
        self._always: list[int] = []
        self._entries: list[_Entry] = []
        self._tables: dict[str, dict[object, list[_Entry]]] = {}
        for channel in channels:
            self._place(kind, channel)
        self._readers = [(getter(kind, field), table) for field, table in self._tables.items()]
        #: The channels of every fact of the kind, where no test decides.
        self.constant = None if self._entries or self._readers else tuple(self._always)

    def _place(self, kind: Kind, channel: Channel) -> None:
        equal = next((test for test in channel.tests if test.op == "eq"), None)
        entry = _Entry(channel.number, tuple(alpha_check(kind, test) for test in channel.tests if test is not equal))
        if equal is not None and isinstance(equal.operand, Const):
            self._tables.setdefault(equal.field, {}).setdefault(equal.operand.value, []).append(entry)
        elif entry.checks:
            self._entries.append(entry)
        else:
            self._always.append(channel.number)

    def __call__(self, fact: Fact) -> tuple[int, ...]:
        """The numbers of the channels that the fact is in, in a fixed order."""
        if self.constant is not None:
            return self.constant
        found = list(self._always)
        for get, table in self._readers:
            found += [entry.number for entry in table.get(get(fact), ()) if _passes(entry.checks, fact)]
        found += [entry.number for entry in self._entries if _passes(entry.checks, fact)]
        return tuple(found)


def _passes(checks: Sequence[Callable[[Fact], bool]], fact: Fact) -> bool:
    return all(check(fact) for check in checks)
