"""Why: random kinds with every type of field, values from small pools so that joins hit, and facts of these kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Any

from tollens.engine.rulebook.measures import MeasureSignature
from tollens.engine.rulebook.syntax import (
    Const,
    Expr,
    Place,
    Row,
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


class RetryError(Exception):
    """What was begun cannot be finished with what is bound; try something else."""


class Kinds:
    """The dice, the kinds of a case, and in which stages each may be asserted."""

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
        self.linked: list[str] = []
        self.ids: dict[str, list[str]] = {"elect": [], "pattern": []}
        self.tables: dict[str, Value] = {}

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, items: Iterable[Any]) -> Any:
        known = list(items)
        if not known:
            raise RetryError
        return self.random.choice(known)

    def tries(self, make: Callable[[], Any], count: int = 8) -> Any:
        """The first success, or None."""
        for _ in range(count):
            try:
                return make()
            except RetryError:
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
        raise RetryError

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
                cut = self.pick((0, 0, 1))  # a text that stands in the line in another form has another length there
                texts = [f.name for f in kind.fields if f.type == "text" and f.name in given]
                spans = {name: Span(number + 1, 3, 3 + len(given[name]) + cut) for name in texts}
            drafts.append(Draft(kind.name, plain, spans, self.pick([("parser", "p"), ("parser", "q"), ("caller", "")])))
        known = {fact_id(r.kind, *self.row_key(r)): tuple(dict(r.fields).get(f.name) for f in self.kinds[r.kind].fields) for r in rows}
        if len(known) < len(rows) or any(values.get(i, v) != v for i, v in known.items()):
            rows = []
        return tuple(rows), tuple(drafts)

    def row_key(self, row: Row) -> list[Any]:
        kind, given = self.kinds[row.kind], dict(row.fields)
        return [given.get(name) for name in (kind.index if kind.rival else kind.key)]
