"""Why: what the rule language means, said a second time, slowly and plainly, so that an evaluator can be found wrong.

It shares nothing with the engine but the facts and the checked form of rules. Matches are found by trying every combination of facts, the fixpoint by
trying all of them again until nothing new comes, and the canonical numbers are given round by round as docs/language.md says.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from tollens.engine.rulebook.measures import MeasureSignature
from tollens.engine.rulebook.syntax import (
    Aggregate,
    By,
    Call,
    Condition,
    Const,
    Elect,
    Expr,
    Format,
    Group,
    Head,
    Measure,
    Meta,
    Name,
    Pattern,
    Ref,
    Rule,
    Rulebook,
    Stage,
    Take,
    Test,
    TextPattern,
)
from tollens.facts.fact import BadFact, Draft, Fact, Span, make_fact
from tollens.facts.kind import Kind

LIMIT = 2**62
MILLION = 10**6
#: Combinations of one list of patterns that the oracle is willing to try.
PATIENCE = 60_000

Env = dict[str, Fact]
Json = dict[str, Any]


class TooBigError(Exception):
    """More combinations than the oracle is willing to try; the case says nothing."""


class ContradictionError(Exception):
    """One identity with two contents; holds the kind's name."""


class OverBudgetError(Exception):
    """More matches in a stage than allowed."""


