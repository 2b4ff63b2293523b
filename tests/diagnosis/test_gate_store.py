"""Why: many processes report on one work item, any of them can be killed at any moment, and the verdict must still be that of all attempts."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tollens.engine.diagnosis import work as work_module
from tollens.engine.diagnosis.gate import RepairGate, record_diagnosis, record_repair, settle
from tollens.engine.diagnosis.work import WorkStore, checked_name
from tollens.engine.errors import InputError
from tollens.engine.session.reference import Reference

REFERENCE = Reference()


def result(run: str, *, cited: bool = True, populated: bool = True, **more: Any) -> dict[str, Any]:
    """What the gate reads of a printed result."""
    outcome = "diagnosis" if cited and populated else "insufficient_evidence"
    return {"run_id": run, "outcome": outcome, "citation_gate": cited, "hierarchy_populated": populated, **more}


@pytest.fixture
def store(tmp_path: Path) -> WorkStore:
    return WorkStore(tmp_path / "items")


def kept(store: WorkStore, work: str = "w") -> dict[str, Any]:
    data: dict[str, Any] = json.loads(Path(store.path(work), "gate.json").read_text(encoding="ascii"))
    return data


def names(store: WorkStore, work: str = "w") -> list[str]:
    return sorted(file.name for file in Path(store.path(work)).iterdir())


def test_each_transition_is_kept_as_it_is_told(store: WorkStore) -> None:
    def diagnosis(run: str, **said: Any) -> RepairGate:
        probed = said.pop("instrumented", False)
        return record_diagnosis(store, "w", result(run, **said), REFERENCE, instrumented=probed)

    def repair(resolved: bool) -> RepairGate:
        return record_repair(store, "w", resolved, REFERENCE)

    steps: list[tuple[Callable[[], RepairGate], str, str | None]] = [
        (lambda: settle(store, "w", REFERENCE), "locked", None),
        (lambda: diagnosis("a", cited=False), "locked", "a"),
        (lambda: diagnosis("b"), "unlocked", "b"),
        (lambda: repair(False), "escalated", "b"),
        (lambda: diagnosis("c"), "escalated", "c"),
        (lambda: diagnosis("d", populated=False, instrumented=True), "escalated", "d"),
        (lambda: diagnosis("e", instrumented=True, stamped=True), "escalated", "e"),
        (lambda: diagnosis("f", instrumented=True), "unlocked", "f"),
        (lambda: repair(False), "locked", "f"),
        (lambda: diagnosis("g"), "unlocked", "g"),
        (lambda: repair(True), "locked", "g"),
    ]
    for number, (step, state, run) in enumerate(steps):
        gate = step()
        assert (gate.state, gate.run, gate.attempts) == (state, run, number), number
        if number:
            assert kept(store) == gate._asdict()
            assert list(kept(store)) == ["work", "state", "why", "attempts", "run", "pack", "stamped"]
        assert settle(store, "w", REFERENCE) == gate


def test_asking_about_an_unknown_item_makes_nothing(store: WorkStore) -> None:
    assert settle(store, "w", REFERENCE).why == "no diagnosis was recorded yet"
    assert not Path(store.folder).exists()


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "../x",
        "a/b",
        "a\\b",
        "/etc",
        "x" * 300,
        "x" * 101,
        "ÄÖ",
        "a b",
        "a\n",
        "a\x00b",
        "-x",
        ".hidden",
        "x.",
        "C:",
        "~",
        "\ud800",
    ],
)
def test_a_hostile_name_is_refused_before_anything_is_touched(name: str, store: WorkStore, tmp_path: Path) -> None:
    acts: list[Callable[[], object]] = [
        lambda: checked_name(name),
        lambda: store.add(name, {"what": "repair", "resolved": True}),
        lambda: store.keep(name, {}),
        lambda: settle(store, name, REFERENCE),
        lambda: record_repair(store, name, True, REFERENCE),
    ]
    for act in acts:
        with pytest.raises(InputError, match="cannot be the name of a work item"):
            act()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["x", "issue-123", "A.b_c-d", "7", "x" * 100])
def test_a_plain_name_is_taken(name: str, store: WorkStore) -> None:
    assert record_repair(store, name, False, REFERENCE).attempts == 1


def test_a_repair_belongs_to_the_latest_diagnosis(store: WorkStore) -> None:
    with pytest.raises(InputError, match="not the latest") as caught:
        record_repair(store, "w", False, REFERENCE, run="aaaa")
    assert caught.value.expected == "a diagnosis before the repair"
    record_diagnosis(store, "w", result("aaaa1"), REFERENCE)
    record_diagnosis(store, "w", result("bbbb2"), REFERENCE)
    for stale in ("aaaa1", "", "bbbb22"):
        with pytest.raises(InputError, match="not the latest"):
            record_repair(store, "w", False, REFERENCE, run=stale)
    assert store.count("w") == 2
    record_repair(store, "w", False, REFERENCE, run="bbbb")
    assert store.attempts("w")[-1].fields["run"] == "bbbb2"


@pytest.mark.parametrize("blocked", ["items", "item"])
def test_a_gate_that_cannot_record_says_so(blocked: str, store: WorkStore, tmp_path: Path) -> None:
    target = Path(store.folder) if blocked == "items" else Path(store.path("w"))
    target.parent.mkdir(exist_ok=True)
    target.write_text("a file where a folder should be", encoding="utf-8")
    with pytest.raises(InputError, match=r"cannot be (kept|read)"):
        record_repair(store, "w", True, REFERENCE)
    with pytest.raises(InputError, match=r"cannot be (kept|read)"):
        record_diagnosis(store, "w", result("r"), REFERENCE)


@pytest.mark.parametrize("failing", ["link", "fsync", "replace"])
def test_a_disk_that_fails_leaves_nothing_half_done(failing: str, store: WorkStore, monkeypatch: pytest.MonkeyPatch) -> None:
    record_diagnosis(store, "w", result("r"), REFERENCE)

    def fail(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, failing, fail)
        with pytest.raises(InputError, match="No space left") as caught:
            record_repair(store, "w", False, REFERENCE)
    assert "hard links" in caught.value.expected
    attempts = 2 if failing == "replace" else 1
    assert names(store) == [*(f"{number:04d}.json" for number in range(1, attempts + 1)), "gate.json"]
    assert kept(store)["attempts"] == 1
    assert settle(store, "w", REFERENCE).state == ("locked" if failing == "replace" else "unlocked")
    assert kept(store)["attempts"] == attempts


SPOILT = {
    "half a file": b'{"work": "w", "num',
    "nothing": b"",
    "another item's": b'{"work": "W", "number": 2, "what": "repair", "resolved": true}',
    "another number": b'{"work": "w", "number": 3, "what": "repair", "resolved": true}',
    "a list": b"[1]",
    "more than an attempt": b'{"work": "w", "number": 2, "what": "repair", "resolved": true, "state": "unlocked"}',
    "another kind": b'{"work": "w", "number": 2, "what": "wish"}',
    "not a truth value": b'{"work": "w", "number": 2, "what": "diagnosis", "citation_gate": "yes"}',
    "bytes": bytes(range(256)),
    "deep": b"[" * 100_000,
}


@pytest.mark.parametrize("name", SPOILT)
def test_a_spoilt_attempt_locks_by_a_fault(name: str, store: WorkStore) -> None:
    record_diagnosis(store, "w", result("r"), REFERENCE)
    record_repair(store, "w", False, REFERENCE)
    Path(store.path("w"), "0002.json").write_bytes(SPOILT[name])
    with pytest.raises(InputError, match=r"0002\.json"):
        settle(store, "w", REFERENCE)


def test_an_attempt_that_was_removed_is_missed(store: WorkStore) -> None:
    for run in "abc":
        record_diagnosis(store, "w", result(run), REFERENCE)
    Path(store.path("w"), "0003.json").rename(Path(store.path("w"), "0003"))
    with pytest.raises(InputError, match="2 attempts, and its last verdict was about 3"):
        settle(store, "w", REFERENCE)
    Path(store.path("w"), "0003").rename(Path(store.path("w"), "0003.json"))
    Path(store.path("w"), "0002.json").unlink()
    with pytest.raises(InputError, match="attempt 2 of the work item w is missing"):
        settle(store, "w", REFERENCE)


@pytest.mark.parametrize(
    "text", ['{"state": "unlocked"}', "half", "[]", '{"work": "w", "state": "unlocked", "attempts": 1, "stamped": false}']
)
def test_a_verdict_that_was_made_up_is_replaced(text: str, store: WorkStore) -> None:
    record_diagnosis(store, "w", result("r", cited=False), REFERENCE)
    Path(store.path("w"), "gate.json").write_text(text, encoding="utf-8")
    assert settle(store, "w", REFERENCE).state == "locked"
    assert kept(store)["state"] == "locked"


def test_an_item_has_a_bound(store: WorkStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work_module, "MOST_ATTEMPTS", 3)
    for _ in range(3):
        record_repair(store, "w", False, REFERENCE)
    with pytest.raises(InputError, match="has 3 attempts"):
        record_repair(store, "w", False, REFERENCE)
    assert store.count("w") == 3


WRITER = """
import sys
from tollens.engine.diagnosis.gate import record_diagnosis, record_repair
from tollens.engine.diagnosis.work import WorkStore
from tollens.engine.session.reference import Reference
store, name, rounds = WorkStore(sys.argv[1]), sys.argv[2], int(sys.argv[3])
said = {"outcome": "diagnosis", "citation_gate": True, "hierarchy_populated": True}
print("ready", flush=True)
sys.stdin.read(1)
for number in range(rounds):
    if number % 2:
        record_repair(store, "w", True, Reference())
    else:
        record_diagnosis(store, "w", {"run_id": f"{name}-{number}", **said}, Reference())
