"""Why: embedders keep one engine for days, in threads, while people edit the rules; what they get must be whole and typed at every moment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any, Self

import pytest

import tollens
from tollens.engine.explain.runs import RunStore
from tollens.engine.rulebook import load
from tollens.facts.views import Diagnosis, Result


@pytest.mark.smoke
def test_import_loads_nothing_and_an_engine_no_pydantic(signal_text: str) -> None:
    script = """
import sys
before = set(sys.modules)
import tollens
loaded = sorted(name for name in set(sys.modules) - before if name.startswith("tollens"))
assert loaded == ["tollens", "tollens.engine", "tollens.engine.version"], loaded
outcome = tollens.Engine().diagnose(sys.argv[1])
heavy = {"pydantic", "yaml", "rich", "dataclasses"} & set(sys.modules)
assert outcome.outcome == "diagnosis" and "pydantic" not in sys.modules and "rich" not in sys.modules, heavy
assert outcome.diagnosis.failure_class and "pydantic" in sys.modules
"""
    subprocess.run([sys.executable, "-c", script, signal_text], check=True)


def test_the_face_offers_what_it_says_and_nothing_else() -> None:
    for name in tollens.__all__:
        assert getattr(tollens, name) is not None
    assert set(tollens.__all__) <= set(dir(tollens))
    with pytest.raises(AttributeError, match="diagnoze"):
        tollens.diagnoze  # type: ignore[attr-defined]  # noqa: B018 - that it is not there is the point


def test_text_bytes_and_file_are_one_signal(signal_text: str, tmp_path: Path) -> None:
    file = tmp_path / "run.log"
    file.write_text(signal_text, encoding="utf-8")
    engine = tollens.Engine()
    text, data = engine.diagnose(signal_text), engine.diagnose(signal_text.encode())
    assert text.result == data.result
    assert (text.outcome, text.result["records"][0]["source"]) == ("diagnosis", "signal:1-4")
    read = engine.diagnose(file)
    assert read.result["records"][0]["source"] == "run.log:1-4"
    assert read.result == engine.diagnose(signal_text, source="run.log").result == tollens.diagnose(file).result


def test_outcome_is_typed(signal_text: str) -> None:
    outcome = tollens.diagnose(signal_text, timestamp="2026-01-02T03:04:05Z", project_roots=["src"])
    assert isinstance(outcome.model, Result)
    assert isinstance(outcome.diagnosis, Diagnosis)
    assert outcome.diagnosis is outcome.model.diagnosis
    assert outcome.diagnosis.supporting_evidence[0].timestamp == "2026-01-02T03:04:05Z"
    assert json.loads(outcome.model.model_dump_json(by_alias=True)) == outcome.result
    empty = tollens.diagnose("")
    assert (empty.diagnosis, empty.model.diagnosis) == (None, None)


def test_why_reaches_the_raw_line_and_the_rule(signal_text: str) -> None:
    outcome = tollens.diagnose(signal_text)
    proof = outcome.why()
    assert "by rule " in proof
    assert "return order.price" in proof
    assert outcome.why("failure_class").startswith("failure_class = ")
    assert tollens.diagnose("").why() == tollens.diagnose("").why("outcome")
    with pytest.raises(tollens.InputError) as caught:
        outcome.why("root_case_sites")
    assert caught.value.choices
    assert caught.value.nearest == "root_cause_sites"


def test_result_is_what_the_command_prints_and_keeps(signal_text: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tollens", "diagnose", "--format", "json", "--runs", str(tmp_path / "theirs"), "-"]
    done = subprocess.run(command, input=signal_text, check=True, capture_output=True, text=True, cwd=tmp_path)
    outcome = tollens.Engine(keep_runs=tmp_path / "ours").diagnose(signal_text, source="stdin")
    assert json.loads(done.stdout) == outcome.result
    theirs, ours = (RunStore(tmp_path / name).load(outcome.run_id).data for name in ("theirs", "ours"))
    assert theirs == ours == outcome.record
    assert outcome.notices == tollens.diagnose(signal_text).notices


def test_a_folder_that_cannot_hold_runs_is_a_notice(signal_text: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    outcome = tollens.Engine(keep_runs=tmp_path / "file" / "runs").diagnose(signal_text)
    assert outcome.outcome == "diagnosis"
    assert "not stored" in outcome.notices[-1]


@pytest.mark.parametrize(
    ("act", "error", "words"),
    [
        (lambda folder: tollens.Engine([folder / "nowhere"]), tollens.PackErrors, "no folder"),
        (lambda folder: tollens.Engine(evaluator="durable"), tollens.InputError, "nearest: durable_rules"),
        (lambda folder: tollens.Engine(evaluator="durable", worker=True), tollens.InputError, "nearest: durable_rules"),
        (lambda folder: tollens.Engine(worker=True, time_limit_s=0), tollens.InputError, "positive"),
        (lambda folder: tollens.Engine(worker=True, time_limit_s=float("inf")), tollens.InputError, "positive"),
        (lambda folder: tollens.Engine(worker=True, memory_limit_mb=0), tollens.InputError, "positive"),
        (tollens.diagnose, tollens.InputError, "is a folder"),
        (lambda folder: tollens.diagnose(folder / "run.lg"), tollens.InputError, "nearest: run.log"),
        (lambda folder: tollens.diagnose(bytes(64 * 1024 * 1024 + 1)), tollens.InputError, "larger than 64 MB"),
    ],
)
def test_what_cannot_be_used_is_said(act: Callable[[Path], object], error: type[Exception], words: str, tmp_path: Path) -> None:
    (tmp_path / "run.log").write_text("", encoding="utf-8")
    with pytest.raises(error, match=words):
        act(tmp_path)


WRONG: dict[str, Callable[[tollens.Engine, tollens.Outcome], object]] = {
    "rules": lambda engine, outcome: tollens.Engine("dir"),  # type: ignore[arg-type, unused-ignore]
    "rules[0]": lambda engine, outcome: tollens.Engine([3]),  # type: ignore[list-item]
    "rules[1]": lambda engine, outcome: tollens.Engine(["x", ""]),
    "project_roots": lambda engine, outcome: tollens.Engine(project_roots="src"),  # type: ignore[arg-type, unused-ignore]
    "project_roots[0]": lambda engine, outcome: tollens.Engine(project_roots=["a\0b"]),
    "evaluator": lambda engine, outcome: tollens.Engine(evaluator=3),  # type: ignore[arg-type]
    "worker": lambda engine, outcome: tollens.Engine(worker="yes"),  # type: ignore[arg-type]
    "memory_limit_mb": lambda engine, outcome: tollens.Engine(memory_limit_mb="x"),  # type: ignore[arg-type]
    "time_limit_s": lambda engine, outcome: tollens.Engine(time_limit_s=None),  # type: ignore[arg-type]
    "keep_runs": lambda engine, outcome: tollens.Engine(keep_runs=3),  # type: ignore[arg-type]
    "work_folder": lambda engine, outcome: tollens.Engine(work_folder=b"x"),  # type: ignore[arg-type]
    "signal": lambda engine, outcome: engine.diagnose(None),  # type: ignore[arg-type]
    "source": lambda engine, outcome: engine.diagnose("x", source=3),  # type: ignore[arg-type]
    "timestamp": lambda engine, outcome: engine.diagnose("x", timestamp=3),  # type: ignore[arg-type]
    "outcome": lambda engine, outcome: engine.record_diagnosis("fix-login", {}),  # type: ignore[arg-type]
    "instrumented": lambda engine, outcome: engine.record_diagnosis("fix-login", outcome, instrumented=1),  # type: ignore[arg-type]
    "work": lambda engine, outcome: engine.record_repair(None, True),  # type: ignore[arg-type]
    "resolved": lambda engine, outcome: engine.record_repair("fix-login", "no"),  # type: ignore[arg-type]
    "run": lambda engine, outcome: engine.record_repair("fix-login", True, run=7),  # type: ignore[arg-type]
    "name": lambda engine, outcome: outcome.why(3),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("name", WRONG)
def test_a_value_of_a_wrong_type_is_an_input_error_that_names_the_right_one(name: str, signal_text: str, tmp_path: Path) -> None:
    engine = tollens.Engine(work_folder=tmp_path / "work")
    outcome = engine.diagnose(signal_text)
    with pytest.raises(tollens.InputError) as caught:
        WRONG[name](engine, outcome)
    assert caught.value.message.startswith(f"{name} is ")
    assert caught.value.expected
    assert not (tmp_path / "work").exists()


def test_packs_may_come_from_any_iterable_and_are_named_as_given(pack: Any, signal_text: str) -> None:
    with tollens.Engine(iter([pack.folder]), worker=True) as there:  # type: ignore[arg-type]
        record = there.diagnose(signal_text).record
    here = tollens.Engine(folder for folder in [pack.folder]).diagnose(signal_text).record  # type: ignore[arg-type]
    assert here == record
    assert [row.get("given") for row in record["packs"]] == [None, str(pack.folder)]


def test_a_folder_that_is_gone_is_an_input_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(tollens.InputError, match="cannot be found"):
        tollens.Engine(["x"])
    with pytest.raises(tollens.InputError, match="cannot be found"):
        tollens.Engine(project_roots=["x"])
    with pytest.raises(tollens.InputError, match="cannot be found"):
        tollens.Engine()
    assert tollens.Engine(work_folder=tmp_path).diagnose("x").outcome == "insufficient_evidence"


@pytest.mark.parametrize("worker", [False, True])
def test_a_closed_engine_says_so(worker: bool, signal_text: str) -> None:
    with tollens.Engine(worker=worker) as engine:
        engine.diagnose(signal_text)
    engine.close()
    with pytest.raises(tollens.InputError, match="closed"):
        engine.diagnose(signal_text)
    assert engine.worker_pid is None


@pytest.mark.parametrize("worker", [False, True])
@pytest.mark.parametrize("text", ["a\udc80b", chr(0xD800), "\x00", "\u2028x", ""])
def test_any_text_is_an_outcome(text: str, worker: bool) -> None:
    with tollens.Engine(worker=worker) as engine:
        assert engine.diagnose(text, source="a\udc80").outcome == "insufficient_evidence"


def test_reload_keeps_the_last_good_rules(pack: Any, signal_text: str) -> None:
    engine = tollens.Engine([pack.folder])
    first = engine.digest
    assert engine.reload() == (False, first, ())
    pack.write(one="B")
    report = engine.reload()
    assert report
    assert (report.changed, report.digest) == (True, engine.digest)
    assert engine.digest != first
    assert "one is B" in questions(engine.diagnose(signal_text))
    pack.put("one", "stage: grounds\nrules: [{id: broken, when: [nothing: {}]}]\n")
    broken = engine.reload()
    assert not broken
    assert (broken.changed, broken.digest) == (False, report.digest)
    assert any("one.yaml" in str(error.place) for error in broken.errors)
    assert engine.diagnose(signal_text).result["pack"]["digest"] == report.digest
    pack.folder.rename(pack.folder.with_name("gone"))
    assert not engine.reload()
    pack.folder.with_name("gone").rename(pack.folder)
    pack.write(one="A")
    assert engine.reload().digest == first


def questions(outcome: tollens.Outcome) -> list[str]:
    """The questions of the user pack's two rules."""
    return sorted(text for text in outcome.result["diagnosis"]["unresolved_questions"] if text.startswith(("one is", "two is")))


