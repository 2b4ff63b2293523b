from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tollens.engine.explain.reading import Record
from tollens.engine.explain.record import LINE_LIMIT, build, kept
from tollens.engine.explain.shape import fault
from tollens.engine.session.session import Session

Data = Callable[..., dict[str, Any]]


def test_a_record_holds_what_the_explanation_needs(make_data: Data) -> None:
    data = make_data(["an error", "unused"])
    assert list(data) == ["format", "run_id", "outcome", "pack", "packs", "evaluator", "signal", "rules", "answers", "result", "facts"]
    assert data["pack"] == {"name": "demo", "version": "1.0.0", "digest": "fedcba98765432100123"}
    assert data["outcome"] == "diagnosis"
    assert data["rules"]["hit.word"] == {
        "entry": "rule",
        "says": ["line ", ["l", "number"], " has ", ["w", "text"], " of weight ", ["w", "weight"]],
        "place": "rules/demo.yaml:30:5",
        "pack": "demo",
    }
    assert data["rules"]["sum.all"]["numbers"] == ["share"]
    assert data["rules"]["pick.cluster"]["names"] == {
        "cluster": {"group": "name", "size": "size"},
        "clustered": {"group": "name", "member": "line"},
    }
    assert data["rules"]["pick.longest"]["by"] == ["desc $n.characters", "asc $n.seq"]
    assert data["rules"]["see.word"]["regex"] == r"(?P<word>error|fail)\w*"


def test_only_rules_that_a_derivation_names_are_kept(make_data: Data) -> None:
    rules = make_data(["nothing"])["rules"]
    assert "hit.word" not in rules
    assert "see.length" in rules


def test_the_printed_pack_goes_before_the_rulebooks(run_demo: Callable[..., Session]) -> None:
    pack = {"name": "given", "version": "2", "digest": "d"}
    data = build(
        run_demo(["x"]), run_id="r", evaluator="e", signal_name="-", signal_digest="d", line=lambda number: None, result={"pack": pack}
    )
    assert data["pack"] == pack


def test_a_line_that_the_caller_does_not_have_is_left_out(run_demo: Callable[..., Session]) -> None:
    session = run_demo(["one", "two"])
    data: Any = build(
        session,
        run_id="r",
        evaluator="e",
        signal_name="-",
        signal_digest="d",
        line=lambda number: "two" if number == 2 else None,
        result={},
    )
    assert data["signal"]["lines"] == {"2": "two"}


def test_the_same_run_gives_the_same_bytes(make_data: Data) -> None:
    lines = ["an error", "fail"]
    assert json.dumps(make_data(lines, [(1, 2)])) == json.dumps(make_data(lines, [(1, 2)]))


SEEDED = """
import json, runpy, sys
from tollens.engine.explain.record import build
from tollens.engine.rulebook.measures import MeasureSignature
from tollens.engine.session.reference import Reference
from tollens.engine.session.session import run_session
demo = runpy.run_path(sys.argv[1])
lines = ["an error", "fail", "failed error"]
measures = {"length": MeasureSignature("length", demo["length_of"])}
session = run_session(demo["demo_rulebook"](), demo["drafts"](lines, [(1, 2), (2, 3)]), Reference(), measures=measures)
data = build(session, run_id="r", evaluator="e", signal_name="-", signal_digest="d", line=lambda number: lines[number - 1], result={})
sys.stdout.write(json.dumps(data))
"""


def test_the_bytes_do_not_depend_on_the_hash_seed() -> None:
    conftest = str(Path(__file__).with_name("conftest.py"))
    found = {
        subprocess.run(
            [sys.executable, "-c", SEEDED, conftest], check=True, capture_output=True, env=os.environ | {"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(found) == 1
    assert len(next(iter(found))) > 1000


@given(st.integers(0, 5000), st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 900)), min_size=1, max_size=6))
def test_what_is_kept_of_a_line_stands_in_its_columns(length: int, spans: list[tuple[int, int]]) -> None:
    text = "".join(chr(0x4E00 + number % 5000) for number in range(length))
    inside = sorted((min(start, length), min(start + size, length)) for start, size in spans)
    result = kept(text, inside)
    pieces = [[0, result]] if isinstance(result, str) else result
    total = 0
    for column, part in pieces:
        assert isinstance(column, int)
        assert isinstance(part, str)
        assert text[column : column + len(part)] == part
        total += len(part)
    assert total <= LINE_LIMIT * len(inside)
    for start, end in inside:
        shown = min(end, start + LINE_LIMIT // 2)
        assert any(column <= start and shown <= column + len(str(part)) for column, part in pieces if isinstance(column, int))


def test_building_a_record_is_cheap(make_data: Data, run_demo: Callable[..., Session]) -> None:
    lines = ["an error here, and more text"] * 60
    session = run_demo(lines)
    assert len(session.store) > 300
    best = 1.0
    for _ in range(5):
        start = time.perf_counter()
        json.dumps(
            build(session, run_id="r", evaluator="e", signal_name="-", signal_digest="d", line=lambda number: lines[number - 1], result={})
        )
        best = min(best, time.perf_counter() - start)
    assert best < 0.05, "300 facts take about 3 ms; ten times that says that something is quadratic"


def test_damaged_records_are_told_apart(make_data: Data) -> None:
    def broken(**changes: Any) -> str:
        return fault(make_data(["an error"]) | changes)

    good = make_data(["an error"])["facts"][0]
    assert broken() == ""
    assert fault([]) == "it is not an object"
    assert broken(format=2) == "its format is 2, and this version reads format 1"
    assert broken(facts=None) == "its `facts` is damaged"
    assert broken(facts=[good, 1]) == "fact number 2 is damaged"
    assert broken(facts=[good | {"derivations": []}]) == "fact number 1 is damaged"
    assert broken(facts=[good | {"derivations": [{"by": "rule", "name": "x", "bound": [["a"]]}]}]) == "fact number 1 is damaged"
    assert broken(facts=[good | {"derivations": [{"by": "rule", "name": "x", "computed": [["a", 1, [2]]]}]}]) == "fact number 1 is damaged"
    assert broken(facts=[good | {"spans": {"text": [1, 2]}}]) == "fact number 1 is damaged"
    assert broken(signal={"lines": {"1": [["x", 1]]}}) == "its `signal` is damaged"
    assert broken(answers={"a": [1]}) == "its `answers` is damaged"
    assert broken(rules={"a": []}) == "its `rules` is damaged"


def test_short_ids_stay_apart(make_record: Callable[..., Record]) -> None:
    record = make_record([f"error {number}" for number in range(40)])
    shorts = [record.short(fact["id"]) for fact in record.facts]
    assert len(set(shorts)) == len(shorts)
    assert all(sum(other["id"].startswith(short) for other in record.facts) == 1 for short in shorts)
