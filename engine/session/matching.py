"""Why: one meaning of a list of patterns, used by the reference evaluator, the operators and the aggregates alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from tollens.engine.rulebook.syntax import Const, Pattern, Ref
from tollens.engine.session.conditions import Check, alpha_check, compare, flipped, getter
from tollens.engine.session.store import FactStore
from tollens.facts.fact import Fact
from tollens.facts.kind import KindTable
from tollens.facts.values import Value

#: Facts by position in a list of patterns; None where a position is not matched yet.
Slots = list[Fact | None]
#: Where a step looks for facts: kind, fields and key to facts.
Source = Callable[[str, tuple[str, ...], object], Sequence[Fact]]


class _Join(NamedTuple):
    """A comparison of two positions: `facts[here].field op facts[there].other`."""

    here: int
    field: str
    op: str
    there: int
    other: str


class Step(NamedTuple):
    """One position to match: look up `kind` by `fields` (constants, then values of matched positions), then check the rest."""

    position: int
    kind: str
    fields: tuple[str, ...]
    constants: tuple[object, ...]
    joined: tuple[tuple[int, Callable[[Fact], Value]], ...]
    alpha: tuple[Check, ...]
    rest: tuple[Callable[[Fact, Slots], bool], ...]

    def key(self, slots: Slots) -> object:
        """The values to look up, or None where one of them is absent (absent equals nothing)."""
        if len(self.joined) == 1 and not self.constants:
            position, get = self.joined[0]
            fact = slots[position]
            assert fact is not None
            return get(fact)
        values: list[object] = list(self.constants)
        for position, get in self.joined:
            fact = slots[position]
            assert fact is not None
            value = get(fact)
            if value is None:
                return None
            values.append(value)
        return values[0] if len(values) == 1 else tuple(values)

    def matches(self, slots: Slots, source: Source, *, apart: bool = True) -> Iterator[Fact]:
        """The facts that fit this position beside those already matched; with `apart`, none of them stands in another slot."""
        if self.fields:
            key = self.key(slots)
            if key is None:
                return
            found = source(self.kind, self.fields, key)
        else:
            found = source(self.kind, (), None)
        for fact in found:
            if apart and fact in slots:
                continue
            for check in self.alpha:
                if not check(fact):
                    break
            else:
                for compare_with in self.rest:
                    if not compare_with(fact, slots):
                        break
                else:
                    yield fact


class Matcher:
    """A list of patterns ready to be joined; `outer` are aliases bound elsewhere, in slots after the patterns' own."""

    def __init__(self, patterns: Sequence[Pattern], kinds: KindTable, outer: Sequence[Pattern] = ()) -> None:
        self.patterns = tuple(patterns)
        self.size = len(self.patterns) + len(outer)
        self._kinds = kinds
        everything = [*self.patterns, *outer]
        self._kind_of = [kinds[pattern.kind] for pattern in everything]
        places = {pattern.alias: position for position, pattern in enumerate(everything)}
        self._joins = [
            _Join(position, test.field, test.op, places[test.operand.alias], test.operand.field)
            for position, pattern in enumerate(self.patterns)
            for test in pattern.tests
            if isinstance(test.operand, Ref)
        ]
        self._plans: dict[int, tuple[Step, ...]] = {}
        self._outer = range(len(self.patterns), self.size)

    def plan(self, first: int = -1) -> tuple[Step, ...]:
        """The steps in a good order: `first` (where given) before the rest, then what is joined by equality to it, else as written."""
        if first not in self._plans:
            bound = list(self._outer)
            todo = list(range(len(self.patterns)))
            steps = []
            while todo:
                if first in todo:
                    chosen = first
                else:
                    chosen = next((p for p in todo if any(j.op == "eq" for j in self._between(p, bound))), todo[0])
                steps.append(self._step(chosen, bound))
                todo.remove(chosen)
                bound.append(chosen)
            self._plans[first] = tuple(steps)
        return self._plans[first]

    def _between(self, position: int, bound: Sequence[int]) -> list[_Join]:
        """The comparisons of a position with bound ones, turned so that the position is on the left."""
        found = []
        for join in self._joins:
            if join.here == position and join.there in bound:
                found.append(join)
            elif join.there == position and join.here in bound:
                found.append(_Join(position, join.other, flipped(join.op), join.here, join.field))
        return found

    def _step(self, position: int, bound: Sequence[int]) -> Step:
        pattern, kind = self.patterns[position], self._kind_of[position]
        equal: dict[str, object] = {}
        alpha: list[Check] = []
        for test in pattern.tests:
            if not isinstance(test.operand, Const):
                continue
            if test.op == "eq" and test.field not in equal:
                equal[test.field] = test.operand.value
            else:
                alpha.append(alpha_check(kind, test))
        joined: dict[str, tuple[int, Callable[[Fact], Value]]] = {}
        rest = []
        for join in self._between(position, bound):
            if join.op == "eq" and join.field not in joined and join.field not in equal:
                joined[join.field] = (join.there, getter(self._kind_of[join.there], join.other))
            else:
                rest.append(self._comparison(join))
        return Step(position, pattern.kind, (*equal, *joined), tuple(equal.values()), tuple(joined.values()), tuple(alpha), tuple(rest))

    def _comparison(self, join: _Join) -> Callable[[Fact, Slots], bool]:
        here = getter(self._kind_of[join.here], join.field)
        there = getter(self._kind_of[join.there], join.other)
        check = compare(self._kind_of[join.here], join.field, join.op)
        position = join.there

        def holds(fact: Fact, slots: Slots) -> bool:
            other = slots[position]
            assert other is not None
            return check(here(fact), there(other))

        return holds


def search(steps: Sequence[Step], slots: Slots, sources: Sequence[Source], depth: int = 0) -> Iterator[Slots]:
    """Every way to fill the slots by the steps from `depth` on; the yielded list is reused, so copy what you keep."""
    if depth == len(steps):
        yield slots
        return
    step = steps[depth]
    for fact in step.matches(slots, sources[step.position]):
        slots[step.position] = fact
        yield from search(steps, slots, sources, depth + 1)
        slots[step.position] = None


def joined(store: FactStore, matcher: Matcher, unless: Sequence[Matcher]) -> list[tuple[Fact, ...]]:
    """The rows of facts that satisfy the patterns and none of the `unless` matchers, in canonical order."""
    source = finished(store)
    sources = [source] * matcher.size
    rows = []
    for slots in search(matcher.plan(), [None] * matcher.size, sources):
        row: tuple[Fact, ...] = tuple(slots)  # type: ignore[arg-type]  # every slot is filled, as all steps are done
        if not any(blocked(other, row, source) for other in unless):
            rows.append(row)
    rows.sort(key=lambda row: [fact.seq for fact in row])
    return rows


def blocked(matcher: Matcher, bound: Sequence[Fact], source: Source) -> bool:
    """Whether a fact exists that satisfies a one-pattern matcher whose outer aliases are `bound`."""
    slots: Slots = [None, *bound]
    return next(matcher.plan()[0].matches(slots, source), None) is not None


def finished(store: FactStore) -> Source:
    """The facts of a store as a source."""

    def source(kind: str, fields: tuple[str, ...], key: object) -> Sequence[Fact]:
        return store.matching(kind, fields, key) if fields else store.facts(kind)

    return source
