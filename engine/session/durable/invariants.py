"""Why: no ruleset reaches the engine in a form whose behaviour there is not known to be right.

The compiler emits the safe forms only; this check says so again from the text alone, and every test runs with it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from json import loads
from typing import Any

from tollens.engine.errors import EngineError
from tollens.engine.session.durable.limits import Limits
from tollens.engine.session.durable.ruleset import BATCH, BOOT, BOOT_RULE, OPERATORS, PAD

_CHANNEL, _COLUMN = re.compile(r"c\d+"), re.compile(r"p\d+")
_PAD_JOIN = {PAD: {"m0": PAD}}


def fnv1a(text: str) -> int:
    """The 32-bit hash that alone identifies a property in the engine."""
    value = 0x811C9DC5
    for byte in text.encode("ascii"):
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value


def check_ruleset(text: str, limits: Limits) -> None:
    """Raise EngineError unless the ruleset keeps to every rule of the safe subset."""
    definition = loads(text)
    names = {"id", "sid", "$s", "$i", "$m", "$forward", PAD, BOOT}
    _demand(next(iter(definition)) == BOOT_RULE, "the first rule starts the session")
    _demand(definition[BOOT_RULE] == {"all": [{"m0": {BOOT: 1}}]}, "the first rule reads its own message only")
    _demand(len(definition) <= limits.rules + 1, "there are too many rules")
    for name, rule in definition.items():
        if name != BOOT_RULE:
            _demand(set(rule) == {"cap", "all"} and rule["cap"] == BATCH, f"{name} has unknown settings")
            _demand(0 < len(rule["all"]) <= limits.conditions, f"{name} has too many or no conditions")
            _check_rule(name, rule["all"], limits, names)
    hashes = {fnv1a(name) for name in names}
    _demand(len(hashes) == len(names), "two properties have the same hash")


def _check_rule(name: str, conditions: Sequence[object], limits: Limits, names: set[str]) -> None:
    bound = negative = 0
    for place, condition in enumerate(conditions):
        alias, test = _only(name, condition)
        if alias == f"m{bound}" and not negative:
            bound += 1
        else:
            _demand(alias == f"n{negative}$not" and bound > 0, f"{name} names a condition {alias}")
            negative += 1
        if place == 0:
            names.add(_channel(name, test))
        else:
            earlier = {f"m{slot}" for slot in range(bound if negative else bound - 1)}
            _check_condition(f"{name}.{alias}", test, earlier, limits, names)


def _check_condition(where: str, test: object, earlier: set[str], limits: Limits, names: set[str]) -> None:
    key, tests = _only(where, test)
    _demand(key == "$and" and isinstance(tests, list) and len(tests) > 1, f"{where} is no conjunction")
    first, *joins, last = tests
    names.add(_channel(where, first))
    _demand(last == _PAD_JOIN, f"{where} does not end with the comparison that is always true")
    _demand(len(joins) <= limits.joins, f"{where} has too many comparisons")
    for join in joins:
        left, right = _only(where, join)
        if left in OPERATORS.values():
            left, right = _only(where, right)
        alias, column = _only(where, right)
        _demand(left == PAD or bool(_COLUMN.fullmatch(left)), f"{where} compares {left}")
        _demand(isinstance(column, str) and bool(_COLUMN.fullmatch(column)), f"{where} compares with {column}")
        _demand(alias in earlier, f"{where} refers to {alias}")
        names.update((left, column))


def _channel(where: str, test: object) -> str:
    """The name of a channel in the test that it has to be."""
    name, value = _only(where, test)
    _demand(bool(_CHANNEL.fullmatch(name)) and type(value) is int and value == 1, f"{where} does not begin with a channel")
    return name


def _only(where: str, value: object) -> tuple[str, Any]:
    """The key and value of an object that must have one only: the engine passes over all others."""
    if not isinstance(value, dict) or len(value) != 1:
        raise EngineError(f"the compiled ruleset is not in the safe subset: {where} has not exactly one key in {value}")
    ((key, inner),) = value.items()
    return key, inner


def _demand(holds: bool, otherwise: str) -> None:
    if not holds:
        raise EngineError(f"the compiled ruleset is not in the safe subset: {otherwise}")
