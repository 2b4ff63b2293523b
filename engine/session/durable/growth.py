"""Why: a stratum that feeds itself can outgrow the engine at any moment; that is noticed before the facts are sent that would do it."""

from __future__ import annotations

from collections.abc import Sequence

from tollens.engine.session.durable.limits import Limits
from tollens.engine.session.durable.sizes import Estimate, Sizes
from tollens.engine.session.evaluator import Stratum, TooLarge
from tollens.facts.fact import Fact


class Growth:
    """What the engine's units can come to, as long as the stratum grows; the meter counts it, as an upper bound of the tries."""

    def __init__(self, stratum: Stratum, limits: Limits) -> None:
        self._meter = stratum.meter
        self._limits = limits
        self._sizes = Sizes(stratum.store)
        self._growing: list[Estimate] = []
        self._counted: list[int] = []

    def fits(self, estimate: Estimate) -> bool:
        """Whether the engine bears what a unit can come to."""
        bound = estimate.bound(self._sizes)
        return bound.tries <= self._limits.tries and bound.frames <= self._limits.frames

    def admit(self, estimate: Estimate, grows: bool) -> None:
        """Count a unit of the engine."""
        tries = estimate.bound(self._sizes).tries
        self._meter.tried(tries)
        if grows:
            self._growing.append(estimate)
            self._counted.append(tries)

    def add(self, facts: Sequence[Fact]) -> None:
        """Facts that the stratum brought are about to be sent; TooLarge where a unit could grow too large by them."""
        if not self._growing:
            return
        for fact in facts:
            self._sizes.add(fact)
        for number, estimate in enumerate(self._growing):
            if not self.fits(estimate):
                raise TooLarge(estimate.unit.rule.meta.id)
            tries = estimate.bound(self._sizes).tries
            if tries > self._counted[number]:
                self._meter.tried(tries - self._counted[number])
                self._counted[number] = tries
