"""Why: a checked rulebook as plain JSON data and back, exactly and fast; both directions stand side by side.

The data is [files, tests and expressions, the rest]. What occurs many times (a file's name, a test, an expression) stands once in the
first two lists and is a number everywhere else; a place is three numbers, the first of them that of its file; a tuple inside a constant
is a list.
"""

from __future__ import annotations

from typing import Any

from tollens.engine.rulebook.syntax import (
    Aggregate,
    Apart,
    By,
    Call,
    Condition,
    Const,
    Elect,
    Expr,
    Format,
    Group,
    Head,
    Let,
    Measure,
    Meta,
    Name,
    PackInfo,
    Pattern,
    Place,
    Redaction,
    Ref,
    Row,
    Rule,
    Rulebook,
    Stage,
    Take,
    Test,
    TextPattern,
)
from tollens.facts.kind import Kind
from tollens.facts.values import Value

#: JSON data of one object, and of a single value.
Data = list[Any]
Scalar = str | int | bool | None


def encode(book: Rulebook) -> Data:
    """A rulebook as nested lists of JSON values."""
    encoder = _Encoder()
    body = encoder.rulebook(book)
    return [list(encoder.files), list(encoder.pool.values()), body]


def decode(data: Data) -> Rulebook:
    """The inverse of `encode`; LookupError, TypeError or ValueError for anything else."""
    files, pool, body = data
    return _Decoder(files, pool).rulebook(body)


class _Encoder:
    def __init__(self) -> None:
        self.files: dict[str, int] = {}
        self.pool: dict[str, Data] = {}
        self._numbers: dict[str, int] = {}

    def place(self, place: Place) -> list[int]:
        return [self.files.setdefault(place.file, len(self.files)), place.line, place.column]

    def pooled(self, data: Data) -> int:
        """The number of this data in the pool; what it is made of has a lower one."""
        key = repr(data)
        if key not in self._numbers:
            self._numbers[key] = len(self.pool)
            self.pool[key] = data
        return self._numbers[key]

    def expr(self, expr: Expr) -> int:
        if isinstance(expr, Const):
            return self.pooled(["c", list(expr.value) if isinstance(expr.value, tuple) else expr.value])
        if isinstance(expr, Ref):
            return self.pooled(["r", *expr])
        if isinstance(expr, Name):
            return self.pooled(["n", expr.name])
        if isinstance(expr, Call):
            return self.pooled(["f", expr.function, [self.expr(argument) for argument in expr.arguments]])
        if isinstance(expr, Format):
            return self.pooled(["t", *[part if isinstance(part, str) else self.expr(part) for part in expr.parts]])
        return self.pooled(["a", expr.function, self.pattern(expr.pattern), expr.field, list(expr.distinct)])

    def pattern(self, pattern: Pattern) -> Data:
        tests = [self.pooled(["?", test.field, test.op, self.expr(test.operand)]) for test in pattern.tests]
        return [pattern.kind, pattern.alias, tests, *self.place(pattern.place)]

    def patterns(self, patterns: tuple[Pattern, ...]) -> Data:
        return [self.pattern(pattern) for pattern in patterns]

    def head(self, head: Head | None) -> Data | None:
        if head is None:
            return None
        return [head.kind, [[name, self.expr(expr)] for name, expr in head.fields], *self.place(head.place)]

    def meta(self, meta: Meta) -> Data:
        more = [meta.sealed, meta.status, meta.refs, meta.since, meta.replaces]
        return [meta.id, meta.stage, meta.index, self.place(meta.place), meta.pack, self.expr(meta.says), *more]

    def rule(self, rule: Rule) -> Data:
        lets = [[let.name, self.expr(let.expr), let.type] for let in rule.lets]
        conditions = [[c.op, self.expr(c.left), self.expr(c.right), *self.place(c.place)] for c in rule.conditions]
        alternatives = [self.patterns(alternative) for alternative in rule.alternatives]
        heads = [self.head(head) for head in rule.heads]
        return [self.meta(rule.meta), alternatives, self.patterns(rule.unless), lets, conditions, heads]

    def stage(self, stage: Stage) -> Data:
        patterns = [[self.meta(p.meta), p.kind, p.field, p.regex] for p in stage.patterns]
        measures = [[self.meta(m.meta), m.function, self.patterns(m.source), m.block, m.output, m.options] for m in stage.measures]
        elects = [
            [self.meta(e.meta), self.patterns(e.source), self.patterns(e.unless), e.per, e.by, self.head(e.into)] for e in stage.elects
        ]
        takes = [
            [
                self.meta(t.meta),
                self.patterns(t.source),
                self.patterns(t.unless),
                t.per,
                t.by,
                t.keep,
                t.apart,
                self.head(t.into),
                self.head(t.rest),
            ]
            for t in stage.takes
        ]
        return [stage.name, patterns, measures, elects, takes, [self.group(g) for g in stage.groups], [self.rule(r) for r in stage.rules]]

    def group(self, group: Group) -> Data:
        members = self.pattern(group.members) if group.members is not None else None
        heads = [self.head(group.into), self.head(group.member)]
        return [self.meta(group.meta), self.patterns(group.source), self.patterns(group.unless), group.left, group.right, members, *heads]

    def rulebook(self, book: Rulebook) -> Data:
        rows = [[row.kind, row.fields, self.place(row.place), row.pack] for row in book.rows]
        kinds = [kind.to_json() for kind in book.kinds]
        stages = [self.stage(stage) for stage in book.stages]
        redactions = [[self.meta(redaction.meta), redaction.regex] for redaction in book.redactions]
        return [book.packs, book.digest, kinds, stages, rows, book.tables, book.disabled, redactions]


