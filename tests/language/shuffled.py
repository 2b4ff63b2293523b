"""Why: the contract lets an evaluator find matches in any order; this one takes a random order, so that nothing can come to rest on a kind one."""

from __future__ import annotations

from random import Random

from tests.language.oracle_facts import Facts
from tollens.engine.rulebook.syntax import Rule, Rulebook
from tollens.engine.session.evaluator import Stratum
from tollens.facts.fact import Fact

Match = tuple[Rule, int, tuple[Fact, ...]]


class Shuffled:
    """Tries all combinations of facts, fires a few of the matches, and tries again, until none is left."""

    name = "shuffled"

    def __init__(self, rulebook: Rulebook, seed: int) -> None:
        self._facts = Facts(rulebook, {})
        self._random = Random(seed)  # noqa: S311 - repeatable tests, no secrets

    def run(self, stratum: Stratum) -> None:
        """Fire every match of every rule of the stratum once."""
        finished = list(stratum.store)
        known = list(finished)
        done: set[tuple[int, int, tuple[str, ...]]] = set()
        while found := [match for match in self._matches(stratum, known, finished) if _mark(match) not in done]:
            self._random.shuffle(found)
            for rule, alternative, bound in found[: self._random.randint(1, 4)]:
                done.add(_mark((rule, alternative, bound)))
                known += stratum.fire(rule, alternative, bound)

    def _matches(self, stratum: Stratum, known: list[Fact], finished: list[Fact]) -> list[Match]:
        return [
            (rule, alternative, row)
            for rule in stratum.rules
            for alternative, patterns in enumerate(rule.alternatives)
            for row in self._facts.rows(patterns, known)
            if not any(self._facts.exists(pattern, patterns, row, finished) for pattern in rule.unless)
        ]


def _mark(match: Match) -> tuple[int, int, tuple[str, ...]]:
    rule, alternative, bound = match
    return rule.meta.index, alternative, tuple(fact.id for fact in bound)
