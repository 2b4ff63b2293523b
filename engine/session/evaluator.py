"""Why: the one contract that every evaluator fulfils, so that which of them ran can never be seen in a result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from tollens.engine.rulebook.syntax import Rule
from tollens.engine.session.meter import UNCOUNTED, Counts
from tollens.engine.session.store import FactStore
from tollens.facts.fact import Fact


class TooLarge(Exception):
    """An evaluator cannot take a stratum as large as this one turned out to be; the reference evaluator runs it from its beginning."""


class Stratum(NamedTuple):
    """What an evaluator gets: the stage's rules and the facts of all finished stages and of this stage's operators.

    `fire(rule, alternative, bound)` computes lets, conditions and heads and gives the facts that are new in this stratum; they are in no
    index of `store` yet, so the evaluator must match them itself until nothing new comes. It raises BudgetExceeded after the last
    allowed firing. An evaluator calls it exactly once per distinct (rule, alternative, bound). `produces` are the
    kinds that the rules can assert.

    `meter` counts the facts that are tried in joins, as the reference evaluator tries them. Another one counts an upper bound of that:
    where it is exceeded, the reference evaluator runs the stratum from its beginning, and its count decides.
    """

    name: str
    rules: Sequence[Rule]
    store: FactStore
    fire: Callable[[Rule, int, tuple[Fact, ...]], Sequence[Fact]]
    produces: frozenset[str]
    meter: Counts = UNCOUNTED


class Evaluator(Protocol):
    """Finds every match of every rule of a stratum, to the fixpoint, in any order."""

    name: str

    def run(self, stratum: Stratum) -> None:
        """Fire all matches; EngineError when the engine behind it failed (the session is then discarded), TooLarge as it says."""
        ...
