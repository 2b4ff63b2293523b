"""Real failures with known answers: the corpus is not part of the project, so these skip where it is absent."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tollens.parsers import parse


class Case(NamedTuple):
    """A text's facts as plain rows, beside its label."""

    name: str
    label: dict[str, Any]
    facts: dict[str, list[dict[str, Any]]]


def cases(folder: Path) -> list[Case]:
    found = []
    for case in sorted(folder.iterdir()):
        facts: dict[str, list[dict[str, Any]]] = {}
        for draft in parse((case / "signal.txt").read_bytes()).drafts:
            facts.setdefault(draft.kind, []).append(dict(draft.fields))
        found.append(Case(case.name, json.loads((case / "label.json").read_text()), facts))
    return found


@pytest.fixture(scope="session")
def bugs(corpus: Path) -> list[Case]:
    return cases(corpus / "bugs")


@pytest.fixture(scope="session")
def pasted(corpus: Path) -> list[Case]:
    return [case for case in cases(corpus / "signals") if case.label["language"] == "python"]


def last_part(name: str | None) -> str:
    return (name or "").rpartition(".")[2]


def same_place(frame: dict[str, Any], file: str, line: int) -> bool:
    parts, other = frame["file"].replace("\\", "/").split("/"), file.replace("\\", "/").split("/")
    shared = min(len(parts), len(other))
    return bool(frame["line"] == line and parts[-shared:] == other[-shared:])


def test_whole_reports_are_never_flagged(bugs: list[Case]) -> None:
    assert {case.name: case.facts["truncated"] for case in bugs if "truncated" in case.facts} == {}


def test_every_listed_failure_has_its_block(bugs: list[Case]) -> None:
    missing = {}
    for case in bugs:
        listed = {row["node_id"] for row in case.facts["summary_line"] if row["word"] in ("FAILED", "ERROR")}
        named = Counter(row.get("node_id") for row in case.facts["test_case"])
        if listed - set(named) or None in named:
            missing[case.name] = sorted(listed - set(named))
    assert missing == {}


def test_every_block_has_an_exception(bugs: list[Case]) -> None:
    for case in bugs:
        tests = [row for row in case.facts["signal"] if row["record_type"] == "test"]
        assert len({row["test"] for row in case.facts["belongs"]}) == len(tests), case.name


def test_exceptions_and_deepest_frames_of_the_bugs(bugs: list[Case]) -> None:
    """Six of the labels name frames that pytest hides, two the failure of a test that the text does not hold."""
    classes = frames = 0
    for case in bugs:
        trace = case.label["traceback"]
        classes += last_part(trace["exception"]) in {last_part(row["class_name"]) for row in case.facts["signal"]}
        place = trace["deepest_repo"]
        frames += any(same_place(row, place["file"], place["line"]) for row in case.facts["stack_frame"])
    assert (len(bugs), classes >= len(bugs) - 2, frames >= len(bugs) - 7) == (68, True, True)


def test_exceptions_and_pinned_frames_of_pasted_texts(pasted: list[Case]) -> None:
    """Pastes are cut at both ends; the bounds are what was measured when this was written."""
    counts: Counter[str] = Counter()
    for case in pasted:
        want = case.label["expected"]
        classes = [name for name in (want.get("exception_class"), *want.get("exception_class_also", [])) if name]
        found = {last_part(row["class_name"]) for row in case.facts.get("signal", [])}
        counts["classes"] += bool(classes)
        counts["classes found"] += any(last_part(name) in found for name in classes)
        pins = [place for place in (want.get("pinned_frame"), *want.get("pinned_frame_also", [])) if place]
        counts["pins"] += bool(pins)
        counts["pins found"] += any(
            same_place(row, file, int(line))
            for file, _, line in (pin.rpartition(":") for pin in pins)
            if line.isdigit()
            for row in case.facts.get("stack_frame", [])
        )
    assert counts["classes found"] >= counts["classes"] - 11
    assert counts["pins found"] >= counts["pins"] - 5
