"""Why: whether a rulebook has one meaning is a question about all packs at once; this module asks it before anything runs.

What a stage negates, counts, elects or orders by position must be finished before: produced in an earlier stage, or (for rules) by an
operator of the same stage. Values may not be computed in a circle.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tollens.engine.errors import PackError
from tollens.engine.rulebook.build.entries import Entry
from tollens.engine.rulebook.build.regex import compile_regex
from tollens.engine.rulebook.builtin import MATCH, MATCH_GROUP, PASSED_OVER, PRODUCER_FIELDS, TIED
from tollens.engine.rulebook.source.problems import Problems, fault, unknown
from tollens.engine.rulebook.syntax import (
    Aggregate,
    Call,
    Const,
    Elect,
    Expr,
    Format,
    Group,
    Head,
    Measure,
    Name,
    Pattern,
    Place,
    Ref,
    Rule,
    Take,
    TextPattern,
)
from tollens.facts.kind import KindTable

_PAGE = "see docs/language.md#order-and-proof"


def check_strata(entries: Sequence[Entry], known: Sequence[Entry], stages: Sequence[str], kinds: KindTable, problems: Problems) -> None:
    """Report everything that keeps the remaining entries from having one meaning. `known` also holds what was replaced or disabled."""
    strata = _Strata(entries, known, stages, kinds, problems)
    for entry in entries:
        for error in strata.faults(entry):
            problems.add(error)


def heads_of(entry: Entry) -> list[Head]:
    """The facts that an entry spells out."""
    if isinstance(entry, Rule):
        return list(entry.heads)
    if isinstance(entry, Elect):
        return [entry.into]
    if isinstance(entry, Take):
        return [head for head in (entry.into, entry.rest) if head is not None]
    if isinstance(entry, Group):
        return [head for head in (entry.into, entry.member) if head is not None]
    return []


def outputs(entry: Entry) -> list[tuple[str, Place]]:
    """The kinds that an entry can assert, with the place that says so."""
    found = [(head.kind, head.place) for head in heads_of(entry)]
    place = entry.meta.place
    if isinstance(entry, Elect):
        found += [(PASSED_OVER, place), (TIED, place)]
    elif isinstance(entry, TextPattern):
        found.append((MATCH, place))
        if compile_regex(entry.regex).groupindex:
            found.append((MATCH_GROUP, place))
    elif isinstance(entry, Measure):
        found.append((entry.output, place))
    return found


def expressions(entry: Entry) -> Iterator[tuple[Expr, Place]]:
    """All expressions of an entry and of what they are made of."""
    stack: list[tuple[Expr, Place]] = [(expr, head.place) for head in heads_of(entry) for _, expr in head.fields]
    if isinstance(entry, Rule):
        stack += [(let.expr, entry.meta.place) for let in entry.lets]
        stack += [(side, condition.place) for condition in entry.conditions for side in (condition.left, condition.right)]
    while stack:
        expr, place = stack.pop()
        yield expr, place
        if isinstance(expr, Call):
            stack += [(argument, place) for argument in expr.arguments]
        elif isinstance(expr, Format):
            stack += [(part, place) for part in expr.parts if not isinstance(part, str)]


def positive(entry: Entry) -> list[Pattern]:
    """The patterns that an entry must find."""
    if isinstance(entry, Rule):
        return [pattern for alternative in entry.alternatives for pattern in alternative]
    if isinstance(entry, TextPattern):
        return [Pattern(entry.kind, "_1", (), entry.meta.place)]
    return list(entry.source)


class _Strata:
    def __init__(
        self, entries: Sequence[Entry], known: Sequence[Entry], stages: Sequence[str], kinds: KindTable, problems: Problems
    ) -> None:
        self._level = {stage: position for position, stage in enumerate(stages)}
        self._kinds = kinds
        self._problems = problems
        self._producers: dict[str, list[Entry]] = {}
        self._rules: dict[str, list[Rule]] = {}
        for entry in entries:
            for kind in dict.fromkeys(kind for kind, _ in outputs(entry)):
                self._producers.setdefault(kind, []).append(entry)
            if isinstance(entry, Rule):
                self._rules.setdefault(entry.meta.stage, []).append(entry)
        self._ids = {
            MATCH: [entry.meta.id for entry in known if isinstance(entry, TextPattern)],
            PASSED_OVER: [entry.meta.id for entry in known if isinstance(entry, Elect)],
            TIED: [entry.meta.id for entry in known if isinstance(entry, Elect)],
        }

    def faults(self, entry: Entry) -> Iterator[PackError]:
        """What is wrong with one entry."""
        yield from self._closed(entry)
        aggregates = [(expr.pattern, "counted") for expr, _ in expressions(entry) if isinstance(expr, Aggregate)]
        negated = [] if isinstance(entry, TextPattern | Measure) else [(pattern, "under `unless`") for pattern in entry.unless]
        closed = [*negated, *aggregates]
        if isinstance(entry, Group) and entry.members is not None:
            closed.append((entry.members, "among `members`"))
        if isinstance(entry, Take) and entry.apart is not None:
            closed.append((Pattern(entry.apart.kind, "", (), entry.meta.place), "under `apart`"))
        if not isinstance(entry, Rule):
            closed += [(pattern, "a source") for pattern in positive(entry)]
        for pattern, role in closed:
            yield from self._finished(entry, pattern, role)
        for pattern in [*positive(entry), *(pattern for pattern, _ in closed)]:
            yield from self._named(pattern)
        if isinstance(entry, Rule):
            yield from self._positions(entry)
            yield from self._circle(entry)

    def _at(self, entry: Entry) -> int:
        return self._level.get(entry.meta.stage, -1)

    def _where(self, entry: Entry) -> str:
        return f"{entry.meta.id} ({self._problems.shown(entry.meta.place)})"

    def _closed(self, entry: Entry) -> Iterator[PackError]:
        for kind, place in outputs(entry):
            closes = self._kinds[kind].closes
            if closes in self._level and self._at(entry) > self._level[closes]:
                yield fault(
                    place,
                    f"{kind} is closed after the stage {closes}; {entry.meta.id} asserts it in {entry.meta.stage}",
                    expected=f"a stage up to {closes}",
                    choices=[stage for stage, level in self._level.items() if level <= self._level[closes]],
                    next_step=f"move the rule to {closes} or an earlier stage",
                )

    def _finished(self, entry: Entry, pattern: Pattern, role: str) -> Iterator[PackError]:
        """A kind that must be complete when the entry reads it."""
        mine = self._at(entry)
        for producer in self._of(pattern):
            theirs = self._at(producer)
            same = theirs == mine and (isinstance(producer, Rule) or not isinstance(entry, Rule))
            if theirs < mine or (theirs == mine and not same):
                continue
            path = self._path(entry, pattern.kind) if same and isinstance(entry, Rule) else ()
            if path:
                steps = "; ".join(path)
                message = f"{entry.meta.id} stands in a cycle through {pattern.kind}, which is {role}: {steps}"
            else:
                when = "in the same stage" if same else f"in the later stage {producer.meta.stage}"
                message = f"{pattern.kind} is {role} here and produced {when} by {self._where(producer)}"
            yield fault(
                pattern.place,
                message,
                expected=f"a kind that is complete before {'the rules of ' if isinstance(entry, Rule) else ''}{entry.meta.stage}",
                next_step=self._way(entry, producer, pattern),
            )
            return

    def _way(self, entry: Entry, producer: Entry, pattern: Pattern) -> str:
        field = PRODUCER_FIELDS.get(pattern.kind)
        if field and not any(test.field == field for test in pattern.tests):
            return f"say whose facts are meant by `{field}: ID`; {_PAGE}"
        if producer is entry:
            return f"let {entry.meta.id} assert a kind of its own, and derive {pattern.kind} from it in a later stage; {_PAGE}"
        return f"move {producer.meta.id} to an earlier stage or {entry.meta.id} to a later one; {_PAGE}"

    def _of(self, pattern: Pattern) -> list[Entry]:
        """The producers of the facts that a pattern can find; the engine's kinds tell them by id."""
        producers = self._producers.get(pattern.kind, [])
        field = PRODUCER_FIELDS.get(pattern.kind)
        for test in pattern.tests:
            if field and test.field == field and isinstance(test.operand, Const) and test.op in ("eq", "in"):
                value = test.operand.value
                ids = value if isinstance(value, tuple) else (value,)
                return [producer for producer in producers if producer.meta.id in ids]
        return producers

    def _named(self, pattern: Pattern) -> Iterator[PackError]:
        """Ids of operators in tests of the engine's kinds must exist."""
        field = PRODUCER_FIELDS.get(pattern.kind)
        for test in pattern.tests:
            if field and test.field == field and isinstance(test.operand, Const) and test.op in ("eq", "ne", "in"):
                value = test.operand.value
                for name in value if isinstance(value, tuple) else (value,):
                    if name not in self._ids[pattern.kind]:
                        what = "pattern" if pattern.kind == MATCH else "election"
                        message = f"there is no {what} {name!r:.60}"
                        yield unknown(pattern.place, message, str(name), self._ids[pattern.kind], f"the id of a {what}", "rule-files")

    def _positions(self, rule: Rule) -> Iterator[PackError]:
        """`seq` is known for facts of finished stages and of the stage's operators only."""
        bound = {pattern.alias: pattern.kind for pattern in positive(rule)}
        used: list[tuple[str, Place]] = []
        for pattern in [*positive(rule), *rule.unless, *(e.pattern for e, _ in expressions(rule) if isinstance(e, Aggregate))]:
            for test in pattern.tests:
                if test.field == "seq":
                    used.append((pattern.kind, pattern.place))
                if isinstance(test.operand, Ref) and test.operand.field == "seq":
                    used.append((bound[test.operand.alias], pattern.place))
        used += [(bound[expr.alias], place) for expr, place in expressions(rule) if isinstance(expr, Ref) and expr.field == "seq"]
        for kind, place in dict.fromkeys(used):
            for producer in self._producers.get(kind, []):
                if isinstance(producer, Rule) and producer.meta.stage == rule.meta.stage:
                    yield fault(
                        place,
                        f"the seq of {kind} is not known yet: {self._where(producer)} asserts it in the same stage",
                        expected="a kind that is complete before the rules of this stage",
                        next_step=f"move {rule.meta.id} to a later stage",
                    )
                    break

    def _circle(self, rule: Rule) -> Iterator[PackError]:
        """A rule that computes values may not feed itself."""
        computed = [head for head in rule.heads if any(isinstance(e, Name | Call | Aggregate | Format) for _, e in head.fields)]
        for head in computed:
            for kind in dict.fromkeys(pattern.kind for pattern in positive(rule)):
                path = self._steps(rule.meta.stage, [head.kind], kind)
                if path is not None:
                    steps = "; ".join([f"{rule.meta.id} makes {head.kind}", *path, f"{rule.meta.id} sees {kind}"])
                    yield fault(
                        head.place,
                        f"{rule.meta.id} computes values in a circle: {steps}",
                        expected="computed values outside of every cycle of rules within a stage",
                        next_step=f"move {rule.meta.id} to a stage of its own; {_PAGE}",
                    )
                    return

    def _path(self, rule: Rule, target: str) -> tuple[str, ...]:
        """How the rule's own facts lead to a kind within the stage, as sentences; () where they do not."""
        kinds = [head.kind for head in rule.heads]
        path = self._steps(rule.meta.stage, kinds, target)
        if path is None:
            return ()
        return (f"{rule.meta.id} makes {', '.join(dict.fromkeys(kinds))}", *path, f"{rule.meta.id} depends on {target}")

    def _steps(self, stage: str, start: Sequence[str], target: str) -> list[str] | None:
        """The shortest way from some kinds to another through the rules of a stage; [] where it is one of them, else None."""
        ways: dict[str, list[str]] = {kind: [] for kind in start}
        queue = list(ways)
        for kind in queue:
            if kind == target:
                return ways[kind]
            for rule in self._rules.get(stage, []):
                if any(pattern.kind == kind for pattern in positive(rule)):
                    for head in rule.heads:
                        if head.kind not in ways:
                            ways[head.kind] = [*ways[kind], f"{rule.meta.id} makes {head.kind} from {kind}"]
                            queue.append(head.kind)
        return None
