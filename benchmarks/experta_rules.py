"""Why: the workloads' rules in experta's own form.

experta states its types nowhere, so everything of it is Any here, and its classes are made by calls.
"""

from __future__ import annotations

import collections
import collections.abc
from typing import Any

# experta's dependency looks for these where Python 3.9 still had them.
for _name in ("Mapping", "MutableMapping", "Iterable", "Sequence", "Callable", "Hashable"):
    if not hasattr(collections, _name):
        setattr(collections, _name, getattr(collections.abc, _name))

from experta import MATCH, NOT, Fact, KnowledgeEngine, Rule  # noqa: E402 - only after the names are there

_BASE: Any = KnowledgeEngine
#: The classes of the facts by kind; every answer is a `derived`.
_KINDS: dict[str, Any] = {
    name: type(name.title(), (Fact,), {}) for name in ("item", "left", "right", "mark", "call", "place", "owner", "derived")
}
_ANSWERS = ("hit", "joined", "pair", "free", "duty")


def _engine(conditions: tuple[Any, ...], answer: dict[str, str]) -> type[Any]:
    """A class of engines with one rule: its conditions, and the answer's fields with the names that the conditions bind."""

    def fire(engine: Any, **bound: object) -> None:  # noqa: ANN401 - the library has no types
        engine.declare(_KINDS["derived"](**{field: bound[name] for field, name in answer.items()}))

    return type("Engine", (_BASE,), {"fire": Rule(*conditions)(fire)})


def _engines() -> dict[str, Any]:
    item, left, right, mark, call, place, owner = [_KINDS[name] for name in ("item", "left", "right", "mark", "call", "place", "owner")]
    return {
        "alpha": _engine((item(number=MATCH.n, bucket=3),), {"number": "n"}),
        "equality": _engine((left(number=MATCH.a, name=MATCH.name), right(number=MATCH.b, name=MATCH.name)), {"left": "a", "right": "b"}),
        "pairs": _engine(
            (item(number=MATCH.a, name=MATCH.name), item(number=MATCH.b & ~MATCH.a, name=MATCH.name)), {"first": "a", "second": "b"}
        ),
        "unless": _engine((item(number=MATCH.n, name=MATCH.name), NOT(mark(name=MATCH.name))), {"number": "n"}),
        "three": _engine(
            (
                call(number=MATCH.n, function=MATCH.function),
                place(function=MATCH.function, file=MATCH.file),
                owner(file=MATCH.file, team=MATCH.team),
            ),
            {"call": "n", "team": "team"},
        ),
    }


_ENGINES = _engines()


def experta_engine(name: str) -> tuple[Any, dict[str, Any]]:
    """A new engine with the rules of a workload, and the classes of its facts by kind."""
    return _ENGINES[name](), {**_KINDS, **dict.fromkeys(_ANSWERS, _KINDS["derived"])}
