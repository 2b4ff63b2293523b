"""Why: random rule books and facts that use all of the language, each reproducible from one integer, with values from small pools so that joins hit.

A case is permitted by construction: kinds under `unless` and aggregates are finished, computed heads take no part in a cycle, types agree.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

from tests.language.random_kinds import MEASURES, PACK
from tests.language.random_rules import Rules, without_computed_cycles
from tollens.engine.rulebook.builtin import ENGINE_KINDS
from tollens.engine.rulebook.syntax import (
    Rule,
    Rulebook,
    Stage,
)
from tollens.facts.fact import Draft
from tollens.facts.kind import Field, Kind

__all__ = ["MEASURES", "Case", "make_case"]


class Case(NamedTuple):
    """A rule book, input facts and the firing budget per stage."""

    seed: int
    rulebook: Rulebook
    drafts: tuple[Draft, ...]
    budget: int


def make_case(seed: int, size: int = 3) -> Case:
    """The case of a seed; `size` from 1 scales the numbers of rules and facts."""
    return _Maker(Random(seed), size).case(seed)  # noqa: S311 - repeatable tests, no secrets


class _Maker(Rules):
    """Puts a case together, stage by stage."""

    def case(self, seed: int) -> Case:
        base = [self.kind(f"b{n}", ()) for n in range(self.random.randint(2, 3))]
        last = len(self.stages)
        for number in range(self.random.randint(2, 5)):
            first = self.random.randrange(last)
            stages = (first,) if self.chance(0.7) else tuple(sorted({first, self.random.randrange(last)}))
            self.kind(f"d{number}", stages)
        self.kinds["pair"] = Kind("pair", [Field("left", "ref"), Field("right", "ref"), Field("score", "number")], origin=PACK)
        part = [Field("name", "text"), Field("size", "int", True), Field("who", "ref", True), Field("what", "text", True)]
        self.kinds["part"] = Kind("part", part, origin=PACK)
        measured = self.random.randrange(last) if self.chance(0.7) else -1
        grouped = self.random.randrange(last) if self.chance(0.8) else -1
        self.produced["pair"] = (measured,) if measured >= 0 else ()
        self.produced["part"] = (grouped,) if grouped >= 0 else ()
        for kind in ENGINE_KINDS:
            self.kinds[kind.name] = kind
        elected = [n for n in range(last) if self.chance(0.6)]
        patterned = [n for n in range(last) if self.chance(0.5)]
        self.produced.update(dict.fromkeys(("passed_over", "tied"), tuple(elected)))
        self.produced.update(dict.fromkeys(("match", "match_group"), tuple(patterned)))
        made: list[Stage] = []
        for number in range(last):
            self.stage = number
            made.append(self.make_stage(number in elected, number in patterned, number == measured, number == grouped))
        rows, drafts = self.facts(base)
        order = list(self.kinds.values())
        tables = tuple(sorted(self.tables.items()))
        book = Rulebook((), f"digest-{seed}", tuple(order), tuple(made), rows, tables, ())
        return Case(seed, book, drafts, 4 if self.chance(0.02) else 600)

    def make_stage(self, elected: bool, patterned: bool, measured: bool, grouped: bool) -> Stage:
        def several(make: Callable[[], Any], most: int) -> tuple[Any, ...]:
            made = [self.tries(make) for _ in range(self.random.randint(1, most))]
            return tuple(item for item in made if item is not None)

        heads = [name for name, stages in self.produced.items() if self.stage in stages and name[0] == "d"]
        self.in_rules = False
        patterns = several(self.text_pattern, 4) if patterned else ()
        measures = several(self.measure, 1) if measured else ()
        elects = several(lambda: self.elect(heads), 2) if elected and heads else ()
        takes = several(lambda: self.take(heads), 1) if heads and self.chance(0.5) else ()
        groups = several(self.group, 2) if grouped else ()
        rules: tuple[Rule, ...] = ()
        self.ids["pattern"] += [pattern.meta.id for pattern in patterns]
        self.ids["elect"] += [elect.meta.id for elect in elects]
        self.in_rules = True
        if heads:
            rules = several(lambda: self.rule(heads), 3 * self.size)
            rules = without_computed_cycles(rules)
        return Stage(self.stages[self.stage], patterns, measures, elects, takes, groups, rules)
