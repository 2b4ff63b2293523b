"""The invariants of spec 13 section 8 and the audits of its section 7.5: each holds on real signals, and each reports the violation when
the mechanism behind it is switched off, by an edited rulebook or a function that does nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tollens.engine.diagnosis.audits import AUDITS, audit, observation_digest, stale
from tollens.engine.diagnosis.driver import Diagnosed, diagnose
from tollens.engine.diagnosis.packs import rulebook
from tollens.engine.diagnosis.view import View
from tollens.engine.rulebook.syntax import Rulebook
from tollens.engine.session.reference import Reference
from tollens.parsers.page import Page

Run = Callable[..., Diagnosed]
Signal = Callable[[str], bytes]
FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "signals"
NAMES = sorted(path.stem for path in FOLDER.glob("*.txt"))
BOOK = rulebook(cached=False)

CUT = b'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    g()\n  File "b.py", line 2, in g\n    h()\n'
IN_LIBRARY = b"""\
Traceback (most recent call last):
  File "src/app.py", line 3, in main
    load()
  File "src/load.py", line 9, in load
    lib.parse(text)
  File "/opt/venv/lib/python3.11/site-packages/lib.py", line 1, in parse
    raise ValueError("bad")
ValueError: bad
"""
FORGED = """\
stage: grounds
rules:
  - id: mine.forged
    says: "the cache was cold"
    when:
      - primary: {as: p}
    then:
      - cited: {digest: "0123456789abcdef0123", side: supporting}
"""


def changed(book: Rulebook, entry: str, **fields: Callable[[Any], Any]) -> Rulebook:
    """The rulebook with some fields of one entry computed anew; the mechanism under test is switched off so."""
    found = 0

    def swap(one: Any) -> Any:
        nonlocal found
        if one.meta.id != entry:
            return one
        found += 1
        return one._replace(**{name: change(getattr(one, name)) for name, change in fields.items()})

    lists = ("patterns", "measures", "elects", "takes", "groups", "rules")
    stages: list[Any] = []
    for stage in book.stages:
        swapped: dict[str, Any] = {name: tuple([swap(one) for one in getattr(stage, name)]) for name in lists}
        stages.append(stage._replace(**swapped))
    assert found == 1, f"{entry} stands {found} times in the rulebook"
    return book._replace(stages=tuple(stages))


def without(book: Rulebook, entry: str) -> Rulebook:
    """The rulebook without one rule."""
    changed(book, entry)
    return book._replace(
        stages=tuple(stage._replace(rules=tuple(rule for rule in stage.rules if rule.meta.id != entry)) for stage in book.stages)
    )


def turned(keys: Any) -> Any:
    """An order the other way round, but for its last resort."""
    return (*[key._replace(descending=not key.descending) for key in keys[:-1]], keys[-1])


def run_on(book: Rulebook, data: bytes) -> Diagnosed:
    return diagnose(data, book, Reference())


def named(violations: list[str]) -> set[str]:
    return {violation.partition(": ")[0] for violation in violations}


@pytest.mark.parametrize("name", NAMES)
def test_no_audit_finds_anything_in_a_recorded_signal(signal: Signal, name: str) -> None:
    assert audit(run_on(BOOK, signal(name))) == []


@pytest.mark.parametrize("data", [CUT, IN_LIBRARY, b"", b"all quiet\n"])
def test_no_audit_finds_anything_in_a_small_text(data: bytes) -> None:
    assert audit(run_on(BOOK, data)) == []


def test_cascade_drowning(signal: Signal) -> None:
    """Audit 1, invariant 5: the exception that was raised first is the one that matters."""
    done = run_on(changed(BOOK, "causes.first_raised", by=turned), signal("python-3.11-chained"))
    assert named(audit(done)) >= {"cascade-drowning"}


def test_frame_blindness_when_the_pin_is_the_outermost(signal: Signal) -> None:
    """Audit 2, invariant 5: the pin is the deepest frame of the project."""
    done = run_on(changed(BOOK, "pin.deepest_project_frame", by=turned), signal("shopping-long"))
    assert "frame-blindness: the pin is not the deepest frame of the project" in audit(done)


def test_frame_blindness_when_library_frames_are_kept() -> None:
    """Audit 2, invariant 5: a library's frame is neither pinned nor kept."""
    kept = run_on(BOOK, IN_LIBRARY).result["residue"]
    assert (kept["primary_entity"], kept["project_frames"]) == ("src/load.py:9", ["src/app.py:3", "src/load.py:9"])
    done = run_on(changed(BOOK, "frames.project", unless=lambda _: ()), IN_LIBRARY)
    assert done.result["residue"]["primary_entity"] == "/opt/venv/lib/python3.11/site-packages/lib.py:1"
    assert "frame-blindness: the pin is a library's frame" in audit(done)


