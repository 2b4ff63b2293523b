"""Why: what a pack decides by is listed once, condition by condition, so that cases can be asked whether they made each of them decide.

A condition has two sides, true and false. It decided true in a case where its rule fired, and false in a case where everything else that
the rule asks for holds and only this does not: then it alone kept the rule from firing. That is read from what the language means, over
the facts of the finished stage, so the order in which an evaluator looks at things cannot change it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tollens.engine.rulebook.syntax import (
    Aggregate,
    Call,
    Elect,
    Expr,
    Group,
    Measure,
    Meta,
    Pattern,
    Place,
    Rule,
    Rulebook,
    Stage,
    Take,
    Test,
    TextPattern,
)
from tollens.engine.session.operators import key_text
from tollens.engine.session.render import condition_text
from tollens.facts.kind import KindTable

TRUE, FALSE = "true", "false"
Operator = Elect | Take | Group | Measure


class Condition(NamedTuple):
    """One thing that decides: the entry it belongs to, a name that no other one has, where it is written, and its sides.

    `what` is when, unless, inside (a test inside an `unless` or aggregate), if, by, keep, pattern, measure, row or redaction; `at` are
    positions: of the alternative and pattern (when), of the `unless` or aggregate, of the condition or key; `test` is a position of a test.
    """

    entry: str
    name: str
    place: Place
    what: str
    at: tuple[int, ...] = ()
    test: int = -1
    sides: tuple[str, ...] = (TRUE, FALSE)


def conditions(book: Rulebook, packs: Sequence[str]) -> list[Condition]:
    """Every condition of these packs, in the order of the rulebook; names that would be equal are numbered."""
    kinds = KindTable(book.kinds)
    found = [
        Condition(redaction.meta.id, f"{redaction.meta.id}: masks", redaction.meta.place, "redaction")
        for redaction in book.redactions
        if redaction.meta.pack in packs
    ]
    found += [
        Condition("", f"row {row_text(row.kind, row.fields)}", row.place, "row", sides=(TRUE,)) for row in book.rows if row.pack in packs
    ]
    for stage in book.stages:
        found += _stage(stage, kinds, packs)
    return _numbered(found)


def row_text(kind: str, fields: Sequence[tuple[str, object]]) -> str:
    """A row by its kind and its first field, which names it in most tables."""
    return f"{kind} {fields[0][1] if fields else ''}".rstrip()


def _numbered(found: list[Condition]) -> list[Condition]:
    seen: dict[str, int] = {}
    result = []
    for item in found:
        count = seen[item.name] = seen.get(item.name, 0) + 1
        result.append(item if count == 1 else item._replace(name=f"{item.name} ({count})"))
    return result


def _stage(stage: Stage, kinds: KindTable, packs: Sequence[str]) -> Iterator[Condition]:
    for pattern in stage.patterns:
        if pattern.meta.pack in packs:
            yield Condition(pattern.meta.id, f"{pattern.meta.id}: matches", pattern.meta.place, "pattern")
    for operators in (stage.measures, stage.elects, stage.takes, stage.groups):
        for operator in operators:
            if operator.meta.pack in packs:
                yield from _operator(operator, kinds)
    for rule in stage.rules:
        if rule.meta.pack in packs:
            yield from _rule(rule, kinds)


def _operator(operator: Operator, kinds: KindTable) -> Iterator[Condition]:
    meta = operator.meta
    yield from _tests(meta, operator.source, kinds, 0, "")
    if not isinstance(operator, Measure):
        yield from _unless(meta, operator.unless, kinds)
    if isinstance(operator, Elect | Take):
        for position, key in enumerate(operator.by):
            yield Condition(meta.id, f"{meta.id}: by {key_text(key)}", meta.place, "by", (position,), sides=(TRUE,))
    if isinstance(operator, Take) and operator.keep >= 0:
        yield Condition(meta.id, f"{meta.id}: keep {operator.keep}", meta.place, "keep")
    if not any(pattern.tests for pattern in operator.source) or isinstance(operator, Measure):
        yield Condition(meta.id, f"{meta.id}: concludes something", meta.place, "measure", sides=(TRUE,))


def _rule(rule: Rule, kinds: KindTable) -> Iterator[Condition]:
    meta = rule.meta
    several = len(rule.alternatives) > 1
    for number, patterns in enumerate(rule.alternatives):
        label = f"alternative {number + 1}, " if several else ""
        yield from _tests(meta, patterns, kinds, number, label)
        if several or not any(pattern.tests for pattern in patterns):
            yield Condition(meta.id, f"{meta.id}: {label}fires", meta.place, "fires", (number,), sides=(TRUE,))
    yield from _unless(meta, rule.unless, kinds)
    for position, aggregate in enumerate(aggregates(rule)):
        for test, text in _texts(aggregate.pattern, kinds):
            name = f"{meta.id}: {aggregate.function} {aggregate.pattern.kind}.{text}"
            yield Condition(meta.id, name, aggregate.pattern.place, "aggregate", (position,), test)
    for position, condition in enumerate(rule.conditions):
        yield Condition(meta.id, f"{meta.id}: if {position + 1} ({condition.op})", condition.place, "if", (position,))


def _tests(meta: Meta, patterns: Sequence[Pattern], kinds: KindTable, number: int, label: str) -> Iterator[Condition]:
    for position, pattern in enumerate(patterns):
        for test, text in _texts(pattern, kinds):
            name = f"{meta.id}: {label}when {named(pattern)}.{text}"
            yield Condition(meta.id, name, pattern.place, "when", (number, position), test)


def _unless(meta: Meta, unless: Sequence[Pattern], kinds: KindTable) -> Iterator[Condition]:
    for position, pattern in enumerate(unless):
        texts = list(_texts(pattern, kinds))
        shown = f"{pattern.kind}({', '.join(text for _, text in texts)})"
        yield Condition(meta.id, f"{meta.id}: unless {shown}", pattern.place, "unless", (position,))
        for test, text in texts:
            yield Condition(meta.id, f"{meta.id}: in unless {shown}, {text}", pattern.place, "inside", (position,), test)


def _texts(pattern: Pattern, kinds: KindTable) -> Iterator[tuple[int, str]]:
    for position, test in enumerate(pattern.tests):
        yield position, condition_text(test, kinds[pattern.kind])


def named(pattern: Pattern) -> str:
    """A pattern by its alias, or by its kind where the pack gives none."""
    return pattern.alias if pattern.alias[:1].isalpha() else pattern.kind


def aggregates(rule: Rule) -> list[Aggregate]:
    """The aggregates of a rule's lets, conditions and heads, in the order written."""
    found: list[Aggregate] = []
    exprs: list[Expr] = [let.expr for let in rule.lets]
    for condition in rule.conditions:
        exprs += [condition.left, condition.right]
    for head in rule.heads:
        exprs += [expr for _, expr in head.fields]
    for expr in exprs:
        _collect(expr, found)
    return found


