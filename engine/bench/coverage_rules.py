"""Why: how near each candidate match of a rule came to firing: what held, what blocked it, which condition refused it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from tollens.engine.rulebook.syntax import Const, Pattern, Rule, Test
from tollens.engine.session.conditions import alpha_check, compare, getter
from tollens.engine.session.heads import Expressions, Names, ReadyHead, condition
from tollens.engine.session.matching import Matcher, blocked, finished, search
from tollens.engine.session.store import FactStore
from tollens.facts.fact import Fact
from tollens.facts.kind import KindTable

Row = tuple[Fact, ...]


class Tried(NamedTuple):
    """A row that satisfies a rule's patterns: which `unless` block it, which `if` refuse it, and whether its heads would be whole."""

    row: Row
    blockers: tuple[int, ...]
    refused: tuple[int, ...]
    whole: bool

    @property
    def fires(self) -> bool:
        """Whether the rule fires on the row."""
        return self.whole and not self.blockers and not self.refused

    def only_blocked_by(self, position: int) -> bool:
        """Whether one `unless` alone keeps the rule from firing."""
        return self.whole and self.blockers == (position,) and not self.refused

    def only_refused_by(self, position: int) -> bool:
        """Whether one condition alone keeps the rule from firing."""
        return self.whole and self.refused == (position,) and not self.blockers


class RuleMatches:
    """A rule ready to be tried over the facts of any session of one rulebook."""

    def __init__(self, rule: Rule, kinds: KindTable) -> None:
        self.rule = rule
        self.kinds = kinds
        self._matchers: dict[tuple[Pattern, ...], tuple[Matcher, list[Matcher]]] = {}

    def matchers(self, patterns: Sequence[Pattern]) -> tuple[Matcher, list[Matcher]]:
        """The matcher of patterns and those of the rule's `unless` beside them."""
        key = tuple(patterns)
        found = self._matchers.get(key)
        if found is None:
            unless = [Matcher([pattern], self.kinds, key) for pattern in self.rule.unless]
            found = self._matchers[key] = (Matcher(key, self.kinds), unless)
        return found

    def over(self, store: FactStore) -> Holding:
        """The rule over the facts of a session."""
        return Holding(self, store)


class Holding:
    """A rule over one session's facts."""

    def __init__(self, matches: RuleMatches, store: FactStore) -> None:
        self._matches = matches
        self._store = store
        self._checks: dict[int, Callable[[Row], tuple[tuple[int, ...], bool]]] = {}

    def tried(self, number: int, patterns: Sequence[Pattern] | None = None) -> Iterator[Tried]:
        """Every row of an alternative, or of patterns that stand for it with the same aliases."""
        rule = self._matches.rule
        given = rule.alternatives[number] if patterns is None else patterns
        if not all(self._store.facts(pattern.kind) for pattern in given):
            return
        matcher, unless = self._matches.matchers(given)
        source = finished(self._store)
        for slots in search(matcher.plan(), [None] * matcher.size, [source] * matcher.size):
            row: Row = tuple(slots)  # type: ignore[arg-type]  # every slot is filled, as all steps are done
            blockers = tuple([position for position, other in enumerate(unless) if blocked(other, row, source)])
            refused, whole = self._check(number)(row)
            yield Tried(row, blockers, refused, whole)

    def _check(self, number: int) -> Callable[[Row], tuple[tuple[int, ...], bool]]:
        """Which conditions refuse a row, and whether its heads are whole."""
        if number not in self._checks:
            rule, kinds = self._matches.rule, self._matches.kinds
            expressions = Expressions(self._store, rule.alternatives[number])
            lets = [(let.name, expressions.let(let)) for let in rule.lets]
            conditions = [condition(expressions, checked) for checked in rule.conditions]
            heads = [ReadyHead(head, expressions, kinds, ("rule", rule.meta.id)) for head in rule.heads]

            def check(row: Row) -> tuple[tuple[int, ...], bool]:
                names: Names = {}
                for name, ready in lets:
                    names[name] = ready(row, names, [])
                refused = tuple([position for position, holds in enumerate(conditions) if not holds(row, names, [])])
                return refused, all(head.fact(row, names, []) is not None for head in heads)

            self._checks[number] = check
        return self._checks[number]


def fails(patterns: Sequence[Pattern], position: int, test: Test, kinds: KindTable) -> Callable[[Row], bool]:
    """Whether a test of the pattern at a position does not hold on a row of these patterns."""
    kind = kinds[patterns[position].kind]
    if isinstance(test.operand, Const):
        check = alpha_check(kind, test)
        return lambda row: not check(row[position])
    places = {pattern.alias: number for number, pattern in enumerate(patterns)}
    other = places[test.operand.alias]
    here, there = getter(kind, test.field), getter(kinds[patterns[other].kind], test.operand.field)
    holds = compare(kind, test.field, test.op)
    return lambda row: not holds(here(row[position]), there(row[other]))
