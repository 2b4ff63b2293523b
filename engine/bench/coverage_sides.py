"""Why: which side of each condition a case made decide, asked of the finished facts and never of the engine that found them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from tollens.engine.bench.cases import fired
from tollens.engine.bench.coverage_conditions import FALSE, TRUE, Condition, Operator, aggregates, entry_of, without
from tollens.engine.bench.coverage_rules import Holding, RuleMatches, fails
from tollens.engine.rulebook.syntax import Elect, Measure, Pattern, Rule, Rulebook, Take, TextPattern
from tollens.engine.session.matching import Matcher, blocked, finished, search
from tollens.engine.session.operators import Source, deciding, key_text
from tollens.engine.session.session import Session
from tollens.engine.session.store import FactStore
from tollens.facts.fact import Fact
from tollens.facts.kind import KindTable

#: Rows that are looked at for one condition in one case; more would make a hostile case slow and tell nothing new.
MOST_ROWS = 20_000
#: Cases in which a side is looked for; a side that so many cases reached is not looked for in further ones.
ENOUGH = 12
_LOST = ("passed_over", "tied")

Sides = set[tuple[str, str]]
Row = tuple[Fact, ...]


class Observer:
    """Watches sessions of one rulebook; `sides` of a finished session are (name of a condition, side)."""

    def __init__(self, book: Rulebook, watched: Sequence[Condition]) -> None:
        self._kinds = KindTable(book.kinds)
        self._watched = tuple(watched)
        by_entry: dict[str, list[Condition]] = {}
        for condition in watched:
            by_entry.setdefault(condition.entry, []).append(condition)
        self._stages = {
            stage.name: [(entry, by_entry[entry.meta.id]) for entry in entry_of(stage) if entry.meta.id in by_entry]
            for stage in book.stages
        }
        self._rules: dict[str, RuleMatches] = {}
        self._sides: Sides = set()
        self._blocking: set[str] = set()
        self._times: dict[tuple[str, str], int] = {}

    def stage(self, name: str, session: Session) -> None:
        """Look at a stage that has just finished: later facts are not there yet."""
        for entry, every in self._stages[name]:
            conditions = [condition for condition in every if self._open(condition)]
            if not conditions:
                continue
            if isinstance(entry, TextPattern):
                self._pattern(entry, conditions[0], session.store)
            elif isinstance(entry, Rule):
                self._rule(entry, conditions, session.store)
            else:
                self._operator(entry, conditions, session.store)

    def finish(self, session: Session, *, raw: bool) -> Sides:
        """The sides that a session reached; `raw` says whether it began from a raw signal."""
        names = fired(session)
        rows = _used_rows(session) | self._blocking
        for condition in self._watched:
            if condition.what in ("redaction", "measure"):
                self._reached_if(condition, condition.entry in names, TRUE)
                self._reached_if(condition, raw and condition.entry not in names)
            elif condition.what == "row":
                self._reached_if(condition, str(condition.place) in rows, TRUE)
        found = self._sides
        self.forget()
        for side in found:
            self._times[side] = self._times.get(side, 0) + 1
        return found

    def forget(self) -> None:
        """Drop what a session that failed has reached so far."""
        self._sides, self._blocking = set(), set()

    def _open(self, condition: Condition) -> bool:
        return any(self._times.get((condition.name, side), 0) < ENOUGH for side in condition.sides)

    def _reached(self, condition: Condition, side: str) -> None:
        if side in condition.sides:
            self._sides.add((condition.name, side))

    def _pattern(self, pattern: TextPattern, condition: Condition, store: FactStore) -> None:
        matched = {fact.get("fact") for fact in store.facts("match") if fact.get("pattern") == pattern.meta.id}
        if matched:
            self._reached(condition, TRUE)
        if any(fact.id not in matched for fact in store.facts(pattern.kind) if fact.get(pattern.field) is not None):
            self._reached(condition, FALSE)

    def _operator(self, operator: Operator, conditions: Sequence[Condition], store: FactStore) -> None:
        if not all(store.facts(pattern.kind) for pattern in operator.source):
            return
        unless = () if isinstance(operator, Measure) else operator.unless
        source = Source(store, operator.source, ())
        rows = source.rows()
        free = [row for row in rows if not self._blockers(unless, operator.source, row, store)]
        for condition in conditions:
            if condition.what in ("when", "unless") and free:
                self._reached(condition, TRUE)
            if condition.what == "when" and self._relaxed(operator.source, unless, condition, store):
                self._reached(condition, FALSE)
            elif condition.what == "unless":
                self._reached_if(condition, any(self._blockers(unless, operator.source, row, store) == [condition.at[0]] for row in rows))
            elif condition.what == "inside":
                self._inside(condition, unless, operator.source, rows, store)
        if isinstance(operator, Elect | Take) and free:
            self._order(operator, conditions, Source(store, operator.source, operator.unless), free)

    def _reached_if(self, condition: Condition, holds: bool, side: str = FALSE) -> None:
        if holds:
            self._reached(condition, side)

    def _order(self, operator: Elect | Take, conditions: Sequence[Condition], source: Source, rows: list[Row]) -> None:
        """Which keys told two neighbours of an order apart, and whether something was left over."""
        keys = [(key_text(key), source.reader(key.value)) for key in operator.by]
        sort, left = source.sorter(operator.by), False
        decided: set[str] = set()
        for group in source.groups(rows, operator.per):
            sort(group)
            decided.update(deciding(keys, one, other) for one, other in pairwise(group))
            left = left or (isinstance(operator, Take) and 0 <= operator.keep < len(group))
        for condition in conditions:
            if condition.what == "by" and keys[condition.at[0]][0] in decided:
                self._reached(condition, TRUE)
            elif condition.what == "keep":
                self._reached(condition, TRUE)
                self._reached_if(condition, left)

    def _rule(self, rule: Rule, conditions: Sequence[Condition], store: FactStore) -> None:
        known = self._rules.get(rule.meta.id)
        if known is None:
            known = self._rules[rule.meta.id] = RuleMatches(rule, self._kinds)
        ready = known.over(store)
        tried = [islice(ready.tried(number), MOST_ROWS) for number in range(len(rule.alternatives))]
        matches = [list(rows) for rows in tried]
        fires = [[match.row for match in rows if match.fires] for rows in matches]
        for condition in conditions:
            what, at = condition.what, condition.at
            if what in ("when", "fires"):
                self._reached_if(condition, bool(fires[at[0]]), TRUE)
                if what == "when" and self._relaxed_rule(rule, condition, ready):
                    self._reached(condition, FALSE)
                continue
            candidates = [match for rows in matches for match in rows]
            if what == "unless":
                self._reached_if(condition, any(fires), TRUE)
                stopped = [[match.row for match in rows if match.only_blocked_by(at[0])] for rows in matches]
                self._reached_if(condition, any(stopped))
                self._blocked_by_rows(rule, rule.unless[at[0]], stopped, store)
            elif what == "if":
                self._reached_if(condition, any(fires), TRUE)
                self._reached_if(condition, any(match.only_refused_by(at[0]) for match in candidates))
            elif what == "inside":
                self._reached_if(condition, any(match.only_blocked_by(at[0]) for match in candidates), TRUE)
                pattern, _ = without(rule.unless[at[0]], condition.test)
                self._reached_if(condition, self._any(rule, pattern, fires, store, apart=True))
            elif what == "aggregate":
                pattern = aggregates(rule)[at[0]].pattern
                self._reached_if(condition, self._any(rule, pattern, fires, store, apart=False), TRUE)
                self._reached_if(condition, self._seen_by_aggregate(rule, pattern, condition.test, fires, store))

    def _blocked_by_rows(self, rule: Rule, pattern: Pattern, stopped: Sequence[Sequence[Row]], store: FactStore) -> None:
        """Note the rows of tables that alone kept a rule from firing: they are used, though nothing was concluded from them."""
        for patterns, rows in zip(rule.alternatives, stopped, strict=True):
            for fact, *_ in self._beside(patterns, pattern, rows, store, apart=True):
                if fact.origin[0] == "row":
                    self._blocking.add(fact.origin[1])

    def _any(self, rule: Rule, pattern: Pattern, fires: Sequence[Sequence[Row]], store: FactStore, *, apart: bool) -> bool:
        """Whether some firing row has a fact that satisfies a pattern beside it."""
        return any(
            next(self._beside(patterns, pattern, rows, store, apart=apart), None) is not None
            for patterns, rows in zip(rule.alternatives, fires, strict=True)
        )

    def _beside(
        self, patterns: Sequence[Pattern], pattern: Pattern, rows: Sequence[Row], store: FactStore, *, apart: bool
    ) -> Iterator[Row]:
        """Each fact that satisfies a pattern, before the row beside which it does."""
        if rows:
            step = Matcher([pattern], self._kinds, patterns).plan()[0]
            for row in rows:
                for fact in step.matches([None, *row], finished(store), apart=apart):
                    yield (fact, *row)

    def _seen_by_aggregate(self, rule: Rule, pattern: Pattern, test: int, fires: Sequence[Sequence[Row]], store: FactStore) -> bool:
        """Whether an aggregate left a fact out by one of its tests alone."""
        relaxed, left_out = without(pattern, test)
        for patterns, rows in zip(rule.alternatives, fires, strict=True):
            fail = fails([relaxed, *patterns], 0, left_out, self._kinds)
            if any(fail(row) for row in self._beside(patterns, relaxed, rows, store, apart=False)):
                return True
        return False

    def _relaxed_rule(self, rule: Rule, condition: Condition, ready: Holding) -> bool:
        number, position = condition.at
        patterns = list(rule.alternatives[number])
        patterns[position], test = without(patterns[position], condition.test)
        fail = fails(patterns, position, test, self._kinds)
        return any(match.fires for match in islice(ready.tried(number, patterns), MOST_ROWS) if fail(match.row))

    def _relaxed(self, source: Sequence[Pattern], unless: Sequence[Pattern], condition: Condition, store: FactStore) -> bool:
        """Whether an operator would see one more row without a test."""
        position = condition.at[1]
        patterns = list(source)
        patterns[position], test = without(patterns[position], condition.test)
        fail = fails(patterns, position, test, self._kinds)
        matcher = Matcher(patterns, self._kinds)
        for slots in islice(search(matcher.plan(), [None] * matcher.size, [finished(store)] * matcher.size), MOST_ROWS):
            row: Row = tuple(slots)  # type: ignore[arg-type]  # every slot is filled, as all steps are done
            if fail(row) and not self._blockers(unless, patterns, row, store):
                return True
        return False

    def _blockers(self, unless: Sequence[Pattern], patterns: Sequence[Pattern], row: Row, store: FactStore) -> list[int]:
        return [n for n, pattern in enumerate(unless) if blocked(Matcher([pattern], self._kinds, patterns), row, finished(store))]

    def _inside(
        self, condition: Condition, unless: Sequence[Pattern], source: Sequence[Pattern], rows: Sequence[Row], store: FactStore
    ) -> None:
        relaxed, _ = without(unless[condition.at[0]], condition.test)
        matcher = Matcher([relaxed], self._kinds, source)
        for row in rows:
            blockers = self._blockers(unless, source, row, store)
            self._reached_if(condition, blockers == [condition.at[0]], TRUE)
            self._reached_if(condition, not blockers and blocked(matcher, row, finished(store)))


def _used_rows(session: Session) -> set[str]:
    """The places of a pack's rows that something was concluded from."""
    places = {fact.id: fact.origin[1] for fact in session.store if fact.origin[0] == "row"}
    used: set[str] = set()
    for fact_id, ways in session.proof:
        if fact_id.partition(":")[0] not in _LOST:
            for way in ways:
                ids = [*[bound for _, bound in way.bound], *[item for part in way.computed for item in part.inputs]]
                used.update(places[item] for item in ids if item in places)
    return used
