"""Why: random rule books and facts that use all of the language, each reproducible from one integer, with values from small pools so that joins hit.

A case is permitted by construction: kinds under `unless` and aggregates are finished, computed heads take no part in a cycle, types agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from random import Random
from typing import Any, NamedTuple

from tollens.engine.rulebook.builtin import ENGINE_KINDS, PRODUCER_FIELDS
from tollens.engine.rulebook.measures import MeasureSignature
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
    Pattern,
    Place,
    Ref,
    Row,
    Rule,
    Rulebook,
    Stage,
    Take,
    Test,
    TextPattern,
)
from tollens.facts.fact import Draft, Fact, Span, fact_id
from tollens.facts.kind import Field, Kind
from tollens.facts.values import Value, scaled

TEXTS = ("ab", "ab c", "", 'a"b', "a\\b", "\U0001f600 ab", "one\ntwo", "AB", "5", "x.y.ab", "$ab", "{ab}", "é")
INTS = (0, 1, 2, 5, -3, 1_000_000, 2**61)
NUMBERS = (0.0, 0.5, 1.0, 5.0, 2.5, -1.25, 0.333333)
LISTS: tuple[tuple[str, ...], ...] = ((), ("ab",), ("5", "ab"))
PLAIN, RISING = ("red", "ab", "5"), ("low", "mid", "high")  # "high" < "low" < "mid" as texts
REGEXES = (
    "a",
    "^a",
    "b$",
    "(?P<head>a+)(?P<tail>b)?",
    "(?P<num>[0-9]+)",
    "(?i)AB",
    "x|y",
    "(?P<one>x)|(?P<two>a)",
    ".",
    "b c",
    "\\\\",
    "^$",
    "é",
)
PATTERNS_REGEX = tuple(r for r in REGEXES if r != "^$")

#: Fields that a kind can have, by name: type, members, ordered.
MENU: Mapping[str, tuple[str, tuple[str, ...], bool]] = {
    "t": ("text", (), False),
    "u": ("text", (), False),
    "i": ("int", (), False),
    "j": ("int", (), False),
    "n": ("number", (), False),
    "m": ("number", (), False),
    "b": ("bool", (), False),
    "e": ("enum", PLAIN, False),
    "o": ("enum", RISING, True),
    "p": ("enum", RISING, True),
    "r": ("ref", (), False),
    "s": ("ref", (), False),
    "l": ("list", (), False),
}
ORDERED = ("gt", "gte", "lt", "lte")
PACK = "random"


def pairs(rows: Sequence[tuple[Fact, ...]], options: Mapping[str, Value]) -> Iterable[Mapping[str, object]]:
    """A test measure: for each row its first and last fact and how much they have in common."""
    for row in rows:
        shared = sum(1 for a in row[0].values for b in row[-1].values if a == b)
        yield {"left": row[0].id, "right": row[-1].id, "score": shared / 4, "_from": tuple(fact.id for fact in row)}


def census(rows: Sequence[tuple[Fact, ...]], options: Mapping[str, Value]) -> Iterable[Mapping[str, object]]:
    """A test measure: one fact per block, with its size; the option caps it."""
    cap = options["cap"]
    size = len(rows) if not isinstance(cap, int) else min(cap, len(rows))
    yield {"left": rows[0][0].id, "right": rows[-1][0].id, "score": float(size), "_from": tuple(row[0].id for row in rows)}


MEASURES: Mapping[str, MeasureSignature] = {
    "pairs": MeasureSignature("pairs", pairs),
    "census": MeasureSignature("census", census, (Field("cap", "int", True),)),
}


class Case(NamedTuple):
    """A rule book, input facts and the firing budget per stage."""

    seed: int
    rulebook: Rulebook
    drafts: tuple[Draft, ...]
    budget: int


class _RetryError(Exception):
    """What was begun cannot be finished with what is bound; try something else."""


def make_case(seed: int, size: int = 3) -> Case:
    """The case of a seed; `size` from 1 scales the numbers of rules and facts."""
    return _Maker(Random(seed), size).case(seed)  # noqa: S311 - repeatable tests, no secrets


class _Maker:
    def __init__(self, random: Random, size: int) -> None:
        self.random = random
        self.size = size
        self.texts = [*random.sample(TEXTS, 4), "ab"]
        self.ints = [*random.sample(INTS[:5], 3), random.choice(INTS)]
        self.numbers = random.sample(NUMBERS, 4)
        self.stages = [f"s{number}" for number in range(random.randint(1, 4))]
        self.kinds: dict[str, Kind] = {}
        self.produced: dict[str, tuple[int, ...]] = {}  # by kind: the stages whose entries may assert it
        self.fixed: dict[tuple[str, str], Expr | None] = {}
        self.index = 0
        self.stage = 0
        self.in_rules = False
        self.ids: dict[str, list[str]] = {"elect": [], "pattern": []}
        self.tables: dict[str, Value] = {}

    # ---- chance

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, items: Iterable[Any]) -> Any:
        known = list(items)
        if not known:
            raise _RetryError
        return self.random.choice(known)

    def tries(self, make: Callable[[], Any], count: int = 8) -> Any:
        """The first success, or None."""
        for _ in range(count):
            try:
                return make()
            except _RetryError:
                continue
        return None

    def constant(self, field: Field) -> Any:
        if field.type == "text":
            return self.pick(self.texts)
        if field.type == "enum":
            return self.pick(field.choices)
        if field.type == "int":
            return self.pick(self.ints)
        if field.type == "number":
            return scaled(self.pick(self.numbers))
        if field.type == "bool":
            return self.chance(0.5)
        if field.type == "list":
            return self.pick(LISTS)
        raise _RetryError

    # ---- kinds

    def case(self, seed: int) -> Case:
        base = [self.kind(f"b{n}", ()) for n in range(self.random.randint(2, 3))]
        last = len(self.stages)
        for number in range(self.random.randint(2, 5)):
            first = self.random.randrange(last)
            stages = (first,) if self.chance(0.7) else tuple(sorted({first, self.random.randrange(last)}))
            self.kind(f"d{number}", stages)
        self.kinds["pair"] = Kind("pair", [Field("left", "ref"), Field("right", "ref"), Field("score", "number")], origin=PACK)
        part = [Field("name", "text"), Field("size", "int", True), Field("who", "ref", True), Field("what", "text", True)]
        self.kinds["part"] = Kind("part", part, origin=PACK)
        measured = self.random.randrange(last) if self.chance(0.7) else -1
        grouped = self.random.randrange(last) if self.chance(0.8) else -1
        self.produced["pair"] = (measured,) if measured >= 0 else ()
        self.produced["part"] = (grouped,) if grouped >= 0 else ()
        for kind in ENGINE_KINDS:
            self.kinds[kind.name] = kind
        elected = [n for n in range(last) if self.chance(0.6)]
        patterned = [n for n in range(last) if self.chance(0.5)]
        self.produced.update(dict.fromkeys(("passed_over", "tied"), tuple(elected)))
        self.produced.update(dict.fromkeys(("match", "match_group"), tuple(patterned)))
        made: list[Stage] = []
        for number in range(last):
            self.stage = number
            made.append(self.make_stage(number in elected, number in patterned, number == measured, number == grouped))
        rows, drafts = self.facts(base)
        order = list(self.kinds.values())
        tables = tuple(sorted(self.tables.items()))
        book = Rulebook((), f"digest-{seed}", tuple(order), tuple(made), rows, tables, ())
        return Case(seed, book, drafts, 4 if self.chance(0.02) else 600)

    def kind(self, name: str, stages: tuple[int, ...]) -> str:
        names = self.random.sample(list(MENU), self.random.randint(2, 5))
        if self.chance(0.5) and "r" not in names:
            names.append("r")
        fields = []
        for field in names:
            base, choices, ordered = MENU[field]
            if base == "ref" and self.kinds and self.chance(0.4):
                choices = tuple(sorted(self.random.sample(sorted(k for k in self.kinds if k[0] == "b"), 1)))
            optional = self.chance(0.35) or (base == "ref" and not stages)
            fields.append(Field(field, base, optional, choices, ordered))
        key: tuple[str, ...] | None = None
        rival = False
        if self.chance(0.35):
            key = tuple(self.random.sample(names, self.random.randint(1, len(names) - 1)))
            rival = self.chance(0.4)
            if stages and not rival:  # fields outside of the key are the same everywhere, so that few facts contradict each other
                fields = [f if f.name in key or f.type != "ref" else f._replace(optional=True) for f in fields]
                for f in fields:
                    if f.name not in key:
                        self.fixed[name, f.name] = None if (f.optional and self.chance(0.5)) or f.type == "ref" else Const(self.constant(f))
        verdict = bool(stages) and self.chance(0.2)
        closes = self.stages[max(stages)] if stages and self.chance(0.3) else ""
        self.kinds[name] = Kind(name, fields, key=key, rival=rival, verdict=verdict, closes=closes, doc=f"kind {name}", origin=PACK)
        self.produced[name] = stages
        return name

    def finished(self, kind: str) -> bool:
        """Whether all that may assert the kind has run: earlier stages and, for rules, the operators of this one."""
        return all(stage < self.stage or (stage == self.stage and self.in_rules and kind[0] != "d") for stage in self.produced[kind])

    def begun(self, kind: str) -> bool:
        """Whether there can be facts of the kind in this stage."""
        stages = self.produced[kind]
        return (not stages and kind[0] == "b") or any(stage <= self.stage for stage in stages)

    def before(self, kind: str) -> bool:
        """Whether the kind is finished and there can be facts of it."""
        return self.finished(kind) and self.begun(kind)

    # ---- facts

    def facts(self, base: Sequence[str]) -> tuple[tuple[Row, ...], tuple[Draft, ...]]:
        rows: list[Row] = []
        for number in range(self.random.randint(0, 2)):
            kind = self.kinds[self.pick(base)]
            if any(f.type == "ref" and not f.optional for f in kind.fields):
                continue
            fields = tuple((f.name, self.constant(f)) for f in kind.fields if f.type != "ref" and not (f.optional and self.chance(0.5)))
            rows.append(Row(kind.name, fields, Place(f"{PACK}/rows.yaml", number + 1), PACK))
        drafts: list[Draft] = []
        ids: dict[str, list[str]] = {}
        values: dict[str, object] = {}
        for number in range(self.random.randint(4, 5 + 3 * self.size)):
            kind = self.kinds[self.pick(base)]
            given: dict[str, Any] = {}
            for f in kind.fields:
                if f.optional and self.chance(0.35):
                    continue
                if f.type == "ref":
                    targets = [i for k, found in ids.items() if not f.choices or k in f.choices for i in found]
                    if targets:
                        given[f.name] = self.pick(targets)
                else:
                    given[f.name] = self.constant(f)
            full = tuple(given.get(f.name) for f in kind.fields)
            made = fact_id(kind.name, *(full if kind.rival else [given.get(name) for name in kind.key]))
            if values.setdefault(made, full) != full and self.chance(0.995):
                continue
            ids.setdefault(kind.name, []).append(made)
            plain = {n: v / 10**6 if kind.field(n).type == "number" else v for n, v in given.items()}
            spans = {}
            if self.chance(0.4):
                spans = {f.name: Span(number + 1, 3, 3 + len(given[f.name])) for f in kind.fields if f.type == "text" and f.name in given}
            drafts.append(Draft(kind.name, plain, spans, self.pick([("parser", "p"), ("parser", "q"), ("caller", "")])))
        known = {fact_id(r.kind, *self.row_key(r)): tuple(dict(r.fields).get(f.name) for f in self.kinds[r.kind].fields) for r in rows}
        if len(known) < len(rows) or any(values.get(i, v) != v for i, v in known.items()):
            rows = []
        return tuple(rows), tuple(drafts)

    def row_key(self, row: Row) -> list[Any]:
        kind, given = self.kinds[row.kind], dict(row.fields)
        return [given.get(name) for name in (kind.index if kind.rival else kind.key)]

    # ---- stages

    def meta(self, what: str) -> Meta:
        self.index += 1
        says = Format((f"{what} says",)) if self.chance(0.5) else Format(())
        return Meta(
            f"{what}.{self.index}",
            self.stages[self.stage],
            self.index,
            Place(f"{PACK}/{self.stages[self.stage]}.yaml", self.index),
            PACK,
            says,
        )

    def make_stage(self, elected: bool, patterned: bool, measured: bool, grouped: bool) -> Stage:
        def several(make: Callable[[], Any], most: int) -> tuple[Any, ...]:
            made = [self.tries(make) for _ in range(self.random.randint(1, most))]
            return tuple(item for item in made if item is not None)

        heads = [name for name, stages in self.produced.items() if self.stage in stages and name[0] == "d"]
        self.in_rules = False
        patterns = several(self.text_pattern, 4) if patterned else ()
        measures = several(self.measure, 1) if measured else ()
        elects = several(lambda: self.elect(heads), 2) if elected and heads else ()
        takes = several(lambda: self.take(heads), 1) if heads and self.chance(0.5) else ()
        groups = several(self.group, 2) if grouped else ()
        rules: tuple[Rule, ...] = ()
        self.ids["pattern"] += [pattern.meta.id for pattern in patterns]
        self.ids["elect"] += [elect.meta.id for elect in elects]
        self.in_rules = True
        if heads:
            rules = several(lambda: self.rule(heads), 3 * self.size)
            rules = without_computed_cycles(rules)
        return Stage(self.stages[self.stage], patterns, measures, elects, takes, groups, rules)

    # ---- patterns

    def fields(self, kind: str) -> list[Field]:
        extra = [Field("id", "ref", False, (kind,))]
        if self.finished(kind):
            extra.append(Field("seq", "int"))
        return [*self.kinds[kind].fields, *extra]

    def bound(self, env: Mapping[str, str]) -> list[tuple[Ref, Field]]:
        return [(Ref(alias, field.name), field) for alias, kind in env.items() for field in self.fields(kind)]

    def tests(self, kind: str, env: Mapping[str, str], most: int = 3) -> tuple[Test, ...]:
        found: dict[tuple[str, str], Test] = {}
        for _ in range(self.pick((0, 1, 1, 1, most))):
            test = self.tries(lambda: self.test(kind, env), 3)
            if test is not None:
                found.setdefault((test.field, test.op), test)
        order = list(dict.fromkeys(field for field, _ in found))
        return tuple(test for field in order for test in found.values() if test.field == field)

    def test(self, kind: str, env: Mapping[str, str]) -> Test:
        joins = [
            (field, ref, other)
            for field in self.fields(kind)
            for ref, other in self.bound(env)
            if alike(field, other) and field.type != "list"
        ]
        if joins and self.chance(0.6):
            field, ref, other = self.pick(self.weighted(joins))
            op = "eq" if self.chance(0.6) else "ne"
            ordered = field.type in ("int", "number") or (field.ordered and other.choices == field.choices)
            if ordered and self.chance(0.5):
                op = self.pick(ORDERED)
            return Test(field.name, op, ref)
        field = self.pick(self.fields(kind))
        if field.name == PRODUCER_FIELDS.get(kind):
            known = self.ids["pattern" if kind == "match" else "elect"]
            return Test(field.name, self.pick(("eq", "ne")), Const(self.pick(known)))
        if field.optional and self.chance(0.3):
            return Test(field.name, "exists", Const(self.chance(0.6)))
        if field.type == "text" and self.chance(0.5):
            op = self.pick(("starts", "ends", "contains", "matches"))
            return Test(
                field.name, op, Const(self.pick(REGEXES if op == "matches" else ("a", "b", "ab", "\n", "5", '"', "\\", "\U0001f600")))
            )
        if field.type in ("text", "enum", "int", "number") and self.chance(0.3):
            members = tuple(dict.fromkeys(self.constant(field) for _ in range(self.random.randint(1, 3))))
            return Test(field.name, "in", Const(members))
        if field.name == "seq" or field.type in ("list", "ref"):
            raise _RetryError
        ops = ["eq", "eq", "ne", *(ORDERED if field.comparable else ())]
        return Test(field.name, self.pick(ops), Const(self.constant(field)))

    def weighted(self, joins: list[Any]) -> list[Any]:
        """The joins on fields of one type, so that rare types are joined as often as common ones."""
        types = list(dict.fromkeys(rank(join[0]) for join in joins))
        chosen = self.pick(types)
        return [join for join in joins if rank(join[0]) == chosen]

    def pattern(self, kinds: Sequence[str], env: dict[str, str], position: int, name: str | None = None) -> Pattern:
        kind = self.pick(kinds)
        alias = name or (f"a{position}" if self.chance(0.85) else f"_{position}")
        tests = self.tests(kind, {a: k for a, k in env.items() if a[0] != "_"})
        env[alias] = kind
        return Pattern(kind, alias, tests, self.place())

    def place(self) -> Place:
        return Place(f"{PACK}/{self.stages[self.stage]}.yaml", 1, 1)

    def unless(self, env: Mapping[str, str], most: int = 2) -> tuple[Pattern, ...]:
        kinds = [k for k in self.kinds if self.before(k)]
        named = {a: k for a, k in env.items() if a[0] != "_"}
        if not kinds or self.chance(0.5):
            return ()
        made = []
        for number in range(self.random.randint(1, most)):
            kind = self.pick(kinds)
            tests = self.tests(kind, named)
            if tests or self.chance(0.1):
                made.append(Pattern(kind, f"_u{number + 1}", tests, self.place()))
        return tuple(p._replace(alias=f"_u{n + 1}") for n, p in enumerate(made))

    def source(self, most: int = 2) -> tuple[tuple[Pattern, ...], dict[str, str]]:
        kinds = [k for k in self.kinds if self.before(k)]
        env: dict[str, str] = {}
        patterns = [self.pattern(kinds, env, n + 1, f"a{n + 1}") for n in range(self.random.randint(1, most))]
        if len(patterns) > 1 and not any(isinstance(t.operand, Ref) for p in patterns for t in p.tests) and self.chance(0.8):
            raise _RetryError
        return tuple(patterns), env

    # ---- rules

    def rule(self, heads: Sequence[str]) -> Rule:
        recursive = self.chance(0.3)
        own = [k for k in self.kinds if self.stage in self.produced[k] and k[0] == "d"]
        earlier = [k for k in self.kinds if self.before(k)]
        target = self.pick(heads)
        lower = own if recursive else own[: own.index(target)]
        usable = [k for k in earlier if k[0] == "b"] * 6 + earlier + lower * (3 if recursive else 2)
        env: dict[str, str] = {}
        count = self.pick((1, 1, 2, 2, 2, 3, 4))
        prefix = [self.pattern(usable, env, n + 1) for n in range(count)]
        if sum(1 for p in prefix if not any(isinstance(t.operand, Ref) for t in p.tests)) > (2 if count < 3 else 1):
            raise _RetryError
        alternatives: list[tuple[Pattern, ...]] = [tuple(prefix)]
        if count < 4 and self.chance(0.2):
            alternatives = self.alternatives(prefix, env, usable)
        named = {a: k for a, k in env.items() if a[0] != "_"}
        lets: list[Let] = []
        names: dict[str, str] = {}
        computed = not recursive
        if computed and self.chance(0.65):
            for number in range(self.random.randint(1, 3)):
                kind = self.pick(("text", "int", "number", "bool", "list", "ref", "int", "number"))
                made = partial(self.expr, Field("", kind), named, names, 2, aggregates=True)
                expr = self.tries(made)
                if expr is not None and not self.enum(expr, named, Field("", kind)):
                    lets.append(Let(f"v{number}", expr, kind))
                    names[f"v{number}"] = kind
        conditions = tuple(
            c for _ in range(self.pick((0, 0, 0, 1, 1, 2))) if (c := self.tries(lambda: self.condition(named, names))) is not None
        )
        asserted = [self.head(target, named, names, 2 if computed else 0)]
        if self.chance(0.25):
            other = self.tries(lambda: self.head(self.pick(heads if recursive else heads[heads.index(target) :]), named, names, 0))
            asserted += [other] if other else []
        return Rule(self.meta("rule"), tuple(alternatives), self.unless(named), tuple(lets), conditions, tuple(asserted))

    def alternatives(self, prefix: Sequence[Pattern], env: dict[str, str], usable: Sequence[str]) -> list[tuple[Pattern, ...]]:
        shared = self.pick(usable)
        keep = self.chance(0.6)
        made = []
        for _ in range(self.random.randint(2, 3)):
            here = dict(env)
            kinds = [shared] if keep else usable
            alias = "x" if keep else f"_{len(prefix) + 1}"
            made.append((*prefix, self.pattern(kinds, here, len(prefix) + 1, alias)))
        if keep:
            env["x"] = shared
        return made

    def head(self, kind: str, env: Mapping[str, str], names: Mapping[str, str], depth: int) -> Head:
        fields: list[tuple[str, Expr]] = []
        for field in self.kinds[kind].fields:
            if (kind, field.name) in self.fixed and self.chance(0.997):
                expr = self.fixed[kind, field.name]
                if expr is not None:
                    fields.append((field.name, expr))
                continue
            if field.optional and self.chance(0.3):
                continue
            expr = self.tries(partial(self.expr, field, env, names, depth), 6)
            if expr is None:
                if field.optional:
                    continue
                raise _RetryError
            fields.append((field.name, expr))
        return Head(kind, tuple(fields), self.place())

    # ---- expressions

    def expr(self, field: Field, env: Mapping[str, str], names: Mapping[str, str], depth: int, *, aggregates: bool = False) -> Any:
        """An expression of the field's type; `depth` 0 is a constant, reference or name."""
        refs: list[Expr] = [ref for ref, other in self.bound(env) if assignable(other, field)]
        refs += [Name(name) for name, type_ in names.items() if type_ == field.type and not field.choices]
        if depth <= 0 or self.chance(0.3):
            if refs and self.chance(0.8):
                return self.pick(refs)
            return Const(self.constant(field))
        if aggregates and self.chance(0.65):
            made = self.aggregate(field.type, env)
            if made is not None:
                return made

        def sub(type_: str) -> Any:
            return self.expr(Field("", type_), env, names, depth - 1, aggregates=aggregates)

        if self.chance(0.25):
            first = self.tries(lambda: self.pick(refs))
            if first is not None and not self.enum(first, env, field):
                return Call("default", (first, self.expr(field, env, names, depth - 1)))
        return self.call(field, sub, env, names)

    def enum(self, expr: Expr, env: Mapping[str, str], field: Field) -> bool:
        """Whether an enum stands where a text is due: a constant beside it would have to be one of its members."""
        if field.type != "text" or not isinstance(expr, Ref):
            return False
        return any(ref == expr and other.type == "enum" for ref, other in self.bound(env))

    def call(self, field: Field, sub: Callable[[str], Expr], env: Mapping[str, str], names: Mapping[str, str]) -> Expr:
        if field.type == "text":
            choice = self.pick(("lower", "last_part", "format", "digest"))
            if choice == "lower":
                return Call("lower", (sub("text"),))
            if choice == "last_part":
                return Call("last_part", (sub("text"), Const(self.pick((".", "a", " ", "zz")))))
            if choice == "digest":
                values = [sub(self.pick(("text", "int", "number", "bool", "list"))) for _ in range(self.random.randint(1, 3))]
                if not all(told(value) or (isinstance(value, Const) and not isinstance(value.value, int)) for value in values):
                    raise _RetryError
                return Call("digest", tuple(values))
            return self.template(env, names)
        if field.type == "int":
            choice = self.pick(("add", "sub", "mul", "clamp", "least", "most"))
            return Call(choice, tuple(sub("int") for _ in range(self.arity(choice))))
        if field.type == "number":
            choice = self.pick(("add", "sub", "mul_number", "ratio", "clamp", "round", "least", "most"))
            if choice == "ratio":
                base = self.pick(("int", "number"))
                top, bottom = sub(base), sub(base)
                if not told(top):
                    raise _RetryError
                return Call("ratio", (top, bottom, sub("number")))
            if choice == "round":
                return Call("round", (sub("number"), Const(self.random.randint(0, 6))))
            arguments = [sub("number"), *(self.mixed(sub) for _ in range(self.arity(choice) - 1))]
            self.random.shuffle(arguments)
            return Call(choice, tuple(arguments))
        raise _RetryError

    def mixed(self, sub: Callable[[str], Expr]) -> Expr:
        """An argument beside a number: a number, or an int made into one."""
        if self.chance(0.5):
            whole = sub("int")
            if not isinstance(whole, Const):
                return Call("to_number", (whole,))
        return sub("number")

    def arity(self, function: str) -> int:
        return {"sub": 2, "clamp": 3}.get(function) or self.random.randint(1 if function in ("least", "most") else 2, 3)

    def template(self, env: Mapping[str, str], names: Mapping[str, str]) -> Format:
        holes: list[Any] = [ref for ref, _ in self.bound(env)] + [Name(name) for name in names]
        parts: list[Any] = []
        for _ in range(self.random.randint(1, 3)):
            if not parts or not isinstance(parts[-1], str):
                parts.append(self.pick(("<", "ab:", "{", " }", '"', "\\")))
            parts.append(self.pick(holes))
        return Format(tuple(parts[self.random.randint(0, 1) :]))

    def aggregate(self, type_: str, env: Mapping[str, str]) -> Aggregate | None:
        kinds = [k for k in self.kinds if self.before(k)]
        functions = {"int": ("count", "sum", "min", "max"), "number": ("sum", "min", "max"), "list": ("collect",)}.get(type_)
        if not kinds or functions is None:
            return None
        kind, function = self.pick(kinds), self.pick(functions)
        wanted = ("text", "enum", "ref") if function == "collect" else (type_,)
        fields = [field.name for field in self.fields(kind) if field.type in wanted]
        if function != "count" and not fields:
            return None
        distinct: tuple[str, ...] = ()
        if self.chance(0.4):
            distinct = tuple(self.random.sample([f.name for f in self.fields(kind)], self.random.randint(1, 2)))
        pattern = Pattern(kind, "_counted", self.tests(kind, env), self.place())
        return Aggregate(function, pattern, "" if function == "count" else self.pick(fields), distinct)

    def condition(self, env: Mapping[str, str], names: Mapping[str, str]) -> Condition:
        def side(type_: str) -> Any:
            return self.expr(Field("", type_), env, names, 1)

        op = self.pick(("eq", "ne", "gt", "gte", "lt", "lte", "in", "exists"))
        if op == "exists":
            known = side(self.pick(("text", "int", "number")))
            if not told(known):
                raise _RetryError
            return Condition(op, known, Const(True), self.place())
        type_ = (
            self.pick(("int", "number"))
            if op in ORDERED
            else self.pick(("text", "int", "number", "bool") if op != "in" else ("text", "int", "number"))
        )
        left = side(type_)
        if not told(left) or self.enum(left, env, Field("", type_)):
            raise _RetryError
        if op == "in":
            lists = [Name(n) for n, t in names.items() if t == "list"] + [r for r, f in self.bound(env) if f.type == "list"]
            if type_ == "text" and lists and self.chance(0.5):
                return Condition(op, left, self.pick(lists), self.place())
            return Condition(op, left, Const(tuple(dict.fromkeys(self.constant(Field("", type_)) for _ in range(3)))), self.place())
        return Condition(op, left, side(type_), self.place())

    # ---- operators

    def text_pattern(self) -> TextPattern:
        texts = [(k, f.name) for k in self.kinds if self.before(k) for f in self.kinds[k].fields if f.type == "text"]
        kind, field = self.pick(texts)
        return TextPattern(self.meta("pattern"), kind, field, self.pick(PATTERNS_REGEX))

    def measure(self) -> Measure:
        source, env = self.source()
        function = self.pick(tuple(MEASURES))
        block = tuple(ref for ref, field in self.bound(env) if field.type != "list" and self.chance(0.15))[:2]
        options: tuple[tuple[str, Value], ...] = (("cap", self.pick((None, 1, 2))),) if function == "census" else ()
        return Measure(self.meta("measure"), function, source, block, "pair", options)

    def per(self, env: Mapping[str, str]) -> tuple[Ref, ...]:
        refs = [ref for ref, field in self.bound(env) if field.type != "list" and ref.field not in ("id", "seq")]
        return tuple(self.random.sample(refs, min(len(refs), self.pick((0, 1, 1, 2)))))

    def by(self, env: Mapping[str, str]) -> tuple[By, ...]:
        refs = [
            r for r, f in self.bound(env) if f.type != "list" and not (f.type == "enum" and not f.ordered) and r.field not in ("id", "seq")
        ]
        keys = [By(ref, self.chance(0.5)) for ref in self.random.sample(refs, min(len(refs), self.pick((0, 1, 1, 2))))]
        return (*keys, By(Ref("a1", "seq") if self.chance(0.7) else Ref("a1", "id"), self.chance(0.4)))

    def elect(self, heads: Sequence[str]) -> Elect:
        source, env = self.source()
        return Elect(self.meta("elect"), source, self.unless(env, 1), self.per(env), self.by(env), self.head(self.pick(heads), env, {}, 0))

    def take(self, heads: Sequence[str]) -> Take:
        source, env = self.source()
        apart = None
        if self.chance(0.6):
            linking = [
                (k, a.name, b.name)
                for k in self.kinds
                if self.before(k)
                for a in self.fields(k)
                for b in self.fields(k)
                if a.type == b.type == "ref" and a.name != b.name and all(not f.choices or source[0].kind in f.choices for f in (a, b))
            ]
            if linking:
                apart = Apart(*self.pick(linking))
        names = {"number": "int"}
        into = self.head(self.pick(heads), env, names, self.pick((0, 1)))
        rest = self.tries(lambda: self.head(self.pick(heads), env, {**names, **({"nearest": "ref"} if apart else {})}, self.pick((0, 1))))
        keep = self.pick((-1, 1, 1, 2, 3))
        return Take(self.meta("take"), source, self.unless(env, 1), self.per(env), self.by(env), keep, apart, into, rest)

    def group(self) -> Group:
        source, env = self.source()
        sides = [(r, f) for r, f in self.bound(env) if f.type in ("text", "enum", "ref", "int") and r.field != "seq"]
        left, field = self.pick(sides)
        member, members = field.type, None
        if field.type == "ref" and self.chance(0.5):
            right, _ = self.pick(sides)
            kinds = [k for k in self.kinds if self.before(k) and (not field.choices or k in field.choices)]
            kind = self.pick(kinds)
            members = Pattern(kind, "_members", self.tests(kind, {}, 1) if self.chance(0.3) else (), self.place())
        else:
            right, _ = self.pick([(r, f) for r, f in sides if f.type == field.type])
        names: dict[str, Expr] = {"name": Name("group"), "size": Name("size")}
        each: dict[str, Expr] = {**names}
        if member == "ref" or members is not None:
            each["who"] = Name("member")
        elif member in ("text", "enum"):
            each["what"] = Name("member")
        else:
            each["size"] = Name("member")
        into = Head("part", tuple(names.items()), self.place())
        return Group(
            self.meta("group"), source, self.unless(env, 1), left, right, members, into, Head("part", tuple(each.items()), self.place())
        )