def states(pack: Any) -> dict[str, list[str]]:
    """What each state of the pack asks, by its digest."""
    found = {}
    for one in "AB":
        for two in "AB":
            pack.write(one=one, two=two)
            found[tollens.Engine([pack.folder]).digest] = [f"one is {one}", f"two is {two}"]
    return found


class Diagnosing:
    """Four threads that diagnose without a pause and keep what they saw."""

    def __init__(self, engine: tollens.Engine, text: str) -> None:
        self.seen: list[tuple[str, list[str]]] = []
        self.faults: list[BaseException] = []
        self._stop = Event()
        self._threads = [Thread(target=self._run, args=(engine, text)) for _ in range(4)]

    def _run(self, engine: tollens.Engine, text: str) -> None:
        try:
            while not self._stop.is_set():
                outcome = engine.diagnose(text)
                self.seen.append((outcome.result["pack"]["digest"], questions(outcome)))
        except BaseException as fault:  # noqa: BLE001 - a thread's fault has to reach the test
            self.faults.append(fault)

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()


@pytest.mark.parametrize("worker", [False, True])
def test_a_pack_edited_while_threads_diagnose_never_gives_a_mixed_digest(
    worker: bool, pack: Any, signal_text: str, budget: Callable[[int, int], int]
) -> None:
    known = states(pack)
    whole = {digest for digest, asked in known.items() if asked[0][-1] == asked[1][-1]}
    pack.write(one="A", two="A")
    with tollens.Engine([pack.folder], worker=worker) as engine, Diagnosing(engine, signal_text) as threads:
        for turn in range(budget(25, 400)):
            version = "BA"[turn % 2]
            pack.write(one=version, two=version)
            report = engine.reload()
            assert report
            assert known[report.digest] == [f"one is {version}", f"two is {version}"]
            seen = len(threads.seen)
            while len(threads.seen) < seen + 4 and not threads.faults:
                Event().wait(0.001)
    assert threads.faults == []
    assert {digest for digest, _ in threads.seen} == whole
    assert all(known[digest] == asked for digest, asked in threads.seen)


