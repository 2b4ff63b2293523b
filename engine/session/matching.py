"""Why: one meaning of a list of patterns, used by the reference evaluator, the operators and the aggregates alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from tollens.engine.rulebook.syntax import Const, Pattern, Ref
from tollens.engine.session.conditions import Check, alpha_check, compare, flipped, getter
from tollens.engine.session.meter import UNCOUNTED, Counts, Meter
from tollens.engine.session.store import NO_FACTS, FactStore
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


class Guard(NamedTuple):
    """A pattern of `unless`, as soon as all that it compares with is matched; `spare` more of its kind are still to be matched.

    What is bound later blocks nothing, so more than `spare` facts must fit while there is something to come.
    """

    step: Step
    spare: int

    def blocks(self, slots: Sequence[Fact | None], source: Source, meter: Counts = UNCOUNTED) -> bool:
        """Whether no match can come of what is matched by now."""
        own, left = [None, *slots], self.spare
        for fact in self.step.found(own, source):
            meter.tried(1)
            if fact not in own and self.step.fits(fact, own):
                if not left:
                    return True
                left -= 1
        return False


class Step(NamedTuple):
    """One position to match: look up `kind` by `fields` (constants, then values of matched positions), then check the rest.

    What stands behind the `guards` is seen to once the position is matched.
    """

    position: int
    kind: str
    fields: tuple[str, ...]
    constants: tuple[object, ...]
    joined: tuple[tuple[int, Callable[[Fact], Value]], ...]
    alpha: tuple[Check, ...]
    rest: tuple[Callable[[Fact, Slots], bool], ...]
    guards: tuple[Guard, ...] = ()

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

    def found(self, slots: Slots, source: Source) -> Sequence[Fact]:
        """The facts to try here beside those already matched."""
        if not self.fields:
            return source(self.kind, (), None)
        key = self.key(slots)
        return NO_FACTS if key is None else source(self.kind, self.fields, key)

    def fits(self, fact: Fact, slots: Slots) -> bool:
        """Whether a fact that was found passes all other tests."""
        for check in self.alpha:
            if not check(fact):
                return False
        for compare_with in self.rest:  # noqa: SIM110 - no generator where the time goes
            if not compare_with(fact, slots):
                return False
        return True

    def matches(self, slots: Slots, source: Source, meter: Counts = UNCOUNTED, *, apart: bool = True) -> Iterator[Fact]:
        """The facts that fit this position beside those already matched; with `apart`, none of them stands in another slot."""
        found = self.found(slots, source)
        meter.tried(len(found))
        for fact in found:
            if not (apart and fact in slots) and self.fits(fact, slots):
                yield fact


class Matcher:
    """A list of patterns ready to be joined; `outer` are aliases bound elsewhere, in slots after the patterns' own.

    A match of them that one of the `unless` patterns blocks is none.
    """

    def __init__(
        self, patterns: Sequence[Pattern], kinds: KindTable, outer: Sequence[Pattern] = (), unless: Sequence[Pattern] = ()
    ) -> None:
        self.patterns = tuple(patterns)
        self._unless = [Matcher([pattern], kinds, self.patterns) for pattern in unless]
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
            steps: list[Step] = []
            while todo:
                tied = (p for p in todo if any(join.op == "eq" for join in self._between(p, bound)))
                chosen = first if first in todo else next(tied, todo[0])
                steps.append(self._step(chosen, bound))
                todo.remove(chosen)
                bound.append(chosen)
            for other in self._unless:
                self._guard(steps, other)
            self._plans[first] = tuple(steps)
        return self._plans[first]

    def _guard(self, steps: list[Step], other: Matcher) -> None:
        """Guard the steps against the facts of a pattern of `unless`, at the first one where that can be told and at the last one."""
        needed = {join.there - 1 for join in other._joins}
        kind = other.patterns[0].kind
        for depth, step in enumerate(steps):
            needed.discard(step.position)
            spare = sum(later.kind == kind for later in steps[depth + 1 :])
            if not needed:
                steps[depth] = step._replace(guards=(*step.guards, Guard(other.plan()[0], spare)))
                if not spare:
                    return

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


def search(
    steps: Sequence[Step],
    slots: Slots,
    sources: Sequence[Source],
    depth: int = 0,
    *,
    absent: Source | None = None,
    meter: Counts = UNCOUNTED,
) -> Iterator[Slots]:
    """Every way to fill the slots by the steps from `depth` on; the yielded list is reused, so copy what you keep.

    `absent` is where guards look for facts.
    """
    if depth == len(steps):
        yield slots
        return
    step = steps[depth]
    for fact in step.matches(slots, sources[step.position], meter):
        slots[step.position] = fact
        if absent is None or not step.guards or not any(guard.blocks(slots, absent, meter) for guard in step.guards):
            yield from search(steps, slots, sources, depth + 1, absent=absent, meter=meter)
        slots[step.position] = None


def joined(store: FactStore, matcher: Matcher, unless: Sequence[Matcher] = (), meter: Meter | None = None) -> list[tuple[Fact, ...]]:
    """The rows of facts that satisfy the patterns and none of the `unless` matchers, in canonical order."""
    source = finished(store)
    sources = [source] * matcher.size
    rows = []
    for slots in search(matcher.plan(), [None] * matcher.size, sources, absent=source, meter=meter or UNCOUNTED):
        row: tuple[Fact, ...] = tuple(slots)  # type: ignore[arg-type]  # every slot is filled, as all steps are done
        if not any(blocked(other, row, source) for other in unless):
            rows.append(row)
            if meter is not None:
                meter.rows(len(rows))
    rows.sort(key=lambda row: [fact.seq for fact in row])
    return rows


def blocked(matcher: Matcher, bound: Sequence[Fact], source: Source) -> bool:
    """Whether a fact exists that satisfies a one-pattern matcher whose outer aliases are `bound`."""
    return Guard(matcher.plan()[0], 0).blocks(bound, source)


def finished(store: FactStore) -> Source:
    """The facts of a store as a source."""

    def source(kind: str, fields: tuple[str, ...], key: object) -> Sequence[Fact]:
        return store.matching(kind, fields, key) if fields else store.facts(kind)

    return source
