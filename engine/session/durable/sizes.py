"""Why: how much a join can come to is known from counts before it is made, so that the engine is given no join that fills the memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tollens.engine.session.conditions import getter
from tollens.engine.session.durable.plan import Condition, Unit
from tollens.engine.session.matching import Step
from tollens.engine.session.reference import RulePlan
from tollens.engine.session.store import FactStore
from tollens.facts.fact import Fact
from tollens.facts.values import Value

#: Up to so many combinations of facts nobody needs to look closer.
FEW = 20_000


class Sizes:
    """How many facts of a kind there are, and the most of them that have equal values; facts of the stratum are added as they come."""

    def __init__(self, store: FactStore) -> None:
        self._store = store
        self._made: dict[str, list[Fact]] = {}
        self._alike: dict[str, dict[tuple[str, ...], _Alike]] = {}

    def add(self, fact: Fact) -> None:
        """One more fact of the stratum."""
        self._made.setdefault(fact.kind.name, []).append(fact)
        for alike in self._alike.get(fact.kind.name, {}).values():
            alike.add(fact)

    def made(self, kind: str) -> int:
        """How many facts of a kind came in the stratum."""
        return len(self._made.get(kind, ()))

    def count(self, kind: str) -> int:
        """How many facts of a kind there are."""
        return len(self._store.facts(kind)) + self.made(kind)

    def most(self, kind: str, fields: tuple[str, ...]) -> int:
        """The most facts of a kind that a look-up by these fields can find."""
        if not fields:
            return self.count(kind)
        known = self._alike.setdefault(kind, {})
        alike = known.get(fields)
        if alike is None:
            declared = self._store.kinds[kind]
            alike = known[fields] = _Alike([getter(declared, field) for field in fields])
            for fact in self._store.facts(kind):
                alike.add(fact)
            for fact in self._made.get(kind, ()):
                alike.add(fact)
        return alike.most

    def found(self, step: Step) -> int:
        """The most facts that a step can find, whatever is matched."""
        if step.joined or not step.constants:
            return self.most(step.kind, step.fields[len(step.constants) :])
        return len(self._store.matching(step.kind, step.fields, step.key([]))) + self.made(step.kind)


class _Alike:
    """The sizes of groups of facts with equal values."""

    def __init__(self, readers: list[Callable[[Fact], Value]]) -> None:
        self._readers = readers
        self._counts: dict[tuple[Value, ...], int] = {}
        self.most = 0

    def add(self, fact: Fact) -> None:
        """Count one more fact."""
        key = tuple([read(fact) for read in self._readers])
        count = self._counts[key] = self._counts.get(key, 0) + 1
        self.most = max(self.most, count)


class Bound(NamedTuple):
    """Upper bounds: of the facts that the reference evaluator tries for a unit, and of the partial matches that the engine keeps."""

    tries: int
    frames: int


class Estimate:
    """Bounds what one unit can come to; `finished` tells how many finished facts are in a condition's channel."""

    def __init__(self, unit: Unit, plan: RulePlan, finished: Callable[[Condition], int]) -> None:
        self.unit = unit
        self._plan = plan
        self._conditions = [(condition.channel.kind, finished(condition), _tied(condition)) for condition in unit.positive]

    def bound(self, sizes: Sizes) -> Bound:
        """The bounds as many facts as there are now."""
        passes = len(self._plan.grows) + 1
        absent = self._plan.rule.unless
        depth = (len(self.unit.positive) + 1) * (len(absent) + 1)
        product = 1
        for kind, _, _ in self._conditions:
            product *= max(1, sizes.count(kind))
        for pattern in absent:
            product *= max(1, sizes.count(pattern.kind))
        if product * passes * depth <= FEW:
            return Bound(product * passes * depth, product * depth)
        tries = sum(self._tries(self._plan.matcher.plan(first), sizes) for first in (-1, *self._plan.grows))
        return Bound(tries, self._frames(sizes))

    def _held(self, position: int, sizes: Sizes) -> int:
        """The most facts that can stand in a slot."""
        kind, finished, _ = self._conditions[position]
        return finished + sizes.made(kind)

    def _tries(self, steps: tuple[Step, ...], sizes: Sizes) -> int:
        """The facts tried by these steps, one after the other, and by what guards them."""
        rows, tries = 1, 0
        for step in steps:
            rows *= sizes.found(step)
            tries += rows
            tries += sum(rows * sizes.found(guard.step) for guard in step.guards)
        return tries

    def _frames(self, sizes: Sizes) -> int:
        """The partial matches in the order in which the engine joins, once more for each condition on blocking facts."""
        rows, frames = 1, 0
        for position, (kind, _, tied) in enumerate(self._conditions):
            rows = min(rows * sizes.most(kind, tied), rows * self._held(position, sizes))
            frames += rows
        return frames + rows * len(self.unit.negative)


def _tied(condition: Condition) -> tuple[str, ...]:
    """The fields of a condition that must equal something bound before."""
    return tuple(dict.fromkeys(join.left.field for join in condition.joins if join.op == "eq" and join.left is not None))