def rank(field: Field) -> str:
    """A type's name, with ids, positions and ordered enums as types of their own."""
    return field.name if field.name in ("id", "seq") else "ordered" if field.ordered else field.type


def alike(left: Field, right: Field) -> bool:
    """Whether the two sides of a comparison fit."""
    if left.type != right.type:
        return {left.type, right.type} == {"text", "enum"}
    if left.type in ("ref", "enum"):
        return not left.choices or not right.choices or any(c in right.choices for c in left.choices)
    return True


def assignable(have: Field, field: Field) -> bool:
    """Whether a field's value can be written to a field."""
    if have.type == "enum" and field.type == "text":
        return True
    if have.type != field.type:
        return False
    if have.type == "enum":
        return set(have.choices) <= set(field.choices)
    return alike(have, field)


def told(expr: Expr) -> bool:
    """Whether an expression's type can be seen without knowing where it stands: ints and numbers are both kept as ints."""
    if isinstance(expr, Call):
        return expr.function in ("ratio", "round", "mul", "mul_number", "lower", "last_part", "digest") or any(map(told, expr.arguments))
    return not isinstance(expr, Const)


def is_computed(expr: Expr) -> bool:
    """Whether a head's value is one that a rule in a cycle may not hold."""
    return isinstance(expr, Call | Aggregate | Format | Name)


def without_computed_cycles(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """The rules without those that close a cycle through computed heads."""
    kept: list[Rule] = []
    for rule in rules:
        trial = [*kept, rule]
        if not any(in_cycle(r, trial) and any(is_computed(e) for h in r.heads for _, e in h.fields) for r in trial):
            kept.append(rule)
    return tuple(kept)


def in_cycle(rule: Rule, rules: Sequence[Rule]) -> bool:
    """Whether what a rule asserts can lead back to it."""
    reached = {head.kind for head in rule.heads}
    growing = True
    while growing:
        more = {h.kind for r in rules if uses(r) & reached for h in r.heads} - reached
        growing = bool(more)
        reached |= more
    return bool(uses(rule) & reached)


def uses(rule: Rule) -> set[str]:
    """The kinds that a rule's patterns name."""
    return {pattern.kind for patterns in rule.alternatives for pattern in patterns}
