"""Why: a stored file may be damaged or of another version; it is checked once, whole, so that nothing behind has to doubt it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

#: The form of a record. A reader refuses a form that it does not know.
FORMAT = 1

Check = Callable[[object], bool]


def _is(*types: type) -> Check:
    return lambda value: isinstance(value, types) and not (isinstance(value, bool) and bool not in types)


def _any(value: object) -> bool:
    del value
    return True


def _either(*checks: Check) -> Check:
    return lambda value: any(check(value) for check in checks)


def _each(check: Check) -> Check:
    return lambda value: isinstance(value, list) and all(check(item) for item in value)


def _mapping(check: Check) -> Check:
    return lambda value: isinstance(value, dict) and all(check(item) for item in value.values())


def _row(*checks: Check) -> Check:
    return lambda value: (
        isinstance(value, list) and len(value) == len(checks) and all(check(item) for check, item in zip(checks, value, strict=True))
    )


def _shape(required: Mapping[str, Check], optional: Mapping[str, Check]) -> Check:
    def check(value: object) -> bool:
        return (
            isinstance(value, dict)
            and all(name in value and holds(value[name]) for name, holds in required.items())
            and all(holds(value[name]) for name, holds in optional.items() if name in value)
        )

    return check


_TEXT, _INT = _is(str), _is(int)
_TEXTS = _each(_TEXT)
_LINES = _mapping(_either(_TEXT, _each(_row(_INT, _TEXT))))
_RULE = _shape(
    {"says": _each(_either(_TEXT, _row(_TEXT, _TEXT), _row(_TEXT)))},
    {"numbers": _TEXTS, "names": _mapping(_mapping(_TEXT)), "status": _TEXT, "regex": _TEXT, "place": _TEXT},
)
_DERIVATION = _shape(
    {"by": _TEXT, "name": _TEXT},
    {
        "place": _TEXT,
        "bound": _each(_row(_TEXT, _TEXT)),
        "absent": _TEXTS,
        "computed": _each(_row(_TEXT, _any, _TEXTS)),
        "inputs": _TEXTS,
        "key": _TEXT,
    },
)
_FACT = _shape(
    {"id": _TEXT, "kind": _TEXT, "fields": _mapping(_any), "spans": _mapping(_row(_INT, _INT, _INT)), "derivations": _each(_DERIVATION)}, {}
)

_PARTS: Mapping[str, Check] = {
    "run_id": _TEXT,
    "outcome": _either(_TEXT, _is(type(None))),
    "pack": _mapping(_any),
    "evaluator": _TEXT,
    "signal": _shape({"name": _TEXT, "lines": _LINES}, {}),
    "rules": _mapping(_RULE),
    "answers": _mapping(_TEXTS),
    "result": _mapping(_any),
    "facts": _each(_any),
}


def fault(data: object) -> str:
    """What makes an object no record that can be read, or nothing."""
    if not isinstance(data, dict):
        return "it is not an object"
    if data.get("format") != FORMAT:
        return f"its format is {data.get('format')!r:.40}, and this version reads format {FORMAT}"
    for name, check in _PARTS.items():
        if name not in data:
            return f"it has no `{name}`"
        if not check(data[name]):
            return f"its `{name}` is damaged"
    for number, fact in enumerate(data["facts"], 1):
        if not _FACT(fact) or not fact["derivations"]:
            return f"fact number {number} is damaged"
    return ""
