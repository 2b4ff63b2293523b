"""Why: whether one rule makes another needless can be seen in their conditions: everything the one asserts, the other does too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tollens.engine.rulebook.syntax import Const, Name, Pattern, Place, Ref, Rule, Test

_NOWHERE = Place("", 0)
#: Ways of laying one rule's patterns over another's that are tried before the answer is no.
TRIES = 2_000


def covers(general: Rule, special: Rule) -> bool:
    """Whether every match of `special` is one of `general` that asserts the same facts, as far as their texts can show it."""
    return all(any(_lays(general, mine, special, theirs) for mine in general.alternatives) for theirs in special.alternatives)


def _lays(general: Rule, mine: tuple[Pattern, ...], special: Rule, theirs: tuple[Pattern, ...]) -> bool:
    if len(mine) > len(theirs) or len(general.unless) > len(special.unless) or len(general.conditions) > len(special.conditions):
        return False
    for tries, names in enumerate(_mappings(mine, theirs, {})):
        if tries > TRIES:
            break
        wanted = [_plain(head, {}, _lets(special)) for head in special.heads]
        absent = [_pattern(pattern, {}) for pattern in special.unless]
        demanded = [_plain(condition, {}, _lets(special)) for condition in special.conditions]
        given = [_plain(head, names, _lets(general)) for head in general.heads]
        if (
            all(head in given for head in wanted)
            and all(_pattern(pattern, names) in absent for pattern in general.unless)
            and all(_plain(condition, names, _lets(general)) in demanded for condition in general.conditions)
        ):
            return True
    return False


def _mappings(mine: tuple[Pattern, ...], theirs: tuple[Pattern, ...], names: dict[str, str]) -> Iterator[dict[str, str]]:
    """Every way to find each pattern of one rule, with all its tests, among different ones of another: alias to alias."""
    if not mine:
        yield names
        return
    first, *rest = mine
    for other in theirs:
        if other.kind == first.kind and other.alias not in names.values():
            extended = {**names, first.alias: other.alias}
            known = {_test(test, {}) for test in other.tests}
            if all(_test(test, extended) in known for test in first.tests):
                yield from _mappings(tuple(rest), theirs, extended)


def _test(test: Test, names: Mapping[str, str]) -> Test:
    operand = test.operand
    return test._replace(operand=operand._replace(alias=names.get(operand.alias, operand.alias)) if isinstance(operand, Ref) else operand)


def _pattern(pattern: Pattern, names: Mapping[str, str]) -> tuple[str, frozenset[Test]]:
    return pattern.kind, frozenset([_test(test, names) for test in pattern.tests])


def _lets(rule: Rule) -> dict[str, object]:
    return {let.name: let.expr for let in rule.lets}


def _plain(part: Any, names: Mapping[str, str], lets: Mapping[str, object]) -> Any:  # noqa: ANN401 - any part of a rule's right side
    """A part of a rule with its aliases renamed, its lets written out and its places forgotten."""
    if isinstance(part, Ref):
        return part._replace(alias=names.get(part.alias, part.alias))
    if isinstance(part, Name):
        return _plain(lets[part.name], names, {}) if part.name in lets else part
    if isinstance(part, Place):
        return _NOWHERE
    if isinstance(part, Const) or not isinstance(part, tuple):
        return part
    if hasattr(part, "_fields"):
        if isinstance(part, Pattern):
            return _pattern(part, names)
        return (type(part).__name__, *[_plain(item, names, lets) for item in part])
    return tuple([_plain(item, names, lets) for item in part])
