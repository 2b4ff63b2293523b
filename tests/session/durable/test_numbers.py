"""Why: the order in which facts get their numbers makes lookups in the engine fast, and must lose or repeat none."""

from __future__ import annotations

from itertools import groupby, islice

import pytest

from tollens.engine.session.durable.invariants import fnv1a
from tollens.engine.session.durable.numbers import MANY, numbers


@pytest.mark.parametrize("expected", [0, 1, 9, MANY - 1, MANY, MANY + 1, 12_345])
def test_every_number_comes_once(expected: int) -> None:
    drawn = list(islice(numbers(expected), expected + 50))
    assert sorted(drawn[:expected]) == list(range(1, expected + 1))
    assert drawn[expected:] == list(range(expected + 1, expected + 51))


def test_numbers_of_one_chain_come_together() -> None:
    drawn = list(islice(numbers(12_345), 12_345))
    chains = [chain for chain, _ in groupby(fnv1a(str(number)) % 512 for number in drawn)]
    assert len(chains) == len(set(chains)) == 512


def test_no_two_of_the_first_numbers_have_the_same_hash() -> None:
    assert len({fnv1a(str(number)) for number in range(50_000)}) == 50_000