"""


def start(script: str, *arguments: str) -> subprocess.Popen[str]:
    """A process that said that it is ready."""
    process = subprocess.Popen([sys.executable, "-c", script, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def test_processes_number_their_attempts_without_a_lock(store: WorkStore) -> None:
    writers, rounds = 6, 8
    processes = [start(WRITER, store.folder, str(name), str(rounds)) for name in range(writers)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("x")
        process.stdin.close()
    while any(process.poll() is None for process in processes):
        if Path(store.path("w"), "gate.json").exists():
            assert kept(store)["attempts"] >= 1  # whole at every moment
        store.attempts("w")  # each is whole, and none is missing
    for process in processes:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait() == 0
    attempts = store.attempts("w")
    assert [attempt.number for attempt in attempts] == list(range(1, writers * rounds + 1))
    runs = [attempt.fields["run"] for attempt in attempts if attempt.fields["what"] == "diagnosis"]
    assert sorted(runs) == sorted(f"{name}-{number}" for name in range(writers) for number in range(0, rounds, 2))
    assert kept(store)["attempts"] == writers * rounds
    before = kept(store)
    assert settle(store, "w", REFERENCE)._asdict() == before
    assert not [name for name in names(store) if name.endswith(".tmp")]


STUCK = """
import sys, time
from tollens.engine.diagnosis import work
from tollens.engine.diagnosis.gate import record_repair
from tollens.engine.session.reference import Reference
def stop(*arguments):
    print("ready", flush=True)
    time.sleep(600)