class Oracle:
    """One run. `events` counts what happened, by name, for the coverage of a series of runs."""

    def __init__(self, rulebook: Rulebook, measures: Mapping[str, MeasureSignature], budget: int = 100_000) -> None:
        self.rulebook = rulebook
        self.measures = measures
        self.budget = budget
        self.kinds: dict[str, Kind] = {kind.name: kind for kind in rulebook.kinds}
        self.facts: list[Fact] = []
        self.ways: dict[str, list[Json]] = {}
        self.firings: dict[str, int] = {}
        self.events: Counter[str] = Counter()
        self.fired: list[Rule | Elect | Take | Group | TextPattern | Measure] = []

    # ---- facts and proof

    def known(self, fact_id: str) -> Fact | None:
        return next((fact for fact in self.facts if fact.id == fact_id), None)

    def put(self, fact: Fact) -> Fact:
        before = self.known(fact.id)
        if before is None:
            fact.seq = len(self.facts)
            self.facts.append(fact)
            return fact
        if before.values != fact.values:
            raise ContradictionError(fact.kind.name)
        return before

    def way(self, fact: Fact, data: Json) -> None:
        ways = self.ways.setdefault(fact.id, [])
        if data not in ways:
            ways.append(data)

    def of_kind(self, name: str, pool: Sequence[Fact] | None = None) -> list[Fact]:
        return [fact for fact in (self.facts if pool is None else pool) if fact.kind.name == name]

    # ---- the run

    def run(self, drafts: Iterable[Draft]) -> Json:
        for row in self.rulebook.rows:
            given = dict(row.fields)
            kind = self.kinds[row.kind]
            fact = self.put(Fact(kind, tuple(given.get(f.name) for f in kind.fields), {}, ("row", str(row.place))))
            self.way(fact, {"by": "row", "name": row.pack, "place": str(row.place)})
        inputs = []
        for draft in drafts:
            made = make_fact(self.kinds[draft.kind], draft)
            if made.kind.verdict:
                raise BadFact(f"{draft.kind} is a verdict")
            fact = self.put(made)
            self.way(fact, {"by": draft.origin[0], "name": draft.origin[1]})
            inputs.append(fact)
        for fact in inputs:
            for field, value in zip(fact.kind.fields, fact.values, strict=True):
                if field.type == "ref" and value is not None and self.known(str(value)) is None:
                    raise BadFact(f"{value} is no fact")
        for stage in self.rulebook.stages:
            self.stage(stage)
        return self.json()

    def json(self) -> Json:
        facts = []
        for number, fact in enumerate(self.facts):
            fields: Json = {}
            for field, value in zip(fact.kind.fields, fact.values, strict=True):
                if value is None:
                    continue
                fields[field.name] = value
                if isinstance(value, tuple):
                    fields[field.name] = list(value)
                elif field.type == "number":
                    assert isinstance(value, int)
                    fields[field.name] = value // MILLION if value % MILLION == 0 else value / MILLION
            spans = {name: [span.line, span.start, span.end] for name, span in fact.spans.items()}
            facts.append(
                {"id": fact.id, "kind": fact.kind.name, "seq": number, "fields": fields, "spans": spans, "derivations": self.ways[fact.id]}
            )
        return {"rulebook": self.rulebook.digest, "facts": facts, "firings": self.firings}

    def stage(self, stage: Stage) -> None:
        seen = list(self.facts)  # operators see only what earlier stages left
        for pattern in stage.patterns:
            self.text_pattern(pattern, seen)
        for measure in stage.measures:
            self.measure(measure, seen)
        for elect in stage.elects:
            self.elect(elect, seen)
        for take in stage.takes:
            self.take(take, seen)
        for group in stage.groups:
            self.group(group, seen)
        self.firings[stage.name] = self.rules(stage)

    # ---- rules

    def rules(self, stage: Stage) -> int:
        finished = list(self.facts)
        tried: set[tuple[int, int, tuple[str, ...]]] = set()
        firings = matches = depth = 0
        records: list[tuple[tuple[Any, ...], list[Fact], Json]] = []
        growing = True
        while growing:
            growing = False
            depth += 1
            fresh: list[tuple[tuple[Any, ...], Rule, int, tuple[Fact, ...]]] = []
            for rule in stage.rules:
                for alternative, patterns in enumerate(rule.alternatives):
                    for row in self.rows(patterns, self.facts):
                        mark = (rule.meta.index, alternative, tuple(fact.id for fact in row))
                        if mark in tried:
                            continue
                        tried.add(mark)
                        if any(self.exists(blocker, patterns, row, finished) for blocker in rule.unless):
                            self.events["unless blocks"] += 1
                            continue
                        matches += 1
                        if matches > self.budget:
                            raise OverBudgetError(stage.name)
                        fresh.append(((rule.meta.index, alternative, [fact.seq for fact in row]), rule, alternative, row))
            fresh.sort(key=lambda item: item[0])
            for order, rule, alternative, row in fresh:
                made = self.fire(rule, alternative, row, finished)
                if made is None:
                    continue
                firings += 1
                facts, data = made
                before = len(self.facts)
                stored = [self.put(fact) for fact in facts]
                growing = growing or len(self.facts) > before
                records.append(((depth, *order), stored, {**data, "depth": depth, **({"alternative": alternative} if alternative else {})}))
                self.fired.append(rule)
                if depth > 1:
                    self.events["depth beyond 1"] += 1
                if alternative:
                    self.events["second alternative"] += 1
        for _, stored, data in records:
            for fact in stored:
                self.way(fact, data)
        return firings

    def fire(self, rule: Rule, alternative: int, row: tuple[Fact, ...], finished: list[Fact]) -> tuple[list[Fact], Json] | None:
        patterns = rule.alternatives[alternative]
        env = {pattern.alias: fact for pattern, fact in zip(patterns, row, strict=True)}
        evaluation = _Evaluation(self, env, finished)
        computed: list[list[Any]] = []
        for let in rule.lets:
            evaluation.inputs = []
            value = evaluation.value(let.expr)
            evaluation.names[let.name] = value
            if let.type == "number":
                evaluation.numbers.add(let.name)
            computed.append([let.name, list(value) if isinstance(value, tuple) else value, evaluation.inputs])
        evaluation.inputs = []
        for condition in rule.conditions:
            if not evaluation.condition(condition):
                self.events["condition fails"] += 1
                return None
        facts = []
        for head in rule.heads:
            fact = evaluation.head(head, ("rule", rule.meta.id))
            if fact is None:
                self.events["head without a value"] += 1
                return None
            facts.append(fact)
        if evaluation.inputs:
            computed.append(["", None, evaluation.inputs])
        data: Json = {"by": "rule", "name": rule.meta.id, "place": str(rule.meta.place), "bound": _bound(patterns, row)}
        if rule.unless:
            data["absent"] = [_pattern_text(pattern) for pattern in rule.unless]
        if computed:
            data["computed"] = computed
        return facts, data

    # ---- matching

    def rows(self, patterns: Sequence[Pattern], pool: Sequence[Fact]) -> Iterator[tuple[Fact, ...]]:
        """Every way to give each pattern a fact of its own such that all tests hold, by the numbers of the facts."""
        candidates = [
            [
                fact
                for fact in pool
                if fact.kind.name == pattern.kind
                and all(self.holds(test, fact, {}) for test in pattern.tests if isinstance(test.operand, Const))
            ]
            for pattern in patterns
        ]
        size = 1
        for facts in candidates:
            size *= len(facts)
        if size > PATIENCE:
            raise TooBigError
        for row in itertools.product(*candidates):
            if len({fact.id for fact in row}) < len(row):
                continue
            env = {pattern.alias: fact for pattern, fact in zip(patterns, row, strict=True)}
            if all(self.holds(test, fact, env) for pattern, fact in zip(patterns, row, strict=True) for test in pattern.tests):
                yield row

    def exists(self, pattern: Pattern, patterns: Sequence[Pattern], row: Sequence[Fact], pool: Sequence[Fact]) -> bool:
        """Whether a fact of the pool that is not in the row satisfies a pattern of `unless`."""
        env = {p.alias: fact for p, fact in zip(patterns, row, strict=True)}
        others = [fact for fact in self.of_kind(pattern.kind, pool) if all(fact.id != bound.id for bound in row)]
        return any(all(self.holds(test, fact, env) for test in pattern.tests) for fact in others)

    def holds(self, test: Test, fact: Fact, env: Env) -> bool:
        value = _field(fact, test.field)
        if test.op == "exists":
            assert isinstance(test.operand, Const)
            return (value is not None) is test.operand.value
        if value is None:
            return False
        if isinstance(test.operand, Ref):
            operand: Any = _field(env[test.operand.alias], test.operand.field)
            if operand is None:
                return False
        else:
            operand = test.operand.value
        if test.op in ("gt", "gte", "lt", "lte"):
            ranks = _ranks(fact.kind, test.field)
            if ranks is not None:
                value, operand = ranks[str(value)], ranks[str(operand)]
        return _compare(test.op, value, operand)

    # ---- operators

    def source(self, patterns: Sequence[Pattern], unless: Sequence[Pattern], seen: list[Fact]) -> list[tuple[Fact, ...]]:
        rows = [row for row in self.rows(patterns, seen) if not any(self.exists(p, patterns, row, seen) for p in unless)]
        return sorted(rows, key=lambda row: [fact.seq for fact in row])

    def split(self, rows: list[tuple[Fact, ...]], patterns: Sequence[Pattern], per: Sequence[Ref]) -> list[list[tuple[Fact, ...]]]:
        """Rows with equal values of `per` together, the groups by their first rows; absent is a value of its own here."""
        keys: list[list[Any]] = []
        groups: list[list[tuple[Fact, ...]]] = []
        for row in rows:
            key = [_ref(ref, patterns, row) for ref in per]
            if key not in keys:
                keys.append(key)
                groups.append([])
            groups[keys.index(key)].append(row)
        return groups

    def ordered(self, rows: list[tuple[Fact, ...]], patterns: Sequence[Pattern], by: Sequence[By]) -> list[tuple[Fact, ...]]:
        """By the keys, then by the facts' numbers; absent values last both ways. A selection sort over `before`."""

        def before(a: tuple[Fact, ...], b: tuple[Fact, ...]) -> bool:
            for key in by:
                x, y = (_rank(key.value, patterns, row) for row in (a, b))
                if x == y:
                    continue
                if x is None or y is None:
                    return y is None
                return bool(x > y) if key.descending else bool(x < y)
            return [fact.seq for fact in a] < [fact.seq for fact in b]

        left, result = list(rows), []
        while left:
            first = left[0]
            for row in left[1:]:
                if before(row, first):
                    first = row
            left.remove(first)
            result.append(first)
        return result

    def conclude(self, head: Head | None, meta: Meta, by: str, env: Env, names: Json, data: Json, seen: list[Fact]) -> None:
        if head is None:
            return
        evaluation = _Evaluation(self, env, seen)
        evaluation.names.update(names)
        fact = evaluation.head(head, (by, meta.id))
        if fact is not None:
            self.way(self.put(fact), data)

    def own(self, kind: str, meta: Meta, by: str, values: tuple[Any, ...], data: Json, spans: Mapping[str, Span] | None = None) -> Fact:
        fact = self.put(Fact(self.kinds[kind], values, spans or {}, (by, meta.id)))
        self.way(fact, data)
        return fact

    def elect(self, elect: Elect, seen: list[Fact]) -> None:
        base = {"by": "elect", "name": elect.meta.id, "place": str(elect.meta.place)}
        for rows in self.split(self.source(elect.source, elect.unless, seen), elect.source, elect.per):
            self.fired.append(elect)
            winner, *others = self.ordered(rows, elect.source, elect.by)
            inputs: list[str] = []
            for row in (winner, *others):
                if row[0].id not in inputs:
                    inputs.append(row[0].id)
            key = self.decides(elect, winner, others[0]) if others else "the only one"
            data = {**base, "bound": _bound(elect.source, winner), "inputs": inputs, "key": key}
            env = dict(zip([p.alias for p in elect.source], winner, strict=True))
            self.conclude(elect.into, elect.meta, "elect", env, {}, data, seen)
            told = [winner[0].id]
            for row in others:
                if row[0].id in told:
                    self.events["elect: a fact in several rows"] += 1
                    continue
                told.append(row[0].id)
                key = self.decides(elect, winner, row)
                data = {**base, "bound": _bound(elect.source, row), "inputs": [winner[0].id], "key": key}
                self.own("passed_over", elect.meta, "elect", (elect.meta.id, key, row[0].id, winner[0].id), data)
                self.events["elect: passed over"] += 1
                but_last = elect.by[:-1]
                if but_last and all(_ref(k.value, elect.source, row) == _ref(k.value, elect.source, winner) for k in but_last):
                    self.own("tied", elect.meta, "elect", (elect.meta.id, winner[0].id, row[0].id), data)
                    self.events["elect: tied"] += 1

    def decides(self, elect: Elect, winner: tuple[Fact, ...], row: tuple[Fact, ...]) -> str:
        for key in elect.by:
            if _ref(key.value, elect.source, winner) != _ref(key.value, elect.source, row):
                return f"{'desc' if key.descending else 'asc'} {_ref_text(key.value)}"
        self.events["elect: canonical order decides"] += 1
        return "canonical order"

    def take(self, take: Take, seen: list[Fact]) -> None:
        base = {"by": "take", "name": take.meta.id, "place": str(take.meta.place)}
        pairs: list[tuple[Any, Any]] = []
        if take.apart is not None:
            pairs = [(fact.get(take.apart.left), fact.get(take.apart.right)) for fact in self.of_kind(take.apart.kind, seen)]
        for rows in self.split(self.source(take.source, take.unless, seen), take.source, take.per):
            self.fired.append(take)
            taken: list[str] = []
            left = 0
            for row in self.ordered(rows, take.source, take.by):
                me = row[0].id
                near = next((t for t in taken if t != me and ((t, me) in pairs or (me, t) in pairs)), None)
                env = dict(zip([p.alias for p in take.source], row, strict=True))
                data: Json = {**base, "bound": _bound(take.source, row)}
                if near is None and (take.keep < 0 or len(taken) < take.keep):
                    taken.append(me)
                    data["key"] = f"number {len(taken)}"
                    self.conclude(take.into, take.meta, "take", env, {"number": len(taken), "nearest": None}, data, seen)
                    self.events["take: taken"] += 1
                else:
                    left += 1
                    if near is not None:
                        data["inputs"] = [near]
                    data["key"] = f"keep {take.keep}" if near is None else "apart"
                    self.events["take: too late" if near is None else "take: apart"] += 1
                    self.conclude(take.rest, take.meta, "take", env, {"number": left, "nearest": near}, data, seen)

    def group(self, group: Group, seen: list[Fact]) -> None:
        rows = [
            row
            for row in self.source(group.source, group.unless, seen)
            if _ref(group.left, group.source, row) is not None and _ref(group.right, group.source, row) is not None
        ]
        edges = [(_ref(group.left, group.source, row), _ref(group.right, group.source, row), row[0].id) for row in rows]
        members: list[Any] = []
        if group.members is not None:
            members = [row[0].id for row in self.source((group.members,), (), seen)]
        else:
            for value in [side for a, b, _ in edges for side in (a, b)]:
                if value not in members:
                    members.append(value)
        done: list[Any] = []
        for member in members:
            if member in done:
                continue
            reached, growing = [member], True
            while growing:
                more = [y for a, b, _ in edges for x, y in ((a, b), (b, a)) if x in reached and y not in reached]
                growing = bool(more)
                reached += more[:1]
            component = [value for value in members if value in reached]
            done += component
            inputs: list[str] = []
            for a, _, row_id in edges:
                if a in reached and row_id not in inputs:
                    inputs.append(row_id)
            self.component(group, component, inputs, seen)

    def component(self, group: Group, component: list[Any], inputs: list[str], seen: list[Fact]) -> None:
        self.fired.append(group)
        self.events["group: alone" if len(component) == 1 else "group: several"] += 1
        name = _digest(sorted(component))
        data = {
            "by": "group",
            "name": group.meta.id,
            "place": str(group.meta.place),
            "inputs": inputs or [str(value) for value in component],
            "key": f"{len(component)} members",
        }
        names = {"group": name, "size": len(component)}
        self.conclude(group.into, group.meta, "group", {}, names, data, seen)
        for value in component:
            self.conclude(group.member, group.meta, "group", {}, {**names, "member": value}, data, seen)

    def text_pattern(self, pattern: TextPattern, seen: list[Fact]) -> None:
        for fact in self.of_kind(pattern.kind, seen):
            text = fact.get(pattern.field)
            found = _regex(pattern.regex).search(text) if isinstance(text, str) else None
            if found is None:
                continue
            assert isinstance(text, str)
            self.fired.append(pattern)
            data: Json = {
                "by": "pattern",
                "name": pattern.meta.id,
                "place": str(pattern.meta.place),
                "inputs": [fact.id],
                "key": pattern.field,
            }
            values = (pattern.meta.id, fact.id, pattern.field, found.start(), found.end(), found.group())
            spans = _inside(fact, pattern.field, text, found.start(), found.end())
            match = self.own("match", pattern.meta, "pattern", values, data, spans)
            groups = sorted(_regex(pattern.regex).groupindex.items(), key=lambda item: item[1])
            for name, number in groups:
                if found.group(number) is None:
                    self.events["pattern: a group took no part"] += 1
                    continue
                start, end = found.span(number)
                spans = _inside(fact, pattern.field, text, start, end)
                self.own("match_group", pattern.meta, "pattern", (match.id, name, start, end, found.group(number)), data, spans)
                self.events["pattern: a named group"] += 1

    def measure(self, measure: Measure, seen: list[Fact]) -> None:
        rows = self.source(measure.source, (), seen)
        for block in self.split(rows, measure.source, measure.block):
            self.fired.append(measure)
            for fields in self.measures[measure.function].function(block, dict(measure.options)):
                plain = {name: value for name, value in fields.items() if name != "_from"}
                fact = make_fact(self.kinds[measure.output], Draft(measure.output, plain, {}, ("measure", measure.meta.id)))
                data: Json = {"by": "measure", "name": measure.meta.id, "place": str(measure.meta.place)}
                used: Any = fields.get("_from")
                if used:
                    data["inputs"] = list(used)
                self.way(self.put(fact), {**data, "key": measure.function})


