"""Why: the production evaluator runs a stratum to its fixpoint over rulesets of the durable_rules engine.

The engine joins: every rule that puts two facts together, or a fact and the absence of another, is its own, as long as counts say that
it has the memory for it. A rule of one pattern alone joins nothing: each fact that passes its tests is a match, and to hand it to the
engine would only bring it back. A join that could grow beyond what the engine bears is made as the reference evaluator makes it, which
keeps nothing of what comes to no match.

The facts that block matches enter first and are complete, for none of their kinds is produced in the stratum. So a match is judged
once, when it comes up, and nothing that the engine has decided is ever taken back.
"""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Iterable, Sequence

from tollens.engine.session.durable.channels import Channel, Channels, Reader
from tollens.engine.session.durable.columns import Columns
from tollens.engine.session.durable.components import sessions as components
from tollens.engine.session.durable.driver import Engine, load_engine
from tollens.engine.session.durable.growth import Growth
from tollens.engine.session.durable.invariants import check_ruleset
from tollens.engine.session.durable.limits import LIMITS, Limits, Side, side
from tollens.engine.session.durable.links import Links, parts, tying
from tollens.engine.session.durable.plan import Unit, candidates, fitting
from tollens.engine.session.durable.ruleset import Form, Ruleset
from tollens.engine.session.durable.sizes import Estimate
from tollens.engine.session.evaluator import Stratum, TooLarge
from tollens.engine.session.reference import Growing, RulePlan
from tollens.facts.fact import Fact

#: Facts sent between two looks for firings, which bounds what waits in the engine.
STEP = 32

Reading = tuple[Fact, tuple[int, ...]]


class DurableEvaluator:
    """Evaluates with durable_rules. `check` (or TOLLENS_CHECK_INVARIANTS in the environment) checks every compiled ruleset again."""

    name = "durable_rules"

    def __init__(self, *, limits: Limits = LIMITS, check: bool | None = None) -> None:
        self._limits = limits
        self._check = bool(os.environ.get("TOLLENS_CHECK_INVARIANTS")) if check is None else check

    def run(self, stratum: Stratum) -> None:
        """Fire all matches. EngineError when the engine failed, EngineUnavailable when it cannot be imported; what `fire` raises passes."""
        run = _Run(stratum, self._limits)
        if run.units:
            self._join(run)
        else:
            run.to_fixpoint()

    def _join(self, run: _Run) -> None:
        module = load_engine()
        try:
            for part in parts(run.units, run.produced, run.facts, self._limits):
                ruleset = Ruleset(part.units)
                if self._check:
                    check_ruleset(ruleset.text, self._limits)
                expected = 0 if part.links else run.facts(ruleset.channels)
                run.engines.append(Engine(module, ruleset, expected, self._check, self._limits.held))
                run.links.append(part.links)
            run.to_fixpoint()
        finally:
            run.close()


