"""Why: what a match asserts is computed once, here, so that no evaluator can compute it differently."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tollens.engine.rulebook.syntax import Aggregate, Call, Condition, Const, Expr, Format, Head, Let, Name, Pattern, Ref
from tollens.engine.session.conditions import getter, placed
from tollens.engine.session.functions import FUNCTIONS, bounded
from tollens.engine.session.matching import Matcher, Slots, finished
from tollens.engine.session.meter import UNCOUNTED, Counts
from tollens.engine.session.store import FactStore
from tollens.facts.fact import Fact
from tollens.facts.kind import KindTable
from tollens.facts.values import Value, unscaled

#: Computed names by name: lets, and what an operator hands to its heads.
Names = dict[str, Value]
#: A ready expression: bound facts, computed names, and a list that aggregates add the ids of their inputs to.
Ready = Callable[[Sequence[Fact], Names, list[str]], Value]


class Expressions:
    """Turns checked expressions over some bound patterns into functions. `number_names` are the names that hold millionths.

    `meter` counts the facts that aggregates go over.
    """

    def __init__(
        self, store: FactStore, bound: Sequence[Pattern], number_names: frozenset[str] = frozenset(), meter: Counts = UNCOUNTED
    ) -> None:
        self._store = store
        self._meter = meter
        self._bound = tuple(bound)
        self._places = {pattern.alias: position for position, pattern in enumerate(bound)}
        self._kinds: KindTable = store.kinds
        self._number_names = set(number_names)

    def let(self, let: Let) -> Ready:
        """A let's expression; later expressions know whether it holds a number."""
        ready = self.ready(let.expr)
        if let.type == "number":
            self._number_names.add(let.name)
        return ready

    def ready(self, expr: Expr) -> Ready:
        """The expression as a function."""
        if isinstance(expr, Const):
            value: Any = expr.value
            return lambda facts, names, inputs: value
        if isinstance(expr, Ref):
            position = self._places[expr.alias]
            if expr.field in ("id", "seq"):
                read = placed(self._kinds[self._bound[position].kind], expr.field, position)
                return lambda facts, names, inputs: read(facts)
            field = self._kinds[self._bound[position].kind].index[expr.field]
            return lambda facts, names, inputs: facts[position].values[field]
        if isinstance(expr, Name):
            name = expr.name
            return lambda facts, names, inputs: names[name]
        if isinstance(expr, Format):
            return self._format(expr)
        if isinstance(expr, Aggregate):
            return self._aggregate(expr)
        return self._call(expr)

    def _call(self, expr: Call) -> Ready:
        function = FUNCTIONS[expr.function]
        arguments = [self.ready(argument) for argument in expr.arguments]
        return lambda facts, names, inputs: function(*[argument(facts, names, inputs) for argument in arguments])

    def _format(self, expr: Format) -> Ready:
        parts = [self._part(part) for part in expr.parts]
        return lambda facts, names, inputs: "".join([part(facts, names) for part in parts])

    def _part(self, part: str | Ref | Name) -> Callable[[Sequence[Fact], Names], str]:
        if isinstance(part, str):
            return lambda facts, names: part
        ready = self.ready(part)
        if isinstance(part, Ref):
            kind = self._kinds[self._bound[self._places[part.alias]].kind]
            number = part.field not in ("id", "seq") and kind.field(part.field).type == "number"
        else:
            number = part.name in self._number_names
        return lambda facts, names: shown(ready(facts, names, []), number)

    def _aggregate(self, expr: Aggregate) -> Ready:
        matcher = Matcher([expr.pattern], self._kinds, self._bound)
        step = matcher.plan()[0]
        kind = self._kinds[expr.pattern.kind]
        get = getter(kind, expr.field) if expr.field else None
        distinct = [getter(kind, field) for field in expr.distinct]
        source = finished(self._store)
        total, meter = _TOTALS[expr.function], self._meter

        def ready(facts: Sequence[Fact], _names: Names, inputs: list[str]) -> Value:
            slots: Slots = [None, *facts]
            seen: set[tuple[Value, ...]] = set()
            values: list[Value] = []
            for fact in step.matches(slots, source, meter, apart=False):
                inputs.append(fact.id)
                value = get(fact) if get else 1
                if distinct:
                    mark = tuple(part(fact) for part in distinct)
                    if mark in seen:
                        continue
                    seen.add(mark)
                if value is not None:
                    values.append(value)
            return total(values)

        return ready


def shown(value: Value, number: bool) -> str:
    """A value as templates write it: numbers as decimals, absent ones as `?`, lists with commas."""
    if value is None:
        return "?"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ", ".join(value)
    if number and isinstance(value, int):
        return str(unscaled(value))
    return str(value)


_TOTALS: dict[str, Callable[[list[Any]], Value]] = {
    "count": len,
    "sum": lambda values: bounded(sum(values)),
    "min": lambda values: min(values, default=None),
    "max": lambda values: max(values, default=None),
    "first": lambda values: values[0] if values else None,
    "collect": lambda values: tuple(sorted({str(value) for value in values})),
}


def condition(expressions: Expressions, checked: Condition) -> Callable[[Sequence[Fact], Names, list[str]], bool]:
    """One condition of `if` as a function; an absent side satisfies only `exists`, whose right side is what it must equal."""
    left, right = expressions.ready(checked.left), expressions.ready(checked.right)
    check = _CONDITIONS[checked.op]
    return lambda facts, names, inputs: check(left(facts, names, inputs), right(facts, names, inputs))


def _both(check: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    return lambda a, b: a is not None and b is not None and check(a, b)


_CONDITIONS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": _both(lambda a, b: a == b),
    "ne": _both(lambda a, b: a != b),
    "gt": _both(lambda a, b: a > b),
    "gte": _both(lambda a, b: a >= b),
    "lt": _both(lambda a, b: a < b),
    "lte": _both(lambda a, b: a <= b),
    "in": _both(lambda a, b: a in b),
    "exists": lambda a, b: (a is not None) == b,
}


class ReadyHead:
    """A head as a function from a match to a fact that is not stored yet, or None where a required value is absent."""

    def __init__(self, head: Head, expressions: Expressions, kinds: KindTable, origin: tuple[str, str]) -> None:
        self.kind = kinds[head.kind]
        given = dict(head.fields)
        absent: Ready = lambda facts, names, inputs: None  # noqa: E731 - one shape for all fields
        self._values = [expressions.ready(given[f.name]) if f.name in given else absent for f in self.kind.fields]
        self._required = [position for position, field in enumerate(self.kind.fields) if not field.optional]
        self._origin = origin

    def fact(self, facts: Sequence[Fact], names: Names, inputs: list[str]) -> Fact | None:
        """The fact that these bound facts and names lead to."""
        values = tuple([value(facts, names, inputs) for value in self._values])
        for position in self._required:
            if values[position] is None:
                return None
        return Fact(self.kind, values, NO_SPANS, self._origin)


NO_SPANS: dict[str, Any] = {}
