from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

from tollens.engine.errors import InputError
from tollens.engine.explain.reading import Record
from tollens.engine.explain.select import select
from tollens.engine.explain.shape import fault
from tollens.engine.explain.terminal import Style
from tollens.engine.explain.text import render, to_json
from tollens.engine.explain.tree import Limits, build_tree

JUNK: tuple[Any, ...] = (None, True, -1, 10**30, 0.5, "", "x", "\x1b", [], [[]], [1, 2], ["a", "b"], {}, {"a": 1}, {"by": "rule"})


def places(data: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key) of JSON data."""
    if isinstance(data, dict | list):
        for key in list(data) if isinstance(data, dict) else range(len(data)):
            yield data, key
            yield from places(data[key])


def test_whatever_is_damaged_there_is_a_clear_fault_or_an_answer(
    make_data: Callable[..., dict[str, Any]], budget: Callable[[int, int], int]
) -> None:
    whole = make_data(["an error", "fail"], [(1, 2)])
    choose = random.Random(7)  # noqa: S311 - the same damage in every run
    answered = refused = 0
    for _ in range(budget(1500, 30000)):
        data = copy.deepcopy(whole)
        for _ in range(choose.choice((1, 1, 3))):
            container, key = choose.choice(list(places(data)))
            if choose.random() < 0.2:
                del container[key]
            else:
                container[key] = choose.choice(JUNK)
        if fault(data):
            refused += 1
            continue
        answered += 1
        record = Record(data)
        for asked in ("", "hit", "total"):
            try:
                selections = select(record, asked)
            except InputError:
                continue
            trees = build_tree(record, [item for chosen in selections for item in chosen.ids], Limits(all_ways=True))
            assert all(line.isprintable() for line in render(record, trees, Style(width=70)))
            to_json(record, trees)
    assert answered > 100
    assert refused > 100
