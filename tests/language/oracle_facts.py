"""Why: the oracle's facts, how each came to be, and matching by trying every combination of them."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.language.oracle_values import (
    compare,
    field_of,
    ranks_of,
)
from tollens.engine.rulebook.measures import MeasureSignature
from tollens.engine.rulebook.syntax import (
    Const,
    Elect,
    Group,
    Measure,
    Pattern,
    Ref,
    Rule,
    Rulebook,
    Take,
    Test,
    TextPattern,
)
from tollens.facts.fact import Fact
from tollens.facts.kind import Kind

#: Combinations of one list of patterns that the oracle is willing to try.
PATIENCE = 60_000

Env = dict[str, Fact]
Json = dict[str, Any]


class TooBigError(Exception):
    """More combinations than the oracle is willing to try; the case says nothing."""


class ContradictionError(Exception):
    """One identity with two contents; holds the kind's name."""


class OverBudgetError(Exception):
    """More matches in a stage than allowed."""


class Facts:
    """What is known. `events` counts what happened, by name, for the coverage of a series of runs; `fired` are the entries that did something."""

    def __init__(self, rulebook: Rulebook, measures: Mapping[str, MeasureSignature], budget: int = 100_000) -> None:
        self.rulebook = rulebook
        self.measures = measures
        self.budget = budget
        self.kinds: dict[str, Kind] = {kind.name: kind for kind in rulebook.kinds}
        self.facts: list[Fact] = []
        self.ways: dict[str, list[Json]] = {}
        self.firings: dict[str, int] = {}
        self.events: Counter[str] = Counter()
        self.fired: list[Rule | Elect | Take | Group | TextPattern | Measure] = []

    def known(self, fact_id: str) -> Fact | None:
        return next((fact for fact in self.facts if fact.id == fact_id), None)

    def put(self, fact: Fact) -> Fact:
        before = self.known(fact.id)
        if before is None:
            fact.seq = len(self.facts)
            self.facts.append(fact)
            return fact
        if before.values != fact.values:
            raise ContradictionError(fact.kind.name)
        return before

    def way(self, fact: Fact, data: Json) -> None:
        ways = self.ways.setdefault(fact.id, [])
        if data not in ways:
            ways.append(data)

    def of_kind(self, name: str, pool: Sequence[Fact] | None = None) -> list[Fact]:
        return [fact for fact in (self.facts if pool is None else pool) if fact.kind.name == name]

    def rows(self, patterns: Sequence[Pattern], pool: Sequence[Fact]) -> Iterator[tuple[Fact, ...]]:
        """Every way to give each pattern a fact of its own such that all tests hold, by the numbers of the facts."""
        candidates = [
            [
                fact
                for fact in pool
                if fact.kind.name == pattern.kind
                and all(self.holds(test, fact, {}) for test in pattern.tests if isinstance(test.operand, Const))
            ]
            for pattern in patterns
        ]
        size = 1
        for facts in candidates:
            size *= len(facts)
        if size > PATIENCE:
            raise TooBigError
        for row in itertools.product(*candidates):
            if len({fact.id for fact in row}) < len(row):
                continue
            env = {pattern.alias: fact for pattern, fact in zip(patterns, row, strict=True)}
            if all(self.holds(test, fact, env) for pattern, fact in zip(patterns, row, strict=True) for test in pattern.tests):
                yield row

    def exists(self, pattern: Pattern, patterns: Sequence[Pattern], row: Sequence[Fact], pool: Sequence[Fact]) -> bool:
        """Whether a fact of the pool that is not in the row satisfies a pattern of `unless`."""
        env = {p.alias: fact for p, fact in zip(patterns, row, strict=True)}
        others = [fact for fact in self.of_kind(pattern.kind, pool) if all(fact.id != bound.id for bound in row)]
        return any(all(self.holds(test, fact, env) for test in pattern.tests) for fact in others)

    def holds(self, test: Test, fact: Fact, env: Env) -> bool:
        value = field_of(fact, test.field)
        if test.op == "exists":
            assert isinstance(test.operand, Const)
            return (value is not None) is test.operand.value
        if value is None:
            return False
        if isinstance(test.operand, Ref):
            operand: Any = field_of(env[test.operand.alias], test.operand.field)
            if operand is None:
                return False
        else:
            operand = test.operand.value
        if test.op in ("gt", "gte", "lt", "lte"):
            ranks = ranks_of(fact.kind, test.field)
            if ranks is not None:
                value, operand = ranks[str(value)], ranks[str(operand)]
        return compare(test.op, value, operand)
