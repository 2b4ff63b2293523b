"""Why: what every engine is given and what it has to answer, written once, so that all of them do the same work."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

PACKS = Path(__file__).with_name("packs")

#: Input: for each kind, the names of its fields and its rows.
Tables = dict[str, tuple[tuple[str, ...], list[tuple[object, ...]]]]
#: An answer: the values of one derived fact.
Answer = tuple[object, ...]


class Workload(NamedTuple):
    """One task: `tables(n)` makes n input facts; `expected(n)` facts of the kind `answer` are derived and read back with `fields`."""

    name: str
    says: str
    tables: Callable[[int], Tables]
    answer: str
    fields: tuple[str, ...]
    expected: Callable[[int], int]
    sizes: tuple[int, ...] = (1_000, 3_000, 10_000, 30_000)

    @property
    def folder(self) -> Path:
        """The folder with the rules as a pack and in the languages of the peers."""
        return PACKS / self.name

    def normal(self, answers: Sequence[Answer]) -> set[Answer]:
        """The answers as a set that does not depend on how an engine names groups (a name is replaced by the group's smallest member)."""
        if self.name != "group":
            return set(answers)
        smallest: dict[object, int] = {}
        for member, name in answers:
            smallest[name] = min(int(str(member)), smallest.get(name, sys.maxsize))
        return {(member, smallest[name]) for member, name in answers}


def _alpha(n: int) -> Tables:
    return {"item": (("number", "text", "bucket"), [(i, f"module_{i}.function", i % 7) for i in range(n)])}


def _shuffled(count: int, seed: int) -> list[int]:
    order = list(range(count))
    Random(seed).shuffle(order)  # noqa: S311 - an order for a benchmark, no secret
    return order


def _equality(n: int) -> Tables:
    half = n // 2
    left = [(i, f"key_{i}") for i in range(half)]
    right = [(i, f"key_{k}") for i, k in enumerate(_shuffled(half, 1))]
    return {"left": (("number", "name"), list(left)), "right": (("number", "name"), list(right))}


def _pairs(n: int) -> Tables:
    return {"item": (("number", "name"), [(i, f"key_{k // 2}") for i, k in enumerate(_shuffled(n, 2))])}


def _unless(n: int) -> Tables:
    marks = n // 3
    items = [(i, f"key_{k}") for i, k in enumerate(_shuffled(n - marks, 3))]
    return {"mark": (("name",), [(f"key_{k}",) for k in range(marks)]), "item": (("number", "name"), list(items))}


def _three(n: int) -> Tables:
    third = n // 3
    calls = [(i, f"function_{k}") for i, k in enumerate(_shuffled(n - 2 * third, 4))]
    places = [(f"function_{i}", f"file_{k}.py") for i, k in enumerate(_shuffled(third, 5))]
    owners = [(f"file_{i}.py", i % 100) for i in range(third)]
    return {
        "call": (("number", "function"), list(calls)),
        "place": (("function", "file"), list(places)),
        "owner": (("file", "team"), list(owners)),
    }


def _elect(n: int) -> Tables:
    scores = Random(9)  # noqa: S311 - scores for a benchmark, no secret
    items = [(i, f"party_{k % (n // 10)}", scores.randrange(1000)) for i, k in enumerate(_shuffled(n, 6))]
    return {"item": (("number", "party", "score"), list(items))}


#: Nodes of one connected component; each is a chain of links in random order.
CHAIN = 11


def _group(n: int) -> Tables:
    names = _shuffled(n * CHAIN // (CHAIN - 1) + CHAIN, 7)
    links = [(names[i // (CHAIN - 1) * CHAIN + i % (CHAIN - 1)], names[i // (CHAIN - 1) * CHAIN + i % (CHAIN - 1) + 1]) for i in range(n)]
    return {"link": (("left", "right"), [links[k] for k in _shuffled(n, 8)])}


LARGE = (1_000, 3_000, 10_000, 30_000, 100_000)

WORKLOADS: tuple[Workload, ...] = (
    Workload("alpha", "one condition; every seventh fact matches", _alpha, "hit", ("number",), lambda n: len(range(3, n, 7))),
    Workload(
        "equality", "two kinds joined on a text; every fact has one partner", _equality, "joined", ("left", "right"), lambda n: n // 2
    ),
    Workload(
        "pairs", "one kind joined with itself on a text that two facts share", _pairs, "pair", ("first", "second"), lambda n: n // 2 * 2
    ),
    Workload("unless", "a third of the facts block half of the others", _unless, "free", ("number",), lambda n: n - n // 3 - n // 3),
    Workload("three", "three kinds joined in a row on texts", _three, "duty", ("call", "team"), lambda n: n // 3),
    Workload("elect", "the best of each group of ten", _elect, "winner", ("party", "number"), lambda n: n // 10, LARGE),
    Workload(
        "group",
        "connected components, chains of eleven",
        _group,
        "inside",
        ("member", "component"),
        lambda n: n + -(-n // (CHAIN - 1)),
        LARGE,
    ),
)

BY_NAME = {workload.name: workload for workload in WORKLOADS}
