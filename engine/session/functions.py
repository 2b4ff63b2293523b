"""Why: the fixed list of functions that a rule may compute with, exact on ints and millionths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tollens.facts.values import INT_LIMIT, SCALE, Value, digest


def rounded_ratio(top: int, bottom: int) -> int:
    """`top / bottom` to the nearest whole, halves to the even one; exact for all sizes. `bottom` must not be 0."""
    if bottom < 0:
        top, bottom = -top, -bottom
    whole, rest = divmod(top, bottom)
    if 2 * rest > bottom or (2 * rest == bottom and whole % 2):
        whole += 1
    return whole


def bounded(value: int) -> int | None:
    """The value, or absent where it leaves the range that every evaluator represents."""
    return value if abs(value) < INT_LIMIT else None


def _strict(function: Callable[..., Any]) -> Callable[..., Value]:
    """Absent in, absent out."""

    def call(*arguments: Value) -> Value:
        if None in arguments:
            return None
        result: Value = function(*arguments)
        return result

    return call


def _add(*terms: int) -> Value:
    return bounded(sum(terms))


def _mul(*factors: int) -> Value:
    result = 1
    for factor in factors:
        result *= factor
    return bounded(result)


def _mul_number(*factors: int) -> Value:
    result = factors[0]
    for factor in factors[1:]:
        result = rounded_ratio(result * factor, SCALE)
    return bounded(result)


def _ratio(top: int | None, bottom: int | None, otherwise: Value) -> Value:
    if top is None or bottom is None:
        return None
    return otherwise if bottom == 0 else bounded(rounded_ratio(top * SCALE, bottom))


def _round(number: int, digits: int) -> Value:
    unit = 10 ** max(0, 6 - digits)
    return bounded(rounded_ratio(number, unit) * unit)


def _default(value: Value, otherwise: Value) -> Value:
    return otherwise if value is None else value


def _least(*values: Value) -> Value:
    present: list[Any] = [value for value in values if value is not None]
    smallest: Value = min(present, default=None)
    return smallest


def _most(*values: Value) -> Value:
    present: list[Any] = [value for value in values if value is not None]
    largest: Value = max(present, default=None)
    return largest


def _last_part(text: str, separator: str) -> Value:
    return text.rsplit(separator, 1)[-1] if separator else text


#: By name; numbers are millionths. A result outside the representable range is absent.
FUNCTIONS: dict[str, Callable[..., Value]] = {
    "add": _strict(_add),
    "sub": _strict(lambda a, b: bounded(a - b)),
    "mul": _strict(_mul),
    "mul_number": _strict(_mul_number),
    "ratio": _ratio,
    "clamp": _strict(lambda x, low, high: max(low, min(x, high))),
    "round": _strict(_round),
    "least": _least,
    "most": _most,
    "lower": _strict(lambda text: text.lower()),
    "last_part": _strict(_last_part),
    "digest": digest,
    "default": _default,
    "to_number": _strict(lambda whole: bounded(whole * SCALE)),
}
