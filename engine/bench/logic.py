"""Why: what tests on one field can come to is a question of small sums; here it is answered once, for every check and for witnesses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tollens.engine.rulebook.build.types import fields_of
from tollens.engine.rulebook.syntax import Const, Pattern, Test
from tollens.engine.session.conditions import alpha_check
from tollens.facts.fact import Fact
from tollens.facts.kind import Field, Kind
from tollens.facts.values import Value


def holds(field: Field, test: Test, value: Value) -> bool:
    """Whether a value (None: absent) of a field satisfies a test with a constant."""
    kind = Kind("one", [field._replace(name="value", optional=True)])
    fact = Fact(kind, (value,), {}, ("", ""))
    return alpha_check(kind, test._replace(field="value"))(fact)


def contradiction(kind: Kind, pattern: Pattern) -> str:
    """Why no fact can satisfy the constant tests of a pattern: the field's tests as text; "" where one may."""
    fields = fields_of(kind)
    for name in dict.fromkeys([test.field for test in pattern.tests]):
        tests = [test for test in pattern.tests if test.field == name and isinstance(test.operand, Const)]
        if impossible(fields[name], tests):
            return name
    return ""


def impossible(field: Field, tests: Sequence[Test]) -> bool:
    """Whether no value of a field satisfies all these tests (each with a constant). A text that is only matched counts as possible."""
    if not tests:
        return False
    if any(test.op == "exists" and isinstance(test.operand, Const) and test.operand.value is False for test in tests):
        return not all(holds(field, test, None) for test in tests)
    fixed = candidates(field, tests)
    if fixed is not None:
        return not any(all(holds(field, test, value) for test in tests) for value in fixed)
    return _texts_clash(tests)


def candidates(field: Field, tests: Iterable[Test]) -> list[Value] | None:
    """Values of which one satisfies the tests if any does; None where texts are open."""
    if field.type == "enum":
        return list(field.choices)
    if field.type == "bool":
        return [False, True]
    named: list[Value] = []
    for test in tests:
        if isinstance(test.operand, Const):
            value = test.operand.value
            if test.op == "eq" and not isinstance(value, tuple):
                return [value]
            if test.op == "in":
                return list(value) if isinstance(value, tuple) else [value]
            if isinstance(value, int) and not isinstance(value, bool) and test.op in ("ne", "gt", "gte", "lt", "lte"):
                named += [value - 1, value, value + 1]
    if field.type in ("int", "number"):
        return [*dict.fromkeys([0, 1, *named])]
    return None


def _texts_clash(tests: Sequence[Test]) -> bool:
    """Whether two tests for the beginning, or for the end, of one text exclude each other."""
    starts = [str(test.operand.value) for test in tests if test.op == "starts" and isinstance(test.operand, Const)]
    ends = [str(test.operand.value)[::-1] for test in tests if test.op == "ends" and isinstance(test.operand, Const)]
    return any(not (a.startswith(b) or b.startswith(a)) for texts in (starts, ends) for a in texts for b in texts)
