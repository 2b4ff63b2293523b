"""Why: rules that say a thing twice, that can never fire, or that feed each other without a bound."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tollens.engine.bench.findings import Found, at, check
from tollens.engine.bench.logic import contradiction, holds
from tollens.engine.bench.subject import Subject
from tollens.engine.bench.subsume import covers
from tollens.engine.rulebook.build.entries import Entry
from tollens.engine.rulebook.syntax import Const, Expr, Head, Measure, Pattern, Rule, TextPattern
from tollens.engine.rulebook.whole.strata import positive


@check("duplicate-rule", "Two rules have the same conditions and assert the same facts, or two patterns are the same expression.")
def duplicate_rule(subject: Subject) -> Iterator[Found]:
    """The later of two entries that say the same."""
    for first, second in _pairs(subject):
        if covers(first, second) and covers(second, first):
            yield at(second.meta, f"{second.meta.id} says the same as {first.meta.id} ({first.meta.place})", "remove one of the two")
    seen: dict[tuple[str, str, str], str] = {}
    for pattern in subject.patterns:
        known = seen.setdefault((pattern.kind, pattern.field, pattern.regex), pattern.meta.id)
        if known != pattern.meta.id:
            yield at(pattern.meta, f"{pattern.meta.id} is the same expression as {known}", "use one name for both")


@check("shadowed-rule", "Whenever a rule fires, another one with fewer conditions asserts the same facts.")
def shadowed_rule(subject: Subject) -> Iterator[Found]:
    """The special one of two rules, where the general one makes it needless."""
    for first, second in _pairs(subject):
        one, other = covers(first, second), covers(second, first)
        if one is not other:
            general, special = (first, second) if one else (second, first)
            yield at(
                special.meta,
                f"{special.meta.id} adds nothing: {general.meta.id} ({general.meta.place}) asserts the same on fewer conditions",
                f"remove {special.meta.id}, or let it assert something of its own",
            )


def _pairs(subject: Subject) -> Iterator[tuple[Rule, Rule]]:
    """Pairs of rules of one stage that may assert the same fact, in order: facts of different stages are seen by different rules."""
    alike: dict[object, list[Rule]] = {}
    for rule in subject.rules:
        others = {id(other): other for head in rule.heads for other in alike.get(_outline(rule, head), ())}
        yield from [(other, rule) for other in others.values()]
        for outline in dict.fromkeys([_outline(rule, head) for head in rule.heads]):
            alike.setdefault(outline, []).append(rule)


def _outline(rule: Rule, head: Head) -> object:
    """What two heads must have in common to assert the same fact: stage, kind, fields and constants."""
    return rule.meta.stage, head.kind, tuple([(name, expr if isinstance(expr, Const) else None) for name, expr in head.fields])


@check("contradictory-conditions", "Two tests on one field exclude each other, or a condition of `if` compares constants and is false.")
def contradictory_conditions(subject: Subject) -> Iterator[Found]:
    """Patterns that no fact can satisfy."""
    for entry in subject.entries:
        unless = () if isinstance(entry, TextPattern | Measure) else entry.unless
        for pattern in [*positive(entry), *unless]:
            field = contradiction(subject.kinds[pattern.kind], pattern)
            if field:
                message = f"no {pattern.kind} can satisfy the tests of {field} in {entry.meta.id}"
                yield Found(pattern.place, entry.meta.id, message, "mend the tests, or remove the pattern")
        for condition in entry.conditions if isinstance(entry, Rule) else ():
            if isinstance(condition.left, Const) and isinstance(condition.right, Const):
                text = f"a condition of {entry.meta.id} compares two constants"
                yield Found(condition.place, entry.meta.id, text, "compare with what the rule has bound")


@check("never-fires", "A rule needs a fact that nothing can make: nobody produces it, or all who do give it other values.")
def never_fires(subject: Subject) -> Iterator[Found]:
    """Entries with a pattern that no producer can satisfy, also where its producer never fires itself."""
    dead: dict[str, str] = {}
    growing = True
    while growing:
        growing = False
        for entry in subject.entries:
            if entry.meta.id not in dead:
                reason = _dead(subject, entry, dead)
                if reason:
                    dead[entry.meta.id] = reason
                    growing = True
    for entry in subject.entries:
        if entry.meta.id in dead:
            yield at(entry.meta, f"{entry.meta.id} can never fire: {dead[entry.meta.id]}", "mend its conditions, or remove it")


def _dead(subject: Subject, entry: Entry, dead: dict[str, str]) -> str:
    alternatives = entry.alternatives if isinstance(entry, Rule) else (tuple(positive(entry)),)
    reasons = [next((why for pattern in found if (why := _unmakable(subject, pattern, dead))), "") for found in alternatives]
    return reasons[0] if all(reasons) else ""


def _unmakable(subject: Subject, pattern: Pattern, dead: dict[str, str]) -> str:
    """Why nothing can make a fact for a pattern; "" where something may."""
    if contradiction(subject.kinds[pattern.kind], pattern):
        return f"the tests of {pattern.kind} contradict each other"
    if subject.stated(pattern.kind):
        return ""
    producers = [entry for entry in subject.producers.get(pattern.kind, ()) if entry.meta.id not in dead]
    rows = subject.rows.get(pattern.kind, ())
    if not producers and not rows:
        return f"nothing produces {pattern.kind}"
    heads = [(entry, head) for entry, head in subject.heads.get(pattern.kind, ()) if entry in producers]
    if any(dict(row.fields).keys() and _row_fits(subject, pattern, dict(row.fields)) for row in rows):
        return ""
    spelled = {id(entry) for entry, _ in heads}
    if any(id(entry) not in spelled for entry in producers):
        return ""
    if any(_head_fits(subject, pattern, head) for _, head in heads):
        return ""
    return f"whoever produces {pattern.kind} gives it other values than {_tests(pattern)}"


def _row_fits(subject: Subject, pattern: Pattern, fields: dict[str, object]) -> bool:
    kind = subject.kinds[pattern.kind]
    mine = [test for test in pattern.tests if isinstance(test.operand, Const) and test.field in kind.index]
    return all(holds(kind.field(test.field), test, fields.get(test.field)) for test in mine)  # type: ignore[arg-type]  # values of a row


def _head_fits(subject: Subject, pattern: Pattern, head: Head) -> bool:
    kind = subject.kinds[pattern.kind]
    given: dict[str, Expr] = dict(head.fields)
    for test in pattern.tests:
        if isinstance(test.operand, Const) and test.field in kind.index:
            expr = given.get(test.field, Const(None))
            if isinstance(expr, Const) and not isinstance(expr.value, tuple) and not holds(kind.field(test.field), test, expr.value):
                return False
    return True


def _tests(pattern: Pattern) -> str:
    return ", ".join(dict.fromkeys([test.field for test in pattern.tests if isinstance(test.operand, Const)])) or "those asked for"


@check(
    "loop-without-bound",
    "Rules of one stage feed each other and join two of their own facts, which only the budget of matches bounds.",
)
def loop_without_bound(subject: Subject) -> Iterator[Found]:
    """Rules in a cycle within their stage that read two kinds of the cycle: what they find grows with the square of the facts."""
    leads: dict[str, dict[str, dict[str, None]]] = {}
    for rule in subject.rules:
        ways = leads.setdefault(rule.meta.stage, {})
        for pattern in positive(rule):
            ways.setdefault(pattern.kind, {}).update(dict.fromkeys([head.kind for head in rule.heads]))
    for rule in subject.rules:
        reach = _reach(rule, leads[rule.meta.stage])
        inside = max(sum(pattern.kind in reach for pattern in alternative) for alternative in rule.alternatives)
        if inside >= 2:
            yield at(
                rule.meta,
                f"{rule.meta.id} joins two facts of kinds that it helps to produce ({', '.join(sorted(reach))})",
                "join one new fact with one of an earlier stage, or use `group` for what is connected",
            )


def _reach(rule: Rule, leads: Mapping[str, Iterable[str]]) -> frozenset[str]:
    """The kinds that the rule's own facts lead to within the stage, if they lead back to it. `leads`: which kinds follow from which."""
    kinds = dict.fromkeys([head.kind for head in rule.heads])
    queue = list(kinds)
    for kind in queue:
        for other in leads.get(kind, ()):
            if other not in kinds:
                kinds[other] = None
                queue.append(other)
    return frozenset(kinds) if any(pattern.kind in kinds for pattern in positive(rule)) else frozenset()