def test_reloading_in_the_middle_of_an_edit_gives_a_state_that_was_there(
    pack: Any, signal_text: str, budget: Callable[[int, int], int]
) -> None:
    known = states(pack)
    engine = tollens.Engine([pack.folder])
    done = Event()

    def edit() -> None:
        for turn in range(budget(60, 2000)):
            pack.write(one="AB"[turn % 2], two="AB"[turn % 2])
            done.wait(0.02)
        done.set()

    editor = Thread(target=edit)
    with Diagnosing(engine, signal_text) as threads:
        editor.start()
        reports = []
        while not done.is_set():
            reports.append(engine.reload())
        editor.join()
    assert threads.faults == []
    assert all(known[digest] == asked for digest, asked in threads.seen)
    assert all("kept changing" in report.errors[0].message for report in reports if not report)
    assert len({report.digest for report in reports}) > 1


def test_a_pack_that_is_mended_while_its_errors_are_collected_is_an_error_still(pack: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = tollens.Engine([pack.folder])
    real = vars(load)["read_pack"]
    calls: list[object] = []

    def failing_once(folder: Path) -> object:
        calls.append(folder)
        if len(calls) == 2:  # the user's pack, the first time that it is read
            raise tollens.PackError("kept changing")
        return real(folder)

    monkeypatch.setattr(load, "read_pack", failing_once)
    assert [error.message for error in engine.reload().errors] == ["kept changing"]
    assert engine.reload()


def test_relative_packs_are_found_after_a_change_of_folder(pack: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(pack.folder.parent)
    engine = tollens.Engine(["mine"])
    monkeypatch.chdir(os.sep)
    assert engine.reload()