def test_the_residue_is_smaller_than_the_record() -> None:
    """Caps of spec 13 section 3.3: strictly smaller where there is a library's frame."""
    result = run_on(BOOK, IN_LIBRARY).result
    assert len(result["residue"]["project_frames"]) < len(result["records"][0]["frames"])


def test_imagined_values(signal: Signal, pack: Callable[..., Path]) -> None:
    """Audit 3, invariant 2: what is cited without having been observed makes no diagnosis; without the gate the audit tells."""
    book = rulebook((pack(FORGED),), cached=False)
    refused = run_on(book, signal("shopping-long"))
    assert (refused.result["citation_gate"], refused.result["diagnosis"]) == (False, None)
    done = run_on(without(book, "gate.fabricated"), signal("shopping-long"))
    assert done.result["diagnosis"] is not None
    assert "imagined values: 0123456789abcdef0123 is cited and was never observed" in audit(done)


def test_an_observation_that_no_rule_made_is_rejected(signal: Signal) -> None:
    """A forged observation in a stored result fits neither its pack nor its run."""
    done = run_on(BOOK, signal("shopping-long"))
    run = str(done.parsed.drafts[0].fields["digest"])
    assert list(stale(done.result, run)) == []
    row = {**done.result["evidence"][0], "observation": "the price was 0"}
    assert list(stale({**done.result, "evidence": [row, *done.result["evidence"][1:]]}, run)) == [
        "the diagnosis cites the evidence of another run"
    ]
    forged = {**done.result, "diagnosis": {**done.result["diagnosis"], "supporting_evidence": [row]}}
    assert "imagined values" in named(audit(done._replace(result=forged)))


def test_message_as_truth(monkeypatch: pytest.MonkeyPatch, signal: Signal) -> None:
    """Audit 5, invariant 4: nothing of the raw text but parsed fields is in the diagnosis, the residue or an observation."""
    data = signal("shopping-native")
    make = View._diagnosis

    def raw(view: View) -> dict[str, Any] | None:
        made = make(view)
        return made if made is None else {**made, "symptom": data.decode()}

    monkeypatch.setattr(View, "_diagnosis", raw)
    assert "message as truth" in named(audit(run_on(BOOK, data)))


def test_stale_diagnosis(signal: Signal, editable: Path) -> None:
    """Audit 6, invariant 7: a diagnosis is about the run whose evidence it cites, and about no other."""
    first, second = run_on(BOOK, signal("shopping-long")), run_on(BOOK, signal("shopping-native"))
    other = str(second.parsed.drafts[0].fields["digest"])
    assert "stale diagnosis: the diagnosis cites the evidence of another run" in audit(first, run=other)
    path = editable / "verdict.yaml"
    text = path.read_text(encoding="utf-8")
    assert text.count("{digest: [$observations, $p.run]}") == 1
    path.write_text(text.replace("{digest: [$observations, $p.run]}", "{digest: [$observations]}"), encoding="utf-8")
    done = run_on(rulebook(builtin=(editable,), cached=False), signal("shopping-long"))
    assert "stale diagnosis: the diagnosis cites the evidence of another run" in audit(done)


