"""Why: a stratum that feeds itself can outgrow the engine at any moment; that is noticed before the facts are sent that would do it."""

from __future__ import annotations

from collections.abc import Sequence

from tollens.engine.session.durable.limits import Limits
from tollens.engine.session.durable.sizes import Bound, Estimate, Sizes
from tollens.engine.session.evaluator import Stratum, TooLarge
from tollens.facts.fact import Fact


class Growth:
    """What the engine's units can come to, as long as the stratum grows; the meter counts it, as an upper bound of the tries."""

    def __init__(self, stratum: Stratum, limits: Limits) -> None:
        self._meter = stratum.meter
        self._limits = limits
        self._sizes = Sizes(stratum.store)
        self._growing: list[tuple[Estimate, bool]] = []
        self._counted: list[int] = []

    def fits(self, estimate: Estimate) -> bool:
        """Whether the engine bears what a unit can come to; TooLarge where it is so much that it is not worth to begin."""
        bound = estimate.bound(self._sizes)
        if bound.tries > self._limits.hopeless:
            raise TooLarge(estimate.unit.rule.meta.id)
        return self._within(bound)

    def _within(self, bound: Bound) -> bool:
        return bound.tries <= self._limits.tries and bound.frames <= self._limits.frames

    def admit(self, estimate: Estimate, grows: bool, *, live: bool = True) -> None:
        """Count a unit of the engine, or one that is not `live`: the engine leaves it out, and the reference evaluator would try it."""
        tries = estimate.bound(self._sizes).tries
        self._meter.tried(tries)
        if grows:
            self._growing.append((estimate, live))
            self._counted.append(tries)

    def add(self, facts: Sequence[Fact]) -> None:
        """Facts that the stratum brought are about to be sent; TooLarge where a unit could grow too large by them."""
        if not self._growing:
            return
        for fact in facts:
            self._sizes.add(fact)
        for number, (estimate, live) in enumerate(self._growing):
            bound = estimate.bound(self._sizes)
            if live and not self._within(bound):
                raise TooLarge(estimate.unit.rule.meta.id)
            if bound.tries > self._counted[number]:
                self._meter.tried(bound.tries - self._counted[number])
                self._counted[number] = bound.tries