def _value(value: Scalar | list[str]) -> Value:
    return tuple(value) if isinstance(value, list) else value


class _Decoder:
    def __init__(self, files: list[str], pool: list[Data]) -> None:
        self._files = files
        self._pool: list[Any] = []  # Test or Expr; what each must be is the encoder's doing, above
        for data in pool:
            self._pool.append(self.made(data))

    def made(self, data: Data) -> Expr | Test:
        """One entry of the pool; all that it is made of stands before it."""
        pool, tag = self._pool, data[0]
        if tag == "?":
            return Test(data[1], data[2], pool[data[3]])
        if tag == "r":
            return Ref(data[1], data[2])
        if tag == "c":
            return Const(_value(data[1]))
        if tag == "n":
            return Name(data[1])
        if tag == "f":
            return Call(data[1], tuple([pool[number] for number in data[2]]))
        if tag == "t":
            return Format(tuple([part if isinstance(part, str) else pool[part] for part in data[1:]]))
        if tag == "a":
            return Aggregate(data[1], self.pattern(data[2]), data[3], tuple(data[4]))
        raise ValueError(tag)

    def place(self, number: int, line: int, column: int) -> Place:
        return Place(self._files[number], line, column)

    def pattern(self, data: Data) -> Pattern:
        kind, alias, tests, number, line, column = data
        pool = self._pool
        return Pattern(kind, alias, tuple([pool[test] for test in tests]), Place(self._files[number], line, column))

    def patterns(self, data: Data) -> tuple[Pattern, ...]:
        return tuple([self.pattern(item) for item in data])

    def head(self, data: Data) -> Head:
        kind, fields, number, line, column = data
        return Head(kind, tuple([(name, self._pool[expr]) for name, expr in fields]), self.place(number, line, column))

    def maybe_head(self, data: Data | None) -> Head | None:
        return None if data is None else self.head(data)

    def meta(self, data: Data) -> Meta:
        name, stage, index, place, pack, says, sealed, status, refs, since, replaces = data
        return Meta(name, stage, index, self.place(*place), pack, self._pool[says], sealed, status, tuple(refs), since, replaces)

    def rule(self, data: Data) -> Rule:
        meta, alternatives, unless, lets, conditions, heads = data
        pool = self._pool
        return Rule(
            self.meta(meta),
            tuple([self.patterns(alternative) for alternative in alternatives]),
            self.patterns(unless),
            tuple([Let(name, pool[value], type_) for name, value, type_ in lets]),
            tuple([Condition(op, pool[left], pool[right], self.place(*place)) for op, left, right, *place in conditions]),
            tuple([self.head(head) for head in heads]),
        )

    def refs(self, data: Data) -> tuple[Ref, ...]:
        return tuple([Ref(alias, field) for alias, field in data])

    def by(self, data: Data) -> tuple[By, ...]:
        return tuple([By(Ref(*ref), descending) for ref, descending in data])

    def elect(self, data: Data) -> Elect:
        meta, source, unless, per, by, into = data
        return Elect(self.meta(meta), self.patterns(source), self.patterns(unless), self.refs(per), self.by(by), self.head(into))

    def take(self, data: Data) -> Take:
        meta, source, unless, per, by, keep, apart, into, rest = data
        pairs = None if apart is None else Apart(*apart)
        rows = (self.patterns(source), self.patterns(unless), self.refs(per), self.by(by))
        return Take(self.meta(meta), *rows, keep, pairs, self.head(into), self.maybe_head(rest))

    def group(self, data: Data) -> Group:
        meta, source, unless, left, right, members, into, member = data
        pattern = None if members is None else self.pattern(members)
        rows = (self.patterns(source), self.patterns(unless), Ref(*left), Ref(*right))
        return Group(self.meta(meta), *rows, pattern, self.maybe_head(into), self.maybe_head(member))

    def measure(self, data: Data) -> Measure:
        meta, function, source, block, output, options = data
        values = tuple([(name, _value(value)) for name, value in options])
        return Measure(self.meta(meta), function, self.patterns(source), self.refs(block), output, values)

    def stage(self, data: Data) -> Stage:
        name, patterns, measures, elects, takes, groups, rules = data
        return Stage(
            name,
            tuple([TextPattern(self.meta(meta), kind, field, regex) for meta, kind, field, regex in patterns]),
            tuple([self.measure(item) for item in measures]),
            tuple([self.elect(item) for item in elects]),
            tuple([self.take(item) for item in takes]),
            tuple([self.group(item) for item in groups]),
            tuple([self.rule(item) for item in rules]),
        )

    def row(self, data: Data) -> Row:
        kind, fields, place, pack = data
        return Row(kind, tuple([(name, _value(value)) for name, value in fields]), self.place(*place), pack)

    def rulebook(self, data: Data) -> Rulebook:
        packs, digest, kinds, stages, rows, tables, disabled, redactions = data
        return Rulebook(
            tuple([PackInfo(*pack) for pack in packs]),
            digest,
            tuple([Kind.from_json(kind) for kind in kinds]),
            tuple([self.stage(stage) for stage in stages]),
            tuple([self.row(row) for row in rows]),
            tuple([(name, _value(value)) for name, value in tables]),
            tuple([(name, reason, pack) for name, reason, pack in disabled]),
            tuple([Redaction(self.meta(meta), regex) for meta, regex in redactions]),
        )