def test_the_same_signal_at_another_time_is_another_pack(signal: Signal) -> None:
    """Invariant 7: two runs whose texts differ in one character share no evidence pack."""
    data = signal("shopping-long")
    one, two = run_on(BOOK, data).result, run_on(BOOK, data + b".\n").result
    assert one["evidence_pack_id"] != two["evidence_pack_id"]
    assert [observation_digest(row) for row in one["evidence"]] != [observation_digest(row) for row in two["evidence"]]


def test_truncated_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Audit 7: what is cut off is flagged, is an open question, and never has a class that is sure."""
    result = run_on(BOOK, CUT).result
    assert result["truncated_signals"]
    made = result["diagnosis"]
    assert made is None or (made["confidence"] <= 0.5 and any("is cut" in question for question in made["unresolved_questions"]))
    monkeypatch.setattr(Page, "truncated", lambda *arguments: None)
    assert "truncated signal" in named(audit(run_on(BOOK, CUT)))


@pytest.mark.parametrize("name", ["shopping-long", "shopping-native", "python-3.11-chained", "unittests"])
def test_no_cut_of_a_report_is_diagnosed_as_if_it_were_whole(signal: Signal, name: str) -> None:
    """Audit 7 over every tenth way to cut a report off; where its last failure is cut, that is flagged or it is not there at all."""
    lines = signal(name).decode().splitlines(keepends=True)
    for cut in range(1, len(lines), 10):
        assert audit(run_on(BOOK, "".join(lines[:cut]).encode())) == [], cut


def test_the_hierarchy(signal: Signal, editable: Path) -> None:
    """Invariant 3: a diagnosis that stops at the immediate cause is none."""
    path = editable / "verdict.yaml"
    text = path.read_text(encoding="utf-8")
    assert text.count("          root_cause_hypothesis: $r.text\n") == 1
    path.write_text(
        text.replace("          root_cause_hypothesis: $r.text\n", "          root_cause_hypothesis: $i.text\n"), encoding="utf-8"
    )
    done = run_on(rulebook(builtin=(editable,), cached=False), signal("shopping-long"))
    assert "hierarchy" in named(audit(done))
    for level in ("root_cause_hypothesis", "immediate_cause", "symptom"):
        book = changed(BOOK, "claims.per_level", source=partial(_never, level))
        result = run_on(book, signal("shopping-long")).result
        assert (result["hierarchy_populated"], result["diagnosis"], result["outcome"]) == (False, None, "insufficient_evidence")


def _never(level: str, source: Any) -> Any:
    """The source of the election, but for facts of this level."""
    other = next(
        test
        for stage in BOOK.stages
        for rule in stage.rules
        for alternative in rule.alternatives
        for one in alternative
        if one.kind == "claim"
        for test in one.tests
        if (test.field, test.op) == ("level", "eq") and getattr(test.operand, "value", None) == level
    )
    return (source[0]._replace(tests=(*source[0].tests, other._replace(op="ne"))), *source[1:])


def test_classified_first(signal: Signal, editable: Path) -> None:
    """Invariant 8: the class comes before the diagnosis, and the diagnosis rests on it."""
    path = editable / "verdict.yaml"
    text = path.read_text(encoding="utf-8")
    assert text.count("          failure_class: $k.failure_class\n          symptom:") == 1
    path.write_text(
        text.replace(
            "          failure_class: $k.failure_class\n          symptom:", "          failure_class: concurrency\n          symptom:"
        ),
        encoding="utf-8",
    )
    done = run_on(rulebook(builtin=(editable,), cached=False), signal("shopping-long"))
    assert "classified first" in named(audit(done))
    unclassified = BOOK._replace(stages=tuple(stage._replace(elects=()) if stage.name == "classify" else stage for stage in BOOK.stages))
    assert run_on(unclassified, signal("shopping-long")).result["diagnosis"] is None


def test_every_audit_was_switched_off_here() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    assert all(text.count(name) >= 1 for name in AUDITS)
