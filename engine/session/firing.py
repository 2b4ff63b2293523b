"""Why: a stage's firings become facts in one canonical order, whatever order an evaluator found them in."""

from __future__ import annotations

from collections.abc import Sequence

from tollens.engine.errors import BudgetExceeded, FactError
from tollens.engine.rulebook.syntax import Rule, Stage
from tollens.engine.session.evaluator import Evaluator, Stratum, TooLarge
from tollens.engine.session.heads import Expressions, Names, ReadyHead, condition
from tollens.engine.session.meter import Meter
from tollens.engine.session.proof import Computed, Derivation, Proof
from tollens.engine.session.reference import Reference
from tollens.engine.session.render import pattern_text
from tollens.engine.session.store import FactStore, conflict
from tollens.facts.fact import BadFact, Fact
from tollens.facts.values import Value


class Firing:
    """One match of one rule alternative and the facts that it asserts; `missing` counts the bound facts without a number."""

    __slots__ = ("bound", "computed", "missing", "produced", "ready")

    def __init__(self, ready: _ReadyRule, bound: tuple[Fact, ...], produced: list[Fact], computed: tuple[Computed, ...]) -> None:
        self.ready = ready
        self.bound = bound
        self.produced = produced
        self.computed = computed
        self.missing = 0

    def order(self) -> tuple[int, int, list[int]]:
        """Rule position, alternative, numbers of the bound facts (which must have theirs)."""
        return (self.ready.index, self.ready.alternative, [fact.seq for fact in self.bound])


class Stratification:
    """Runs the rules of one stage with an evaluator and stores what they assert, in canonical order with its proof."""

    def __init__(self, stage: Stage, store: FactStore, proof: Proof, meter: Meter) -> None:
        self._stage = stage
        self._store = store
        self._proof = proof
        self._meter = meter
        self._new: dict[str, Fact] = {}
        self._firings: list[Firing] = []
        self._variants: dict[str, list[Fact]] = {}
        self._ready: dict[tuple[int, int], _ReadyRule] = {}

    def run(self, evaluator: Evaluator) -> int:
        """Fire everything, number and store the new facts; gives the number of firings."""
        rules = self._stage.rules
        if not rules:
            return 0
        produces = frozenset(head.kind for rule in rules for head in rule.heads)
        stratum = Stratum(self._stage.name, rules, self._store, self._fire, produces, self._meter)
        reference = evaluator.name == Reference.name
        before = self._meter if reference else self._meter.copy()
        try:
            evaluator.run(stratum)
        except (BudgetExceeded, TooLarge):
            if reference:
                raise
            return self._as_reference(before)
        if self._variants:
            if not reference:
                self._as_reference(before)
            raise FactError(str(self._contradiction()))
        self._number()
        return len(self._firings)

    def _as_reference(self, meter: Meter) -> int:
        """Run from the beginning in the reference's order: whether a stage fails, and in which words, must not depend on who ran."""
        self._firings.clear()
        self._new.clear()
        return Stratification(self._stage, self._store, self._proof, meter).run(Reference())

    def _contradiction(self) -> BadFact:
        """Two contents of one identity, each with the first of its producers."""
        fact_id = min(self._variants)
        contents: dict[tuple[Value, ...], Fact] = {}
        for fact in sorted(self._variants[fact_id], key=lambda fact: (fact.origin, repr(fact.values))):
            contents.setdefault(fact.values, fact)
        first, second = list(contents.values())[:2]
        return conflict(first, second)

    def _fire(self, rule: Rule, alternative: int, bound: tuple[Fact, ...]) -> Sequence[Fact]:
        self._meter.matched(rule.meta.id)
        key = (rule.meta.index, alternative)
        ready = self._ready.get(key)
        if ready is None:
            ready = self._ready[key] = _ReadyRule(rule, alternative, self._store, self._meter)
        firing = ready.fire(bound)
        if firing is None:
            return ()
        self._firings.append(firing)
        fresh = []
        for position, fact in enumerate(firing.produced):
            known = self._new.setdefault(fact.id, fact) if (stored := self._store.get(fact.id)) is None else stored
            if known is fact:
                fresh.append(fact)
            else:
                if known.values != fact.values:
                    self._variants.setdefault(fact.id, [known]).append(fact)
                firing.produced[position] = known
        return fresh

    def _number(self) -> None:
        """Depths by the shortest derivation, then positions by depth, rule, alternative, bound facts and head; proofs in the same order."""
        waiting: dict[str, list[Firing]] = {}
        ready: list[Firing] = []
        for firing in self._firings:
            unnumbered = {fact.id for fact in firing.bound if fact.seq < 0}
            if unnumbered:
                firing.missing = len(unnumbered)
                for fact_id in unnumbered:
                    waiting.setdefault(fact_id, []).append(firing)
            else:
                ready.append(firing)
        depth = 0
        while ready:
            depth += 1
            ready.sort(key=Firing.order)
            following: list[Firing] = []
            for firing in ready:
                derivation = firing.ready.derivation(firing, depth)
                for fact in firing.produced:
                    if fact.seq < 0:
                        fact.origin = firing.ready.origin
                        self._store.add(fact)
                        for other in waiting.pop(fact.id, ()):
                            other.missing -= 1
                            if not other.missing:
                                following.append(other)
                    self._proof.add(fact.id, derivation)
            ready = following


class _ReadyRule:
    """The right side of one alternative of a rule: lets, conditions and heads as functions, and what all its derivations share."""

    def __init__(self, rule: Rule, alternative: int, store: FactStore, meter: Meter) -> None:
        self.rule = rule
        self.index = rule.meta.index
        self.alternative = alternative
        self.origin = ("rule", rule.meta.id)
        self._aliases = [pattern.alias for pattern in rule.alternatives[alternative]]
        self._absent = tuple([pattern_text(pattern, store.kinds[pattern.kind]) for pattern in rule.unless])
        expressions = Expressions(store, rule.alternatives[alternative], meter=meter)
        self._lets = [(let.name, expressions.let(let)) for let in rule.lets]
        self._conditions = [condition(expressions, checked) for checked in rule.conditions]
        self._heads = [ReadyHead(head, expressions, store.kinds, self.origin) for head in rule.heads]

    def fire(self, bound: tuple[Fact, ...]) -> Firing | None:
        """The firing for these facts, or None where a condition fails or a required value is absent."""
        names: Names = {}
        computed: list[Computed] = []
        for name, ready in self._lets:
            inputs: list[str] = []
            names[name] = ready(bound, names, inputs)
            computed.append(Computed(name, names[name], tuple(inputs)))
        others: list[str] = []
        for holds in self._conditions:
            if not holds(bound, names, others):
                return None
        produced: list[Fact] = []
        for head in self._heads:
            fact = head.fact(bound, names, others)
            if fact is None:
                return None
            produced.append(fact)
        if others:
            computed.append(Computed("", None, tuple(others)))
        return Firing(self, bound, produced, tuple(computed))

    def derivation(self, firing: Firing, depth: int) -> Derivation:
        """What the proof keeps of a firing at a depth."""
        meta = self.rule.meta
        bound = tuple(zip(self._aliases, [fact.id for fact in firing.bound], strict=True))
        return Derivation("rule", meta.id, meta.place, bound, self._absent, firing.computed, (), "", depth, self.alternative)