setattr(work.os, sys.argv[2], stop)
record_repair(work.WorkStore(sys.argv[1]), "w", False, Reference())
"""


@pytest.mark.parametrize(("at", "attempts"), [("fsync", 1), ("link", 1), ("replace", 2)])
def test_a_writer_that_is_killed_spoils_nothing(at: str, attempts: int, store: WorkStore) -> None:
    record_diagnosis(store, "w", result("r"), REFERENCE)
    process = start(STUCK, store.folder, at)
    process.kill()
    process.communicate()
    assert store.count("w") == attempts
    left = [name for name in names(store) if name.endswith(".tmp")]
    assert len(left) == 1
    # The verdict that it could not replace is about fewer attempts than there are: that is how a reader knows it for an old one.
    assert kept(store)["attempts"] == 1
    gate = settle(store, "w", REFERENCE)
    assert (gate.state, gate.attempts) == ("unlocked" if attempts == 1 else "locked", attempts)
    assert kept(store) == gate._asdict()
    old = time.time() - 3600
    os.utime(Path(store.path("w"), left[0]), (old, old))
    assert record_repair(store, "w", True, REFERENCE).attempts == attempts + 1
    assert not [name for name in names(store) if name.endswith(".tmp")]


def test_the_last_of_several_writers_has_seen_everything(store: WorkStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process records and decides between this one's look at the attempts and its verdict, which is old when it is written."""
    real, late = store.keep, [True]

    def keep(work: str, verdict: Any) -> None:
        if late.pop() if late else False:
            record_repair(WorkStore(store.folder), "w", False, REFERENCE)
        real(work, verdict)

    monkeypatch.setattr(store, "keep", keep)
    gate = record_diagnosis(store, "w", result("r"), REFERENCE)
    assert (gate.state, gate.attempts) == ("locked", 2)
    assert kept(store)["attempts"] == 2


def test_the_same_history_gives_the_same_bytes(tmp_path: Path) -> None:
    digests = set()
    for seed in ("0", "1"):
        folder = tmp_path / seed
        process = subprocess.run(
            [sys.executable, "-c", WRITER, str(folder), "one", "4"],
            input="x",
            text=True,
            check=True,
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        assert process.returncode == 0
        digests.add(b"".join(file.read_bytes() for file in sorted((folder / "w").iterdir())))
    assert len(digests) == 1
