"""Why: a second, naive meaning of the language, so that the engine is compared with neither itself nor its compiler."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

from tollens.engine.rulebook.syntax import Const, Format, Head, Meta, Pattern, Place, Ref, Rule, Test
from tollens.engine.session.durable.evaluator import DurableEvaluator
from tollens.engine.session.durable.limits import Limits
from tollens.engine.session.evaluator import Evaluator, Stratum
from tollens.engine.session.store import FactStore
from tollens.facts.fact import Draft, Fact
from tollens.facts.kind import Kind, KindTable

PLACE = Place("rules.yaml", 1)
Key = tuple[str, int, tuple[str, ...]]


class Outcome(NamedTuple):
    """What happened: every firing by rule id, alternative and fact ids, and the ids of the new facts."""

    firings: list[Key]
    facts: set[str]


def pattern(kind: str, alias: str, *tests: Test) -> Pattern:
    """A pattern at a place that does not matter."""
    return Pattern(kind, alias, tests, PLACE)


def const(field: str, op: str, value: Any) -> Test:
    """A test with a constant in the form of its field."""
    return Test(field, op, Const(value))


def ref(field: str, op: str, alias: str, other: str) -> Test:
    """A test against a field of an earlier alias."""
    return Test(field, op, Ref(alias, other))


def head(kind: str, **fields: Any) -> Head:
    """A head whose values are Ref or Const."""
    return Head(kind, tuple(fields.items()), PLACE)


def rule(name: str, *alternatives: Sequence[Pattern], unless: Sequence[Pattern] = (), heads: Sequence[Head] = ()) -> Rule:
    """A rule of these alternatives."""
    meta = Meta(name, "stage", 0, PLACE, "pack", Format(()))
    return Rule(meta, tuple(tuple(each) for each in alternatives), tuple(unless), (), (), tuple(heads))


class World:
    """A fact base under test: finished facts, and what firing adds."""

    def __init__(self, kinds: Sequence[Kind]) -> None:
        self.store = FactStore(KindTable(kinds))

    def add(self, kind: str, **fields: Any) -> Fact:
        """Store a finished fact."""
        return self.store.add(self.store.make(Draft(kind, fields)))

    def run(self, rules: Sequence[Rule], *, limits: Limits | None = None) -> Outcome:
        """Evaluate with the engine, every compiled ruleset checked."""
        chosen = DurableEvaluator(check=True) if limits is None else DurableEvaluator(check=True, limits=limits)
        return self.run_with(chosen, rules)

    def run_with(self, chosen: Evaluator, rules: Sequence[Rule], budget: int = 10**9) -> Outcome:
        """Evaluate with some evaluator; TimeoutError beyond the budget of firings."""
        firings: list[Key] = []
        new: dict[str, Fact] = {}

        def fire(fired: Rule, alternative: int, bound: tuple[Fact, ...]) -> list[Fact]:
            if len(firings) >= budget:
                raise TimeoutError("budget")
            firings.append((fired.meta.id, alternative, tuple(fact.id for fact in bound)))
            return self._made(fired, alternative, bound, new)

        produces = frozenset(head.kind for each in rules for head in each.heads)
        chosen.run(Stratum("stage", rules, self.store, fire, produces))
        return Outcome(firings, set(new))

    def expect(self, rules: Sequence[Rule], most: int = 10**9) -> Outcome | None:
        """Evaluate by trying every combination of facts until nothing new comes; None where more than `most` facts are new."""
        seen: dict[Key, None] = {}
        new: dict[str, Fact] = {}
        grew = True
        while grew:
            grew = False
            for each in rules:
                for number, patterns in enumerate(each.alternatives):
                    for bound in self._matches(each, patterns, list(new.values())):
                        key = (each.meta.id, number, tuple(fact.id for fact in bound))
                        if key not in seen:
                            seen[key] = None
                            grew = True
                            self._made(each, number, bound, new)
                    if len(new) > most:
                        return None
        return Outcome(list(seen), set(new))

    def _matches(self, fired: Rule, patterns: Sequence[Pattern], new: list[Fact]) -> Iterator[tuple[Fact, ...]]:
        pools = [[*self.store.facts(p.kind), *(f for f in new if f.kind.name == p.kind)] for p in patterns]
        for bound in product(*pools):
            if len({id(fact) for fact in bound}) < len(bound):
                continue
            names = {p.alias: fact for p, fact in zip(patterns, bound, strict=True)}
            if not all(self._fits(p, fact, names) for p, fact in zip(patterns, bound, strict=True)):
                continue
            others = [fact for p in fired.unless for fact in self.store.facts(p.kind) if fact not in bound and self._fits(p, fact, names)]
            if not others:
                yield bound

    def _fits(self, tested: Pattern, fact: Fact, names: dict[str, Fact]) -> bool:
        return all(self._holds(test, fact, names) for test in tested.tests)

    def _holds(self, test: Test, fact: Fact, names: dict[str, Fact]) -> bool:
        value = fact.get(test.field)
        other: Any = names[test.operand.alias].get(test.operand.field) if isinstance(test.operand, Ref) else test.operand.value
        if test.op == "exists":
            return (value is not None) is other
        if value is None or other is None:
            return False
        return bool(_MEANING[test.op](_ranked(fact.kind, test, value), _ranked(fact.kind, test, other)))

    def _made(self, fired: Rule, alternative: int, bound: tuple[Fact, ...], new: dict[str, Fact]) -> list[Fact]:
        names = {p.alias: fact for p, fact in zip(fired.alternatives[alternative], bound, strict=True)}
        made = []
        for each in fired.heads:
            kind = self.store.kinds[each.kind]
            values = dict.fromkeys(kind.index)
            for field, expression in each.fields:
                assert isinstance(expression, Const | Ref)
                values[field] = expression.value if isinstance(expression, Const) else names[expression.alias].get(expression.field)
            if any(values[field.name] is None and not field.optional for field in kind.fields):
                continue
            fact = Fact(kind, tuple(values.values()), {}, ("rule", fired.meta.id))
            if fact.id not in self.store and fact.id not in new:
                new[fact.id] = fact
                made.append(fact)
        return made


def _ranked(kind: Kind, test: Test, value: Any) -> Any:
    if test.op in ("gt", "gte", "lt", "lte") and test.field not in ("id", "seq") and kind.field(test.field).type == "enum":
        return kind.field(test.field).choices.index(value)
    return value


_MEANING: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "gt": lambda a, b: a > b,
    "gte": lambda a, b: a >= b,
    "lt": lambda a, b: a < b,
    "lte": lambda a, b: a <= b,
    "in": lambda a, b: a in b,
    "starts": lambda a, b: a.startswith(b),
    "ends": lambda a, b: a.endswith(b),
    "contains": lambda a, b: b in a,
    "matches": lambda a, b: any(part in a for part in b.split("|")),
}
