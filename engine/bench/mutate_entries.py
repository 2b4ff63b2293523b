"""Why: every rule, operator, pattern, table row and redaction of a pack yields its mutants: the same rulebook with one thing changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from tollens.engine.bench.mutate_expressions import expr_mutants, head_mutants
from tollens.engine.bench.mutate_patterns import list_mutants, unless_mutants
from tollens.engine.bench.mutate_regex import variants
from tollens.engine.bench.mutate_rows import row_mutants
from tollens.engine.rulebook.syntax import (
    Aggregate,
    Call,
    Condition,
    Elect,
    Expr,
    Format,
    Group,
    Head,
    Measure,
    Place,
    Ref,
    Rule,
    Rulebook,
    Stage,
    Take,
    TextPattern,
)
from tollens.engine.session.operators import key_text
from tollens.facts.kind import KindTable

_PARTS = ("patterns", "measures", "elects", "takes", "groups", "rules")
_FLIPS = {"eq": "ne", "ne": "eq", "gt": "gte", "gte": "gt", "lt": "lte", "lte": "lt"}
_T = TypeVar("_T")
Entry = Rule | Elect | Take | Group | TextPattern | Measure
Changed = Iterator[tuple[str, Entry]]


class Mutant(NamedTuple):
    """A rulebook with one thing changed: the entry or rows it is in, a name that says what, where that is written, and how to make it.

    `rows` are the places of the table rows that it touches; a mutant of an entry touches none.
    """

    entry: str
    name: str
    place: Place
    make: Callable[[], Rulebook]
    rows: tuple[Place, ...] = ()


def mutants(book: Rulebook, packs: Sequence[str]) -> list[Mutant]:
    """Every mutant of these packs, in the order of the rulebook; names that would be equal are numbered."""
    found: list[Mutant] = []
    for position, redaction in enumerate(book.redactions):
        if redaction.meta.pack in packs:
            for done, regex in [("never masks", r"[^\x00-\x{10FFFF}]"), *variants(redaction.regex)]:
                others = (*book.redactions[:position], redaction._replace(regex=regex), *book.redactions[position + 1 :])
                meta = redaction.meta
                found.append(Mutant(meta.id, f"{meta.id}: {done}", meta.place, _with(book, "redactions", others)))
    found += [Mutant("", name, rows[0], _with(book, "rows", others), rows) for name, rows, others in row_mutants(book, packs)]
    kinds = KindTable(book.kinds)
    for number, stage in enumerate(book.stages):
        found += _of_stage(book, number, stage, kinds, packs)
    return _numbered(found)


def _numbered(found: list[Mutant]) -> list[Mutant]:
    seen: dict[str, int] = {}
    result = []
    for item in found:
        count = seen[item.name] = seen.get(item.name, 0) + 1
        result.append(item if count == 1 else item._replace(name=f"{item.name} ({count})"))
    return result


def _with(book: Rulebook, name: str, value: object) -> Callable[[], Rulebook]:
    return lambda: _changed(book, name, value)


def _changed(item: _T, name: str, value: object) -> _T:
    """The named tuple with another value of one field."""
    other: _T = item._replace(**{name: value})  # type: ignore[attr-defined]  # everything of a rulebook is a named tuple
    return other


def _of_stage(book: Rulebook, number: int, stage: Stage, kinds: KindTable, packs: Sequence[str]) -> Iterator[Mutant]:
    for part in _PARTS:
        entries: tuple[Entry, ...] = getattr(stage, part)
        for position, entry in enumerate(entries):
            if entry.meta.pack not in packs:
                continue
            for done, other in _of_entry(entry, kinds):
                changed_stage = _changed(stage, part, (*entries[:position], other, *entries[position + 1 :]))
                stages = (*book.stages[:number], changed_stage, *book.stages[number + 1 :])
                yield Mutant(entry.meta.id, f"{entry.meta.id}: {done}", entry.meta.place, _with(book, "stages", stages))


def _of_entry(entry: Entry, kinds: KindTable) -> Changed:
    if isinstance(entry, Rule):
        return _of_rule(entry, kinds)
    if isinstance(entry, TextPattern):
        return ((done, entry._replace(regex=regex)) for done, regex in variants(entry.regex))
    return _of_operator(entry, kinds)


def _of_rule(rule: Rule, kinds: KindTable) -> Changed:
    used = frozenset(_aliases(rule))
    for number, patterns in enumerate(rule.alternatives):
        label = f"alternative {number + 1}, " if len(rule.alternatives) > 1 else ""
        before, after = rule.alternatives[:number], rule.alternatives[number + 1 :]
        for done, others in list_mutants(patterns, kinds, used):
            yield label + done, rule._replace(alternatives=(*before, others, *after))
        if label:
            yield f"without {label.rstrip(', ')}", rule._replace(alternatives=before + after)
    for done, others in unless_mutants(rule.unless, kinds):
        yield done, rule._replace(unless=others)
    for position, condition in enumerate(rule.conditions):
        before_if, after_if = rule.conditions[:position], rule.conditions[position + 1 :]
        yield f"drop if {position + 1}", rule._replace(conditions=before_if + after_if)
        for done, other in _of_condition(condition, kinds):
            yield f"if {position + 1} {done}", rule._replace(conditions=(*before_if, other, *after_if))
    for position, let in enumerate(rule.lets):
        for done, expr in expr_mutants(let.expr, None, kinds):
            lets = (*rule.lets[:position], let._replace(expr=expr), *rule.lets[position + 1 :])
            yield f"let {let.name}: {done}", rule._replace(lets=lets)
    for position, head in enumerate(rule.heads):
        if len(rule.heads) > 1:
            yield f"without {head.kind}", rule._replace(heads=rule.heads[:position] + rule.heads[position + 1 :])
        for done, changed_head in head_mutants(head, kinds):
            yield done, rule._replace(heads=(*rule.heads[:position], changed_head, *rule.heads[position + 1 :]))


def _of_condition(condition: Condition, kinds: KindTable) -> Iterator[tuple[str, Condition]]:
    if condition.op in _FLIPS:
        yield f"becomes {_FLIPS[condition.op]}", condition._replace(op=_FLIPS[condition.op])
    for side in ("left", "right"):
        for done, expr in expr_mutants(getattr(condition, side), None, kinds):
            yield done, _changed(condition, side, expr)


def _of_operator(entry: Elect | Take | Group | Measure, kinds: KindTable) -> Changed:
    used = frozenset(_aliases(entry))
    for done, source in list_mutants(entry.source, kinds, used):
        if source[:1] and (isinstance(entry, Measure) is False or len(source) == len(entry.source)):
            yield done, entry._replace(source=source)
    if isinstance(entry, Measure):
        if entry.block:
            yield "without block", entry._replace(block=())
        return
    for done, unless in unless_mutants(entry.unless, kinds):
        yield done, entry._replace(unless=unless)
    if isinstance(entry, Elect | Take):
        yield from _of_order(entry)
    for name in ("into", "rest", "member"):
        head: Head | None = getattr(entry, name, None)
        if head is not None:
            for done, other in head_mutants(head, kinds):
                yield f"{name} {done}", _changed(entry, name, other)


def _of_order(entry: Elect | Take) -> Changed:
    for position, key in enumerate(entry.by):
        before, after = entry.by[:position], entry.by[position + 1 :]
        yield f"by {key_text(key)} is turned", entry._replace(by=(*before, key._replace(descending=not key.descending), *after))
        if after:
            yield f"without by {key_text(key)}", entry._replace(by=before + after)
    for position, ref in enumerate(entry.per):
        yield f"without per {'.'.join(ref)}", entry._replace(per=entry.per[:position] + entry.per[position + 1 :])
    if isinstance(entry, Take):
        if entry.keep >= 0:
            yield f"keep {entry.keep + 1}", entry._replace(keep=entry.keep + 1)
            yield f"keep {max(0, entry.keep - 1)}", entry._replace(keep=max(0, entry.keep - 1))
        if entry.apart is not None:
            yield "without apart", entry._replace(apart=None)


def _aliases(entry: Rule | Elect | Take | Group | Measure) -> Iterator[str]:
    """The aliases that something beside the patterns themselves refers to; templates of sentences do not count."""
    exprs: list[Expr] = []
    if isinstance(entry, Rule):
        exprs += [let.expr for let in entry.lets]
        exprs += [side for condition in entry.conditions for side in (condition.left, condition.right)]
        heads: Sequence[Head | None] = entry.heads
    elif isinstance(entry, Elect | Take):
        exprs += [*entry.per, *[key.value for key in entry.by]]
        heads = (entry.into, entry.rest) if isinstance(entry, Take) else (entry.into,)
    elif isinstance(entry, Group):
        exprs += [entry.left, entry.right]
        heads = (entry.into, entry.member)
    else:
        exprs += entry.block
        heads = ()
    exprs += [expr for head in heads if head is not None for _, expr in head.fields]
    for expr in exprs:
        yield from _aliases_of(expr)
    for pattern in () if isinstance(entry, Measure) else entry.unless:
        yield from (test.operand.alias for test in pattern.tests if isinstance(test.operand, Ref))


def _aliases_of(expr: Expr | str) -> Iterator[str]:
    if isinstance(expr, Ref):
        yield expr.alias
    elif isinstance(expr, Call):
        for argument in expr.arguments:
            yield from _aliases_of(argument)
    elif isinstance(expr, Aggregate):
        yield from (test.operand.alias for test in expr.pattern.tests if isinstance(test.operand, Ref))
    elif isinstance(expr, Format):
        for part in expr.parts:
            yield from _aliases_of(part)
