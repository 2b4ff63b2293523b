"""Why: the conditions of patterns are dropped, flipped and moved one at a time, as a rule author might get them wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tollens.engine.bench.coverage_conditions import named
from tollens.engine.bench.mutate_regex import variants
from tollens.engine.rulebook.syntax import Const, Pattern, Ref, Test
from tollens.engine.session.render import condition_text
from tollens.facts.kind import KindTable
from tollens.facts.values import SCALE

_FLIPS = {"ne": "eq", "gt": "gte", "gte": "gt", "lt": "lte", "lte": "lt", "starts": "contains", "ends": "contains", "contains": "starts"}


def pattern_mutants(pattern: Pattern, kinds: KindTable) -> Iterator[tuple[str, Pattern]]:
    """(What was done, the other pattern) for each way in which one test can be another one."""
    for position, test in enumerate(pattern.tests):
        text = f"{named(pattern)}.{condition_text(test, kinds[pattern.kind])}"
        before, after = pattern.tests[:position], pattern.tests[position + 1 :]
        yield f"drop {text}", pattern._replace(tests=before + after)
        for done, other in test_mutants(test, pattern.kind, kinds):
            yield f"{text} {done}", pattern._replace(tests=(*before, other, *after))


def test_mutants(test: Test, kind: str, kinds: KindTable) -> Iterator[tuple[str, Test]]:
    """Other tests of the same field that load as well."""
    if test.op in _FLIPS:
        yield f"becomes {_FLIPS[test.op]}", test._replace(op=_FLIPS[test.op])
    if not isinstance(test.operand, Const):
        return
    value = test.operand.value
    if test.op == "eq":
        yield "becomes ne", test._replace(op="ne")
    elif test.op == "exists":
        yield "is turned", test._replace(operand=Const(not value))
    elif test.op == "in" and isinstance(value, tuple) and len(value) > 1:
        for position, member in enumerate(value):
            rest = value[:position] + value[position + 1 :]
            yield f"without {member}", test._replace(operand=Const(rest))  # type: ignore[arg-type]  # a part of what it was
    elif test.op == "matches":
        for done, regex in variants(str(value)):
            yield done, test._replace(operand=Const(regex))
    elif test.op in ("gt", "gte", "lt", "lte") and isinstance(value, int):
        number = test.field in kinds[kind].index and kinds[kind].field(test.field).type == "number"
        yield "one more", test._replace(operand=Const(value + (SCALE if number else 1)))
    elif test.op in ("gt", "gte", "lt", "lte") and isinstance(value, str):
        choices = kinds[kind].field(test.field).choices
        yield "next member", test._replace(operand=Const(choices[(choices.index(value) + 1) % len(choices)]))


def list_mutants(patterns: Sequence[Pattern], kinds: KindTable, used: frozenset[str]) -> Iterator[tuple[str, tuple[Pattern, ...]]]:
    """The same for a list of patterns; a pattern whose alias nobody uses is also dropped as a whole."""
    for position, pattern in enumerate(patterns):
        before, after = tuple(patterns[:position]), tuple(patterns[position + 1 :])
        for done, other in pattern_mutants(pattern, kinds):
            yield done, (*before, other, *after)
        elsewhere = {test.operand.alias for one in after for test in one.tests if isinstance(test.operand, Ref)}
        if len(patterns) > 1 and pattern.alias not in used | elsewhere:
            yield f"drop pattern {named(pattern)}", before + after


def unless_mutants(unless: Sequence[Pattern], kinds: KindTable) -> Iterator[tuple[str, tuple[Pattern, ...]]]:
    """Each negated pattern dropped, and each of its tests dropped or changed."""
    for position, pattern in enumerate(unless):
        before, after = tuple(unless[:position]), tuple(unless[position + 1 :])
        shown = f"{pattern.kind}({', '.join(condition_text(test, kinds[pattern.kind]) for test in pattern.tests)})"
        yield f"drop unless {shown}", before + after
        for done, other in pattern_mutants(pattern, kinds):
            yield f"in unless {shown}, {done}", (*before, other, *after)