def _collect(expr: Expr, found: list[Aggregate]) -> None:
    if isinstance(expr, Aggregate):
        found.append(expr)
    elif isinstance(expr, Call):
        for argument in expr.arguments:
            _collect(argument, found)


def without(pattern: Pattern, test: int) -> tuple[Pattern, Test]:
    """A pattern without one of its tests, and that test."""
    return pattern._replace(tests=pattern.tests[:test] + pattern.tests[test + 1 :]), pattern.tests[test]


def entry_of(stage: Stage) -> Iterator[TextPattern | Operator | Rule]:
    """Everything of a stage that concludes something."""
    for part in (stage.patterns, stage.measures, stage.elects, stage.takes, stage.groups, stage.rules):
        yield from part


def asserted(entry: TextPattern | Operator | Rule) -> tuple[str, ...]:
    """The kinds that an entry asserts; of a pattern those of its matches, of an operator those that it spells out."""
    if isinstance(entry, TextPattern):
        return ("match", "match_group")
    if isinstance(entry, Measure):
        return (entry.output,)
    if isinstance(entry, Rule):
        return tuple([head.kind for head in entry.heads])
    heads = (entry.into, getattr(entry, "rest", None), getattr(entry, "member", None))
    return tuple([head.kind for head in heads if head is not None])