class _Evaluation:
    """Expressions over one match; `inputs` collects what aggregates go over, `numbers` are the names that hold millionths."""

    def __init__(self, oracle: Oracle, env: Env, finished: list[Fact]) -> None:
        self.oracle = oracle
        self.env = env
        self.finished = finished
        self.names: Json = {}
        self.numbers: set[str] = set()
        self.inputs: list[str] = []

    def head(self, head: Head, origin: tuple[str, str]) -> Fact | None:
        kind = self.oracle.kinds[head.kind]
        given = {name: self.value(expr) for name, expr in head.fields}
        if any(given.get(field.name) is None for field in kind.fields if not field.optional):
            return None
        return Fact(kind, tuple(given.get(field.name) for field in kind.fields), {}, origin)

    def condition(self, condition: Condition) -> bool:
        left, right = self.value(condition.left), self.value(condition.right)
        if condition.op == "exists":
            return (left is not None) is right
        if left is None or right is None:
            return False
        return _compare(condition.op, left, right)

    def value(self, expr: Expr) -> Any:
        if isinstance(expr, Const):
            return expr.value
        if isinstance(expr, Ref):
            return _field(self.env[expr.alias], expr.field)
        if isinstance(expr, Name):
            return self.names[expr.name]
        if isinstance(expr, Format):
            return "".join(part if isinstance(part, str) else self.text(part) for part in expr.parts)
        if isinstance(expr, Aggregate):
            return self.aggregate(expr)
        return self.call(expr)

    def text(self, part: Ref | Name) -> str:
        value = self.value(part)
        if isinstance(part, Ref):
            fact = self.env[part.alias]
            number = part.field in fact.kind.index and fact.kind.field(part.field).type == "number"
        else:
            number = part.name in self.numbers
        if value is None:
            return "?"
        if value is True or value is False:
            return str(value).lower()
        if isinstance(value, tuple):
            return ", ".join(value)
        if number:
            return str(value // MILLION if value % MILLION == 0 else value / MILLION)
        return str(value)

    def aggregate(self, expr: Aggregate) -> Any:
        values, marks = [], []
        for fact in self.oracle.of_kind(expr.pattern.kind, self.finished):
            if not all(self.oracle.holds(test, fact, self.env) for test in expr.pattern.tests):
                continue
            self.inputs.append(fact.id)
            if expr.distinct:
                mark = [_field(fact, field) for field in expr.distinct]
                if mark in marks:
                    self.oracle.events["aggregate: distinct drops one"] += 1
                    continue
                marks.append(mark)
            value = _field(fact, expr.field) if expr.field else 1
            if value is not None:
                values.append(value)
        if expr.function == "count":
            return len(values)
        if expr.function == "sum":
            return _bounded(sum(values))
        if expr.function == "collect":
            return tuple(sorted(set(values)))
        if not values:
            self.oracle.events["aggregate: nothing found"] += 1
            return None
        return min(values) if expr.function == "min" else max(values)

    def call(self, expr: Call) -> Any:
        values = [self.value(argument) for argument in expr.arguments]
        name = expr.function
        if name == "default":
            return values[1] if values[0] is None else values[0]
        if name in ("least", "most"):
            present = [value for value in values if value is not None]
            return None if not present else min(present) if name == "least" else max(present)
        if name == "digest":
            return _digest(values)
        if name == "ratio":
            top, bottom, otherwise = values
            if top is None or bottom is None:
                return None
            return otherwise if bottom == 0 else _bounded(_even(Fraction(top, bottom) * MILLION))
        if any(value is None for value in values):
            return None
        if name == "lower":
            return values[0].lower()
        if name == "last_part":
            text, separator = values
            return text[text.rfind(separator) + len(separator) :] if separator and separator in text else text
        return _bounded(_arithmetic(name, values))


def _arithmetic(name: str, values: list[int]) -> int:
    if name == "add":
        return sum(values)
    if name == "sub":
        return values[0] - values[1]
    if name == "mul":
        result = 1
        for value in values:
            result *= value
        return result
    if name == "mul_number":
        result = values[0]
        for value in values[1:]:
            result = _even(Fraction(result * value, MILLION))
        return result
    if name == "clamp":
        x, low, high = values
        return low if x < low else max(low, high) if x > high else x
    if name == "round":
        number, digits = values
        return int(_even(Fraction(number, MILLION) * 10**digits) * MILLION / Fraction(10**digits)) if digits < 6 else number
    assert name == "to_number", name
    return values[0] * MILLION


def _even(value: Fraction) -> int:
    """The nearest whole, halves to the even one (what Python's round does for fractions)."""
    return round(value)


def _bounded(value: int) -> int | None:
    return value if -LIMIT < value < LIMIT else None


def _compare(op: str, value: Any, operand: Any) -> bool:
    results: dict[str, Callable[[], bool]] = {
        "eq": lambda: value == operand,
        "ne": lambda: value != operand,
        "gt": lambda: value > operand,
        "gte": lambda: value >= operand,
        "lt": lambda: value < operand,
        "lte": lambda: value <= operand,
        "in": lambda: any(value == member for member in operand),
        "starts": lambda: value[: len(operand)] == operand,
        "ends": lambda: operand == "" or value[-len(operand) :] == operand,
        "contains": lambda: any(value[i : i + len(operand)] == operand for i in range(len(value) + 1)),
        "matches": lambda: _regex(operand).search(value) is not None,
    }
    return results[op]()


def _regex(pattern: str) -> re.Pattern[str]:
    """The expressions of the generator, for Python's engine: ASCII classes, `$` only at the very end."""
    return re.compile(pattern.replace("$", r"\Z"), re.ASCII)


def _field(fact: Fact, name: str) -> Any:
    return fact.id if name == "id" else fact.seq if name == "seq" else fact.values[[f.name for f in fact.kind.fields].index(name)]


def _ref(ref: Ref, patterns: Sequence[Pattern], row: Sequence[Fact]) -> Any:
    return _field(row[[pattern.alias for pattern in patterns].index(ref.alias)], ref.field)


def _ranks(kind: Kind, field: str) -> dict[str, int] | None:
    if field in ("id", "seq") or not kind.field(field).ordered:
        return None
    return {choice: rank for rank, choice in enumerate(kind.field(field).choices)}


def _rank(ref: Ref, patterns: Sequence[Pattern], row: Sequence[Fact]) -> Any:
    fact = row[[pattern.alias for pattern in patterns].index(ref.alias)]
    value, ranks = _field(fact, ref.field), _ranks(fact.kind, ref.field)
    return value if ranks is None or value is None else ranks[value]


def _bound(patterns: Sequence[Pattern], row: Sequence[Fact]) -> list[list[str]]:
    return [[pattern.alias, fact.id] for pattern, fact in zip(patterns, row, strict=True)]


def _inside(fact: Fact, field: str, text: str, start: int, end: int) -> dict[str, Span]:
    """Where a part of a field's text stands in the raw line, if all of the text stands there as it is."""
    whole = fact.spans.get(field)
    if whole is None or len(text) != whole.end - whole.start:
        return {}
    return {"": Span(whole.line, whole.start + start, whole.start + end)}


def _digest(values: Sequence[Any]) -> str:
    """As facts/values defines it; imported late to keep the list of what is shared in one place."""
    from tollens.facts.values import digest

    return digest(*values)


def _ref_text(ref: Ref) -> str:
    return f"${ref.alias}" + ("" if ref.field == "id" else f".{ref.field}")


def _pattern_text(pattern: Pattern) -> str:
    """A pattern as the proof shows it."""
    signs = {"eq": "=", "ne": "!=", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
    parts = []
    for test in pattern.tests:
        if isinstance(test.operand, Ref):
            operand = _ref_text(test.operand)
        elif isinstance(test.operand.value, bool):
            operand = str(test.operand.value).lower()
        elif isinstance(test.operand.value, str):
            operand = '"' + re.sub(r'(["\\])', r"\\\1", test.operand.value) + '"'
        elif isinstance(test.operand.value, tuple):
            operand = "[" + ", ".join(map(str, test.operand.value)) + "]"
        else:
            operand = str(test.operand.value)
        parts.append(f"{test.field} {signs.get(test.op, test.op)} {operand}")
    return f"{pattern.kind}({', '.join(parts)})"
