"""Why: the evaluator that defines the language: indexed joins, semi-naive, plain enough to be read as the definition."""

from __future__ import annotations

from collections.abc import Sequence

from tollens.engine.rulebook.syntax import Rule
from tollens.engine.session.evaluator import Stratum
from tollens.engine.session.matching import Matcher, Slots, Source, Step, finished, search
from tollens.engine.session.store import NO_FACTS, NO_INDEXES, Index
from tollens.facts.fact import Fact


class Reference:
    """Each round joins the facts that the round before brought with everything known; it ends when a round brings nothing."""

    name = "reference"

    def run(self, stratum: Stratum) -> None:
        """Fire every match of every rule of the stratum once."""
        known = Growing()
        plans = [RulePlan(rule, alternative, stratum) for rule in stratum.rules for alternative in range(len(rule.alternatives))]
        new: list[Fact] = []
        for plan in plans:
            if plan.has_all(stratum, known, known):
                new += plan.first_round(stratum)
        while new:
            fresh = Growing()
            for fact in new:
                fresh.add(fact)
            new = []
            for plan in plans:
                if plan.grows_with(fresh) and plan.has_all(stratum, known, fresh):
                    new += plan.next_round(stratum, known, fresh)
            for fact in fresh.facts:
                known.add(fact)


class Growing:
    """Facts of this stratum, found by any fields; their positions in the canonical order do not exist yet."""

    def __init__(self) -> None:
        self.facts: list[Fact] = []
        self._by_kind: dict[str, list[Fact]] = {}
        self._indexes: dict[str, dict[tuple[str, ...], Index]] = {}

    def add(self, fact: Fact) -> None:
        """One more fact; it joins the indexes that exist."""
        kind = fact.kind.name
        self.facts.append(fact)
        self._by_kind.setdefault(kind, []).append(fact)
        for index in self._indexes.get(kind, NO_INDEXES).values():
            index.add(fact)

    def has(self, kind: str) -> bool:
        """Whether a fact of the kind is there."""
        return kind in self._by_kind

    def source(self, kind: str, fields: tuple[str, ...], key: object) -> Sequence[Fact]:
        """The facts of a kind whose fields have these values."""
        facts = self._by_kind.get(kind)
        if not facts:
            return NO_FACTS
        if not fields:
            return facts
        indexes = self._indexes.setdefault(kind, {})
        index = indexes.get(fields)
        if index is None:
            index = indexes[fields] = Index(facts[0].kind, fields, facts)
        return index.get(key)


class RulePlan:
    """One alternative of one rule, ready to be joined from any of its positions."""

    def __init__(self, rule: Rule, alternative: int, stratum: Stratum) -> None:
        kinds = stratum.store.kinds
        self.rule, self.alternative = rule, alternative
        self.patterns = rule.alternatives[alternative]
        self._kinds = tuple(dict.fromkeys(pattern.kind for pattern in self.patterns))
        self.matcher = Matcher(self.patterns, kinds, unless=rule.unless)
        self.grows = [position for position, pattern in enumerate(self.patterns) if pattern.kind in stratum.produces]

    def first_round(self, stratum: Stratum) -> list[Fact]:
        """The matches among finished facts."""
        source = finished(stratum.store)
        return self._fire(stratum, self.matcher.plan(), [source] * self.matcher.size)

    def grows_with(self, fresh: Growing) -> bool:
        """Whether a fresh fact can take part in a match."""
        return any(fresh.has(self.patterns[position].kind) for position in self.grows)

    def has_all(self, stratum: Stratum, known: Growing, fresh: Growing) -> bool:
        """Whether there are facts of all kinds, so that it is worth beginning."""
        return all(fresh.has(kind) or known.has(kind) or stratum.store.facts(kind) for kind in self._kinds)

    def next_round(self, stratum: Stratum, known: Growing, fresh: Growing) -> list[Fact]:
        """The matches that a fresh fact takes part in, each found at the first position that holds a fresh fact."""
        old = _both(finished(stratum.store), known.source)
        everything = _both(old, fresh.source)
        new: list[Fact] = []
        for first in self.grows:
            sources = [old if position < first else everything for position in range(self.matcher.size)]
            sources[first] = fresh.source
            new += self._fire(stratum, self.matcher.plan(first), sources)
        return new

    def _fire(self, stratum: Stratum, steps: Sequence[Step], sources: Sequence[Source]) -> list[Fact]:
        """Fire each match when it is found, so that none waits for others and the first one too many is the last one."""
        stratum.meter.begin(self.rule.meta.id)
        slots: Slots = [None] * self.matcher.size
        new: list[Fact] = []
        for found in search(steps, slots, sources, absent=finished(stratum.store), meter=stratum.meter):
            bound: tuple[Fact, ...] = tuple(found)  # type: ignore[arg-type]  # every slot is filled, as all steps are done
            new += stratum.fire(self.rule, self.alternative, bound)
        return new


def _both(first: Source, second: Source) -> Source:
    def source(kind: str, fields: tuple[str, ...], key: object) -> Sequence[Fact]:
        here, there = first(kind, fields, key), second(kind, fields, key)
        if not there:
            return here
        return [*here, *there] if here else there

    return source
