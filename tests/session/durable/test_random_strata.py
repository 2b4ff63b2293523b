"""Why: the engine with its compiler must find exactly the matches that trying every combination of facts finds."""

from __future__ import annotations

import random
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from tollens.engine.session.durable.limits import Limits
from tollens.engine.session.evaluator import TooLarge
from tollens.engine.session.reference import Reference

BATCHES = 8
#: The default, rulesets of one rule each, and rulesets of few.
SHAPES = (
    Limits(),
    Limits(rules=1),
    Limits(split=0, session=1),
    Limits(channels=6, entries=4, same_path=1),
    Limits(rules=2, columns=2),
    Limits(rules=2, split=0, session=3),
)


def compare(lab: SimpleNamespace, seed: int) -> int:
    """One random stratum; the number of its firings."""
    chance = random.Random(seed)  # noqa: S311  # cases, not secrets
    world = lab.random_world(chance, chance.choice((4, 6, 8, 9)))
    rules = lab.RuleMaker(world, chance).rules()
    expected = world.expect(rules, 14)
    if expected is None:
        return 0
    for limits in (Limits(), SHAPES[seed % len(SHAPES)]):
        outcome = world.run(rules, limits=limits)
        assert sorted(outcome.firings) == sorted(expected.firings), f"seed {seed}"
        assert outcome.facts == expected.facts, f"seed {seed}"
    return len(expected.firings)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_firings_equal_those_of_every_combination(lab: SimpleNamespace, budget: Callable[[int, int], int], batch: int) -> None:
    """Each match once, each derived fact, with every operator, type, id, seq, unless, alternative and recursion."""
    cases = budget(50, 2000)
    assert sum(compare(lab, seed) for seed in range(batch * cases, (batch + 1) * cases)) > cases // 2


@pytest.mark.parametrize("batch", range(4))
def test_larger_fact_bases_agree_with_the_reference_evaluator(lab: SimpleNamespace, budget: Callable[[int, int], int], batch: int) -> None:
    """Where trying every combination takes too long, the indexed definition of the language is the judge."""
    fired, handed, cases = 0, 0, budget(20, 200)
    for seed in range(batch * cases, (batch + 1) * cases):
        chance = random.Random(f"large {seed}")  # noqa: S311  # cases, not secrets
        world = lab.random_world(chance, chance.choice((30, 60, 120)))
        rules = lab.RuleMaker(world, chance).rules(8)
        try:
            expected = world.run_with(Reference(), rules, 5000)
        except TimeoutError:
            continue
        try:
            outcome = world.run(rules, limits=SHAPES[seed % len(SHAPES)])
        except TooLarge:  # such a stage is the reference's, in a session too
            handed += 1
            continue
        assert sorted(outcome.firings) == sorted(expected.firings), f"seed {seed}"
        assert outcome.facts == expected.facts, f"seed {seed}"
        fired += len(expected.firings)
    assert fired > cases
    assert handed <= cases // 10
