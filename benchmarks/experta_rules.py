"""Why: the workloads' rules in experta's own form."""

from __future__ import annotations

import collections
import collections.abc
from typing import Any

# experta's dependency looks for these where Python 3.9 still had them.
for _name in ("Mapping", "MutableMapping", "Iterable", "Sequence", "Callable", "Hashable"):
    if not hasattr(collections, _name):
        setattr(collections, _name, getattr(collections.abc, _name))

from experta import MATCH, NOT, Fact, KnowledgeEngine, Rule  # noqa: E402 - only after the names are there


class Item(Fact):
    """An input of alpha, pairs, unless and elect."""


class Left(Fact):
    """An input of equality."""


class Right(Fact):
    """An input of equality."""


class Mark(Fact):
    """An input of unless."""


class Call(Fact):
    """An input of three."""


class Place(Fact):
    """An input of three."""


class Owner(Fact):
    """An input of three."""


class Derived(Fact):
    """The answer of any workload."""


class Alpha(KnowledgeEngine):
    """One condition."""

    @Rule(Item(number=MATCH.n, bucket=3))
    def hit(self, n: int) -> None:
        """Assert the answer."""
        self.declare(Derived(number=n))


class Equality(KnowledgeEngine):
    """Two kinds."""

    @Rule(Left(number=MATCH.a, name=MATCH.name), Right(number=MATCH.b, name=MATCH.name))
    def joined(self, a: int, b: int) -> None:
        """Assert the answer."""
        self.declare(Derived(left=a, right=b))


class Pairs(KnowledgeEngine):
    """One kind with itself."""

    @Rule(Item(number=MATCH.a, name=MATCH.name), Item(number=MATCH.b & ~MATCH.a, name=MATCH.name))
    def pair(self, a: int, b: int) -> None:
        """Assert the answer."""
        self.declare(Derived(first=a, second=b))


class Unless(KnowledgeEngine):
    """Negation."""

    @Rule(Item(number=MATCH.n, name=MATCH.name), NOT(Mark(name=MATCH.name)))
    def free(self, n: int) -> None:
        """Assert the answer."""
        self.declare(Derived(number=n))


class Three(KnowledgeEngine):
    """Three kinds."""

    @Rule(
        Call(number=MATCH.n, function=MATCH.function),
        Place(function=MATCH.function, file=MATCH.file),
        Owner(file=MATCH.file, team=MATCH.team),
    )
    def duty(self, n: int, team: int) -> None:
        """Assert the answer."""
        self.declare(Derived(call=n, team=team))


_ENGINES: dict[str, type[Any]] = {"alpha": Alpha, "equality": Equality, "pairs": Pairs, "unless": Unless, "three": Three}
_INPUTS: dict[str, type[Any]] = {
    "item": Item,
    "left": Left,
    "right": Right,
    "mark": Mark,
    "call": Call,
    "place": Place,
    "owner": Owner,
}
_ANSWERS = ("hit", "joined", "pair", "free", "duty")

#: The workloads that are run with experta. It has no elections and no groups; its rules for them would compare every pair of facts.
EXPRESSED = tuple(_ENGINES)


def experta_engine(name: str) -> tuple[Any, dict[str, type[Any]]]:
    """A new engine with the rules of a workload, and the classes of its facts by kind."""
    return _ENGINES[name](), {**_INPUTS, **dict.fromkeys(_ANSWERS, Derived)}
