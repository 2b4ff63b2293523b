"""Why: constants, templates, defaults and aggregates of heads and lets are changed one at a time; a case must notice what is written."""

from __future__ import annotations

from collections.abc import Iterator

from tollens.engine.bench.mutate_patterns import pattern_mutants
from tollens.engine.rulebook.syntax import Aggregate, Call, Const, Expr, Format, Head, Name, Ref
from tollens.facts.kind import Field, Kind, KindTable
from tollens.facts.values import SCALE, Value

_SWAPPED = {"least": "most", "most": "least", "add": "sub"}


def head_mutants(head: Head, kinds: KindTable) -> Iterator[tuple[str, Head]]:
    """(What was done, the other head): optional fields left out, values changed."""
    kind: Kind = kinds[head.kind]
    for position, (name, expr) in enumerate(head.fields):
        field = kind.field(name)
        before, after = head.fields[:position], head.fields[position + 1 :]
        if field.optional:
            yield f"{head.kind} without {name}", head._replace(fields=before + after)
        for done, other in expr_mutants(expr, field, kinds):
            yield f"{head.kind}.{name}: {done}", head._replace(fields=(*before, (name, other), *after))


def expr_mutants(expr: Expr, field: Field | None, kinds: KindTable) -> Iterator[tuple[str, Expr]]:
    """(What was done, the other expression)."""
    if isinstance(expr, Const):
        if (other := changed(expr.value, field)) != expr.value:
            yield f"{_short(expr.value)} becomes {_short(other)}", Const(other)
    elif isinstance(expr, Format):
        yield from _format_mutants(expr)
    elif isinstance(expr, Aggregate):
        for done, pattern in pattern_mutants(expr.pattern, kinds):
            yield f"{expr.function} {expr.pattern.kind}, {done}", expr._replace(pattern=pattern)
        if expr.distinct:
            yield f"{expr.function} {expr.pattern.kind} without distinct", expr._replace(distinct=())
    elif isinstance(expr, Call):
        yield from _call_mutants(expr, field, kinds)


def _call_mutants(call: Call, field: Field | None, kinds: KindTable) -> Iterator[tuple[str, Expr]]:
    if call.function in ("default", "lower", "last_part"):
        yield f"{call.function} is its first operand", call.arguments[0]
    if call.function == "default":
        yield "default is always its second operand", call.arguments[1]
        if isinstance(call.arguments[1], Const):
            yield from _inside(call, 1, field, kinds)
            return
    if call.function in ("ratio", "sub"):
        yield (
            f"the operands of {call.function} trade places",
            call._replace(arguments=(call.arguments[1], call.arguments[0], *call.arguments[2:])),
        )
    if call.function in _SWAPPED and len(call.arguments) == 2:
        yield f"{call.function} becomes {_SWAPPED[call.function]}", call._replace(function=_SWAPPED[call.function])
    if call.function == "digest":
        for position, argument in enumerate(call.arguments):
            if isinstance(argument, Ref | Name):
                rest = call.arguments[:position] + call.arguments[position + 1 :]
                yield f"digest without operand {position + 1}", call._replace(arguments=rest)
        return
    for position in range(len(call.arguments)):
        yield from _inside(call, position, field, kinds)


def _inside(call: Call, position: int, field: Field | None, kinds: KindTable) -> Iterator[tuple[str, Expr]]:
    """The call with another operand. Digits to round to and the value for a division by nothing stay."""
    if call.function in ("round", "last_part") and position == 1:
        return
    for done, other in expr_mutants(call.arguments[position], field, kinds):
        yield f"{call.function}, {done}", call._replace(arguments=(*call.arguments[:position], other, *call.arguments[position + 1 :]))


def _format_mutants(template: Format) -> Iterator[tuple[str, Format]]:
    """A template without its longest literal part, and without each value."""
    words = [(len(part), -number) for number, part in enumerate(template.parts) if isinstance(part, str)]
    drop = [-max(words)[1]] if words else []
    for number in [*drop, *[number for number, part in enumerate(template.parts) if not isinstance(part, str)]]:
        part = template.parts[number]
        shown = repr(part) if isinstance(part, str) else f"{{{'.'.join(part)}}}"
        rest = template.parts[:number] + template.parts[number + 1 :]
        yield f"template without {shown}", Format(rest)


def changed(value: Value | tuple[int, ...], field: Field | None) -> Value:
    """Another value of the same type: the next member of an enumeration, one more, the other truth value, a longer text."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + (SCALE if field is not None and field.type == "number" else 1)
    if isinstance(value, str):
        if field is not None and field.type == "enum":
            choices = field.choices
            return choices[(choices.index(value) + 1) % len(choices)]
        return value + "~"
    if isinstance(value, tuple):
        return tuple(map(str, value[1:])) or ("~",)
    return None


def _short(value: object) -> str:
    return f"{value!r:.60}"
