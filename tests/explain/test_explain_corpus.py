from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tollens.engine.diagnosis.driver import Options, diagnose
from tollens.engine.diagnosis.packs import rulebook
from tollens.engine.explain.reading import Record
from tollens.engine.explain.select import select
from tollens.engine.explain.shape import fault
from tollens.engine.explain.terminal import Style
from tollens.engine.explain.text import render
from tollens.engine.explain.tree import Limits, build_tree, walk
from tollens.engine.interfaces.outcome import record_of
from tollens.engine.session.reference import Reference


def test_every_fact_of_real_failures_rests_on_what_was_read(corpus: Path, budget: Callable[[int, int], int]) -> None:
    book = rulebook([])
    signals = sorted((corpus / "signals").glob("*/signal.txt"))
    assert signals
    for path in signals[:: budget(12, 1)]:
        done = diagnose(path.read_bytes(), book, Reference(), Options("signal.txt", (), ""))
        data = json.loads(json.dumps(record_of(done, "signal.txt")))
        assert fault(data) == ""
        record = Record(data)
        assert select(record)
        trees = build_tree(record, [fact["id"] for fact in record.facts], Limits(0, 0, all_ways=True))
        assert all(line.isprintable() for line in render(record, trees, Style(width=100)))
        for node, _ in walk(trees):
            assert node.role != "text", node.label
            if node.is_fact and not node.note and not any(child.is_fact or child.children for child in node.children):
                assert node.way is not None
                assert node.way["by"] in ("parser", "caller", "row"), node.way
