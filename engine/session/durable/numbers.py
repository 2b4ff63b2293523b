"""Why: the engine looks every new id up in a table of 512 chains of large nodes, which gets slow when each lookup walks cold memory.

The numbers that stand for facts are therefore given out chain by chain: a lookup then walks over the nodes that were made just before.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, count

#: Facts from which the order of numbers matters.
MANY = 2000

_CHAINS, _OFFSET, _PRIME = 512, 0x811C9DC5, 0x01000193
_DIGITS = b"0123456789"


def numbers(expected: int) -> Iterator[int]:
    """Every number from 1 on, once; the first `expected` in the order of the engine's chains."""
    if expected < MANY:
        return count(1)
    chains = _chains(expected)
    return chain(sorted(range(1, expected + 1), key=chains.__getitem__), count(expected + 1))


def _chains(most: int) -> list[int]:
    """The chain of each number from 0 to `most`: the low bits of the 32-bit FNV-1a hash of its digits."""
    mask = _CHAINS - 1
    level = [((_OFFSET ^ digit) * _PRIME) & mask for digit in _DIGITS]
    found = list(level)
    level = level[1:]
    while len(found) <= most:
        level = [((state ^ digit) * _PRIME) & mask for state in level for digit in _DIGITS]
        found += level
    return found
