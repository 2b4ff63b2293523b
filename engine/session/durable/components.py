"""Why: which facts hang together through equal values is known once all of them are there; such facts must meet in one session."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from tollens.engine.session.durable.limits import Side
from tollens.facts.fact import Fact

Reader = Callable[[Fact], int]
#: More than the numbers that a rule of fifteen patterns with 28 comparisons each can need.
_NUMBERS = 1024


def sessions(facts: Iterable[tuple[Side, Fact]], readers: Mapping[Side, Sequence[tuple[int, Reader]]], size: int) -> list[int]:
    """For each fact the number of its session, so that facts that hang together share one, and `size` facts or few more are in each."""
    parents: dict[int, int] = {}
    marks = [_tie(parents, fact, readers[side]) for side, fact in facts]
    roots = [_root(parents, mark) for mark in marks]
    weights: dict[int, int] = {}
    for root in roots:
        weights[root] = weights.get(root, 0) + 1
    session_of: dict[int, int] = {}
    session = held = 0
    for root in roots:
        if root not in session_of:
            if held and held + weights[root] > size:
                session, held = session + 1, 0
            session_of[root] = session
            held += weights[root]
    return [session_of[root] for root in roots]


def _tie(parents: dict[int, int], fact: Fact, readers: Sequence[tuple[int, Reader]]) -> int:
    """Tie the values of a fact to each other; gives one of them."""
    (number, read), *others = readers
    first = _mark(number, read(fact))
    parents.setdefault(first, first)
    for number, read in others:
        mark = _mark(number, read(fact))
        parents.setdefault(mark, mark)
        one, other = _root(parents, first), _root(parents, mark)
        if one != other:
            parents[other] = one
    return first


def _mark(number: int, value: int) -> int:
    """An integer that stands for a value of a number, and for nothing else."""
    return value * _NUMBERS + number


def _root(parents: dict[int, int], mark: int) -> int:
    root = mark
    while (parent := parents[root]) != root:
        root = parent
    while (parent := parents[mark]) != root:
        parents[mark], mark = root, parent
    return root
