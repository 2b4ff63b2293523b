"""Why: the table of times must name every rule, and its counts must be those of the run itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tollens.engine.bench.timing import timed
from tollens.engine.diagnosis.driver import diagnose
from tollens.engine.diagnosis.packs import rulebook
from tollens.engine.session.choose import choose


def test_every_rule_is_measured_and_counted_as_the_run_counts(root: Path) -> None:
    data = (root / "fixtures/signals/shopping-long.txt").read_bytes()
    book = rulebook(cached=False)
    rows = timed(data, book)
    assert [row.micros for row in rows] == sorted((row.micros for row in rows), reverse=True)
    session = diagnose(data, book, choose("reference")[0]).session
    expected: dict[str, int] = {}
    for _, ways in session.proof:
        for way in ways:
            expected[way.name] = expected.get(way.name, 0) + 1
    entries = [entry.meta.id for stage in book.stages for part in stage[1:] for entry in part]
    assert sorted(row.id for row in rows) == sorted(entries)
    assert {row.id: row.firings for row in rows} == {name: expected.get(name, 0) for name in entries}
    by_id = {row.id: row for row in rows}
    for stage in book.stages:
        for rule in stage.rules:
            row = by_id[rule.meta.id]
            if (
                not rule.conditions
                and len(rule.heads) == 1
                and not any(pattern.kind in {h.kind for r in stage.rules for h in r.heads} for a in rule.alternatives for pattern in a)
            ):
                assert row.matches >= row.firings, rule.meta.id
    assert all(row.micros > 0 for row in rows)


def test_the_command_shows_the_slowest(tollens: Callable[..., Any], root: Path) -> None:
    file = root / "fixtures/signals/shopping-short.txt"
    done = tollens("rules", "bench", file, "--top", "3")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert len(lines) == 5
    assert lines[0].split() == ["microseconds", "matches", "firings", "rule"]
    assert lines[-1].split()[-2] == "all"
    assert len(json.loads(tollens("rules", "bench", file, "--top", "0", "--format", "json").stdout)) > 50
    assert tollens("rules", "bench", "gone.txt").returncode == 2