class _Run:
    """One stratum in progress: `units` are for the engine, `plans` for the reference evaluator's joins."""

    def __init__(self, stratum: Stratum, limits: Limits) -> None:
        self._stratum = stratum
        self._limits = limits
        self._columns = Columns()
        self.engines: list[Engine] = []
        self.links: list[Links] = []
        channels = Channels()
        units = candidates(stratum, channels)
        self._readers: dict[Side, Reader] = {}
        self._by_number: dict[int, Channel] = {}
        self._finished: dict[Side, list[Reading]] = {}
        self._routes: dict[tuple[int, ...], list[tuple[Engine, Form]]] = {}
        self._read([unit for unit in units if not _single(unit)])
        self._sizes = Counter(number for readings in self._finished.values() for _, numbers in readings for number in numbers)
        live = fitting(units, self._filled)
        #: The kinds that live rules assert.
        self.produced = frozenset(head.kind for unit in live for head in unit.rule.heads)
        self.units: list[Unit] = []
        self.plans: list[RulePlan] = []
        self._growth = Growth(stratum, limits)
        fitted = {(id(unit.rule), unit.alternative): unit for unit in live}
        for unit in units:
            plan = RulePlan(unit.rule, unit.alternative, stratum)
            chosen = fitted.get((id(unit.rule), unit.alternative))
            if chosen is None:
                self._growth.admit(self._estimate(unit, plan), bool(plan.grows), live=False)
            elif _single(unit) or not self._takes(chosen, plan):
                self.plans.append(plan)
            else:
                self.units.append(chosen)

    def _estimate(self, unit: Unit, plan: RulePlan) -> Estimate:
        return Estimate(unit, plan, lambda condition: self._sizes[condition.channel.number])

    def _takes(self, unit: Unit, plan: RulePlan) -> bool:
        """Whether the engine can take a unit; TooLarge where it cannot and nobody else can join it with facts that are still to come."""
        estimate = self._estimate(unit, plan)
        grows = any(condition.channel.kind in self.produced for condition in unit.positive)
        held = self.facts({condition.channel.number for condition in unit.conditions})
        fits = (held <= self._limits.held or bool(tying(unit))) and self._growth.fits(estimate)
        if fits:
            self._growth.admit(estimate, bool(plan.grows))
        elif grows:
            raise TooLarge(unit.rule.meta.id)
        return fits

    def _filled(self, channel: Channel) -> bool:
        """Whether a channel holds finished facts, as far as anybody looked."""
        return channel.number in self._sizes or (channel.number not in self._by_number and bool(self._stratum.store.facts(channel.kind)))

    def close(self) -> None:
        """Close every ruleset, also where closing one fails."""
        if self.engines:
            try:
                self.engines.pop().close()
            finally:
                self.close()

    def facts(self, channels: Iterable[int]) -> int:
        """About how many finished facts are in some of these channels."""
        return sum(self._sizes[number] for number in channels)

    def _read(self, units: Iterable[Unit]) -> None:
        sides: dict[Side, dict[Channel, None]] = {}
        for unit in units:
            for condition in unit.conditions:
                self._by_number[condition.channel.number] = condition.channel
                sides.setdefault(side(condition.channel), {})[condition.channel] = None
        for key, channels in sides.items():
            reader = self._readers[key] = Reader(self._stratum.store.kinds[key[0]], list(channels))
            pairs = ((fact, reader(fact)) for fact in self._stratum.store.facts(key[0]))
            self._finished[key] = [(fact, numbers) for fact, numbers in pairs if numbers]

    def to_fixpoint(self) -> None:
        """Send all facts, those that block first, and fire until nothing new comes."""
        produced: deque[Fact] = deque()
        for plan in self.plans:
            produced += plan.first_round(self._stratum)
        together = []
        for engine, links in zip(self.engines, self.links, strict=True):
            if links:
                self._split(engine, links, self._limits.session, produced)
            else:
                together.append(engine)
        self._together(together, produced)

    def _split(self, engine: Engine, links: Links, size: int, produced: deque[Fact]) -> None:
        """Run a ruleset to its end whose facts are all there, part by part."""
        found: list[tuple[Fact, Form]] = []
        marks: list[Side] = []
        for key in sorted(links, key=lambda key: not key[1]):
            forms: dict[tuple[int, ...], Form | None] = {}
            for fact, numbers in self._finished[key]:
                if numbers not in forms:
                    forms[numbers] = self._form(engine, numbers)
                form = forms[numbers]
                if form is not None:
                    found.append((fact, form))
                    marks.append(key)
        kinds = self._stratum.store.kinds
        readers = {
            key: [(number, self._columns.reader(kinds[key[0]], column)) for number, column in columns] for key, columns in links.items()
        }
        sessions: dict[int, list[tuple[Fact, Form]]] = {}
        numbers_of = components(zip(marks, [fact for fact, _ in found], strict=True), readers, size)
        for session, item in zip(numbers_of, found, strict=True):
            sessions.setdefault(session, []).append(item)
        if max(map(len, sessions.values()), default=0) > self._limits.held:
            for unit in engine.ruleset.units:
                produced += RulePlan(unit.rule, unit.alternative, self._stratum).first_round(self._stratum)
            sessions.clear()
        for number, waiting in enumerate(sessions.values()):
            if number:
                engine.renew(len(waiting))
            for start in range(0, len(waiting), STEP):
                for fact, form in waiting[start : start + STEP]:
                    engine.send(fact, form)
                produced += self._fire(engine)
        engine.close()

    def _together(self, engines: Sequence[Engine], produced: deque[Fact]) -> None:
        """Run rulesets that may feed each other and themselves, on top of the facts that others have produced."""
        self.engines = list(engines)
        for key, readings in self._finished.items():
            if key[1]:
                for fact, numbers in readings:
                    self._send(fact, numbers)
        sent = 0
        for key, readings in self._finished.items():
            if not key[1]:
                for fact, numbers in readings:
                    self._send(fact, numbers)
                    sent += 1
                    if sent % STEP == 0:
                        produced += self._fire_all()
        produced += self._fire_all()
        while produced:
            batch = [produced.popleft() for _ in range(min(STEP, len(produced)))]
            self._growth.add(batch)
            for fact in batch:
                reader = self._readers.get((fact.kind.name, False))
                if reader is not None:
                    self._send(fact, reader(fact))
            produced += self._fire_all()
            produced += self._fire_plans(batch)

    def _fire_plans(self, batch: Sequence[Fact]) -> list[Fact]:
        """The matches of rules of one pattern with facts of the stratum."""
        fresh = Growing()
        for fact in batch:
            fresh.add(fact)
        nothing = Growing()
        return [fact for plan in self.plans if plan.grows_with(fresh) for fact in plan.next_round(self._stratum, nothing, fresh)]

    def _send(self, fact: Fact, numbers: tuple[int, ...]) -> None:
        routes = self._routes.get(numbers)
        if routes is None:
            routes = self._routes[numbers] = self._route(numbers)
        for engine, form in routes:
            engine.send(fact, form)

    def _route(self, numbers: tuple[int, ...]) -> list[tuple[Engine, Form]]:
        pairs = [(engine, self._form(engine, numbers)) for engine in self.engines]
        return [(engine, form) for engine, form in pairs if form is not None]

    def _form(self, engine: Engine, numbers: tuple[int, ...]) -> Form | None:
        channels = [self._by_number[number] for number in numbers]
        return engine.ruleset.form(channels, self._stratum.store.kinds, self._columns)

    def _fire_all(self) -> list[Fact]:
        return [fact for engine in self.engines for fact in self._fire(engine)]

    def _fire(self, engine: Engine) -> list[Fact]:
        new: list[Fact] = []
        fire = self._stratum.fire
        for number, rows in engine.firings():
            unit = engine.ruleset.units[number]
            for bound in rows:
                new += fire(unit.rule, unit.alternative, bound)
        return new


def _single(unit: Unit) -> bool:
    return len(unit.conditions) == 1
