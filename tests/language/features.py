"""Why: a random test that no longer meets a part of the language must fail; this names every part that a fired entry used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

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
    Ref,
    Rule,
    Take,
    Test,
    TextPattern,
)
from tollens.facts.kind import Kind

Entry = Rule | Elect | Take | Group | TextPattern | Measure
Kinds = Mapping[str, Kind]

EQUALITY, ORDER, TEXTUAL = ("eq", "ne"), ("gt", "gte", "lt", "lte"), ("starts", "ends", "contains", "matches")
TYPES = ("text", "int", "number", "bool", "enum", "ordered", "ref", "list")


def type_name(kind: Kind, field: str) -> str:
    """The type of a field, with `id`, `seq` and ordered enums as types of their own."""
    if field in ("id", "seq"):
        return field
    declared = kind.field(field)
    return "ordered" if declared.ordered else declared.type


class Features:
    """The names of what one entry uses."""

    def __init__(self, entry: Entry, kinds: Kinds) -> None:
        self.kinds = kinds
        self.found: set[str] = set()
        self._aliases: dict[str, str] = {}
        self._entry(entry)

    def _entry(self, entry: Entry) -> None:
        if isinstance(entry, Rule):
            self._rule(entry)
        elif isinstance(entry, TextPattern):
            self.found.add("pattern")
        else:
            self._patterns("source", entry.source)
            self.found.add(f"{type(entry).__name__.lower()} over {'several' if len(entry.source) > 1 else 'one'}")
        if isinstance(entry, Elect | Take | Group):
            self._patterns("unless", entry.unless)
        if isinstance(entry, Elect | Take):
            what = type(entry).__name__.lower()
            self.found |= {f"{what} per {self._type(ref)}" for ref in entry.per} or {f"{what} per nothing"}
            self.found |= {f"{what} {'desc' if key.descending else 'asc'} {self._type(key.value)}" for key in entry.by}
        if isinstance(entry, Elect):
            self._head(entry.into)
        elif isinstance(entry, Take):
            self.found.add("take keeps all" if entry.keep < 0 else "take keeps some")
            self._head(entry.into)
            self._head(entry.rest)
        elif isinstance(entry, Group):
            self._group(entry)
        elif isinstance(entry, Measure):
            self.found.add(f"measure {'in blocks' if entry.block else 'at once'}")

    def _rule(self, rule: Rule) -> None:
        for patterns in rule.alternatives:
            self._patterns("when", patterns)
            self.found.add(f"{len(patterns)} patterns")
            if len({pattern.kind for pattern in patterns}) < len(patterns):
                self.found.add("self join")
        if len(rule.alternatives) > 1:
            self.found.add("any")
        self._patterns("unless", rule.unless)
        self.found.add(f"{len(rule.unless)} unless")
        for let in rule.lets:
            self.found.add(f"let {let.type}")
            self._expr(let.expr)
        for condition in rule.conditions:
            self.found.add(f"if {condition.op}")
            self._expr(condition.left)
            self._expr(condition.right)
        for head in rule.heads:
            self._head(head)
        if len(rule.heads) > 1:
            self.found.add("two heads")

    def _group(self, group: Group) -> None:
        sides = {self._type(group.left), self._type(group.right)}
        self.found |= {f"group of {side}" for side in sides} | {"group with members" if group.members else "group without members"}
        if group.members is not None:
            self._patterns("members", (group.members,))
        self._head(group.into)
        self._head(group.member)

    def _patterns(self, role: str, patterns: Sequence[Pattern]) -> None:
        for pattern in patterns:
            if role in ("when", "source"):
                self._aliases[pattern.alias] = pattern.kind
            for test in pattern.tests:
                self._test(role, pattern, test)
            kind = self.kinds[pattern.kind]
            self.found |= {f"{role} {kind.origin or 'base'} kind"} if kind.origin == "engine" else set()
            self.found |= {"rival kind"} if kind.rival else {"keyed kind"} if kind.key != tuple(kind.index) else set()

    def _test(self, role: str, pattern: Pattern, test: Test) -> None:
        operand = "constant" if isinstance(test.operand, Const) else "reference"
        self.found.add(f"{role} {test.op}")
        self.found.add(f"{role} {test.op} {type_name(self.kinds[pattern.kind], test.field)} {operand}")
        if isinstance(test.operand, Ref):
            self.found.add(f"{role} join with {self._type(test.operand)}")

    def _type(self, ref: Ref) -> str:
        return type_name(self.kinds[self._aliases[ref.alias]], ref.field)

    def _head(self, head: Head | None) -> None:
        if head is None:
            return
        kind = self.kinds[head.kind]
        self.found |= {"assert rival"} if kind.rival else {"assert keyed"} if kind.key != tuple(kind.index) else set()
        if kind.verdict:
            self.found.add("assert verdict")
        for name, expr in head.fields:
            self.found.add(f"assert {type_name(kind, name)}")
            self._expr(expr)

    def _expr(self, expr: Expr) -> None:
        if isinstance(expr, Ref):
            self.found.add(f"read {self._type(expr)}")
        elif isinstance(expr, Name):
            self.found.add("name" if expr.name[0] == "v" else f"name {expr.name}")
        elif isinstance(expr, Format):
            self.found |= {f"format {self._type(part)}" for part in expr.parts if isinstance(part, Ref)}
            self.found |= {"format name" for part in expr.parts if isinstance(part, Name)}
        elif isinstance(expr, Aggregate):
            self._patterns("aggregate", (expr.pattern,))
            self.found |= {f"aggregate {expr.function}"} | ({f"aggregate {expr.function} distinct"} if expr.distinct else set())
        elif isinstance(expr, Call):
            self.found.add(f"call {expr.function}")
            for argument in expr.arguments:
                self._expr(argument)


def features(entries: Iterable[Entry], kinds: Kinds) -> set[str]:
    """The names of all that these entries use."""
    return {name for entry in entries for name in Features(entry, kinds).found}


def required() -> Iterator[str]:
    """Every part of the language that a run must have met in something that fired."""
    for field in ("text", "int", "number", "bool", "enum", "ordered"):
        yield from (f"when {op} {field} {operand}" for op in EQUALITY for operand in ("constant", "reference"))
    for field in ("id", "ref", "seq"):
        yield from (f"when {op} {field} reference" for op in EQUALITY)
    for field in ("int", "number", "ordered"):
        yield from (f"when {op} {field} {operand}" for op in ORDER for operand in ("constant", "reference"))
    yield from (f"when {op} seq reference" for op in ORDER)
    yield from (f"when in {field} constant" for field in ("text", "enum", "ordered", "int", "number"))
    yield from (f"when {op} text constant" for op in TEXTUAL)
    yield from (f"when exists {field} constant" for field in TYPES)
    yield from (f"when join with {field}" for field in ("text", "int", "number", "bool", "enum", "ordered", "ref", "id", "seq"))
    for role in ("unless", "aggregate", "source"):
        yield from (f"{role} {op}" for op in (*EQUALITY, *ORDER, "in", "exists", *TEXTUAL))
        yield from (f"{role} eq {field} reference" for field in ("id", "ref", "text"))
    yield from (f"unless join with {field}" for field in ("text", "int", "number", "bool", "enum", "ordered", "ref", "id", "seq"))
    yield from (f"{number} patterns" for number in (1, 2, 3, 4))
    yield from (f"{number} unless" for number in (0, 1, 2))
    yield from ("self join", "any", "two heads", "rival kind", "keyed kind", "assert rival", "assert keyed", "assert verdict")
    yield from (f"{role} engine kind" for role in ("when", "unless", "aggregate", "source"))
    yield from (f"assert {field}" for field in TYPES)
    yield from (f"read {field}" for field in (*TYPES, "id", "seq"))
    yield from (f"format {field}" for field in (*TYPES, "id", "seq", "name"))
    yield from (f"let {field}" for field in ("text", "int", "number", "bool", "list", "ref"))
    yield from (f"if {op}" for op in (*EQUALITY, *ORDER, "in", "exists"))
    functions = "add sub mul mul_number ratio clamp round least most lower last_part digest default to_number"
    yield from (f"call {name}" for name in functions.split())
    yield from (f"aggregate {name}{more}" for name in ("count", "sum", "min", "max", "collect") for more in ("", " distinct"))
    for what in ("elect", "take"):
        yield from (
            f"{what} {turn} {field}"
            for turn in ("asc", "desc")
            for field in ("text", "int", "number", "bool", "ordered", "ref", "seq", "id")
        )
        yield from (f"{what} per {field}" for field in ("text", "int", "number", "bool", "enum", "ordered", "ref", "nothing"))
    yield from (f"{what} over {count}" for what in ("elect", "take", "group", "measure") for count in ("one", "several"))
    yield from ("take keeps all", "take keeps some", "name", "name number", "name nearest", "name group", "name size", "name member")
    yield from (f"group of {field}" for field in ("text", "enum", "ref", "id", "int"))
    yield from ("group with members", "group without members", "pattern", "measure in blocks", "measure at once")
    yield from EVENTS


#: What must have happened, as the oracle names it.
EVENTS = (
    "unless blocks",
    "depth beyond 1",
    "second alternative",
    "condition fails",
    "head without a value",
    "elect: passed over",
    "elect: tied",
    "elect: a fact in several rows",
    "elect: canonical order decides",
    "take: taken",
    "take: too late",
    "take: apart",
    "take: linked to several",
    "group: alone",
    "group: several",
    "pattern: a match with a span",
    "pattern: no span in a text that has one",
    "pattern: a named group",
    "pattern: a group took no part",
    "aggregate: distinct drops one",
    "aggregate: nothing found",
)
