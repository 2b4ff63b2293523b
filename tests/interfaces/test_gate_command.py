"""Why: a harness withholds its edit tools by what these commands and calls say, so words, exit codes and files must agree in every case."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tollens
from tollens.facts.views import GatedResult, Result, as_result

SILENT = "nothing that any grammar knows\n"


@pytest.fixture
def command(tmp_path: Path, signal_text: str) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run `tollens` in an empty folder; a signal that is diagnosed stands on standard input unless another text is given."""

    def run(*arguments: str, data: str = signal_text, **environment: str) -> subprocess.CompletedProcess[str]:
        env = {**os.environ, "NO_COLOR": "1", **environment}
        return subprocess.run(
            [sys.executable, "-m", "tollens", *arguments], cwd=tmp_path, input=data, capture_output=True, text=True, env=env, check=False
        )

    return run


Command = Callable[..., subprocess.CompletedProcess[str]]


def shown(command: Command, item: str = "bug-1") -> dict[str, Any]:
    done = command("gate", "show", item, "--format", "json")
    data: dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == (0 if data["state"] == "unlocked" else 4)
    return data


def test_the_whole_way_of_an_item(command: Command, tmp_path: Path) -> None:
    assert command("gate", "show", "bug-1").returncode == 4
    assert not (tmp_path / ".tollens").exists()
    first = command("diagnose", "--work", "bug-1")
    assert first.returncode == 0
    assert "repair gate      unlocked: the diagnosis of attempt 1 passed the citation check" in " ".join(first.stdout.split("\n"))
    assert shown(command)["state"] == "unlocked"
    repair = command("gate", "record", "bug-1", "--repair", "failed")
    assert (repair.returncode, repair.stderr) == (0, "")
    assert repair.stdout.startswith("bug-1: locked: the repair of attempt 2 did not resolve the failure")
    assert shown(command)["state"] == "locked"
    assert command("diagnose", "--work", "bug-1").returncode == 0
    assert shown(command)["state"] == "unlocked"
    assert command("gate", "record", "bug-1", "--repair", "failed").stdout.startswith("bug-1: escalated: 2 attempts failed in a row")
    assert command("diagnose", "--work", "bug-1").returncode == 0
    assert shown(command)["state"] == "escalated"
    assert command("diagnose", "--work", "bug-1", "--instrumented").returncode == 0
    assert shown(command)["state"] == "unlocked"
    assert command("gate", "record", "bug-1", "--repair", "resolved").stdout.startswith("bug-1: locked: the repair of attempt 7 resolved")
    assert (tmp_path / ".tollens" / ".gitignore").read_text() == "*\n"


def test_two_diagnoses_without_ground_escalate_and_keep_their_exit_code(command: Command) -> None:
    for state in ("locked", "escalated"):
        done = command("diagnose", "--work", "bug-1", data=SILENT)
        assert done.returncode == 4
        assert f"repair gate      {state}: " in done.stdout
    proof = command("gate", "show", "bug-1", "--proof")
    assert proof.returncode == 4
    assert "by rule escalation.in_a_row at gate/escalation.yaml:" in proof.stdout
    assert "given by the caller attempt 1" in proof.stdout


def test_json_says_the_same_in_one_last_field(command: Command, tmp_path: Path) -> None:
    plain = json.loads(command("diagnose", "--format", "json").stdout)
    gated = json.loads(command("diagnose", "--format", "json", "--work", "bug-1").stdout)
    assert "repair_gate" not in plain
    assert list(gated) == [*plain, "repair_gate"]
    assert list(gated["repair_gate"]) == ["work", "state", "why", "attempts"]
    assert {name: value for name, value in gated.items() if name != "repair_gate"} == plain
    kept = json.loads((tmp_path / ".tollens" / "work" / "bug-1" / "gate.json").read_text(encoding="ascii"))
    assert kept == shown(command)
    assert gated["repair_gate"] == {name: kept[name] for name in gated["repair_gate"]}
    assert (kept["run"], kept["stamped"]) == (gated["run_id"], False)
    model = as_result(gated)
    assert isinstance(model, GatedResult)
    assert json.loads(model.model_dump_json(by_alias=True)) == gated
    assert type(as_result(plain)) is Result


def test_the_run_is_the_same_with_and_without_an_item(command: Command) -> None:
    runs = {json.loads(command("diagnose", "--format", "json", *more).stdout)["run_id"] for more in ((), ("--work", "a"), ("--work", "b"))}
    assert len(runs) == 1
    assert "repair_gate" not in json.dumps(json.loads(command("runs", "list", "--format", "json").stdout))


@pytest.mark.parametrize("item", ["../x", "", "x" * 300, "Ünicode", "a/b"])
@pytest.mark.parametrize("words", [("diagnose", "--work"), ("gate", "show"), ("gate", "record", "--repair", "failed")])
def test_hostile_item_names_touch_nothing(item: str, words: tuple[str, ...], command: Command, tmp_path: Path) -> None:
    done = command(*words, item)
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot be the name of a work item" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_gate_that_cannot_record_does_not_pretend(command: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    for words in (("diagnose", "--work", "bug-1"), ("gate", "record", "bug-1", "--repair", "resolved")):
        for done in (command(*words, TOLLENS_WORK=str(tmp_path / "file")), command(*words, "--work-folder", "file")):
            assert (done.returncode, done.stdout) == (2, "")
            assert "--work-folder or TOLLENS_WORK" in done.stderr or "cannot be read" in done.stderr
    assert command("gate", "show", "bug-1", TOLLENS_WORK=str(tmp_path / "file")).returncode == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("diagnose", "--instrumented"), "--work"),
        (("diagnose", "--work-folder", "x"), "--work"),
        (("gate", "record", "bug-1"), "--repair"),
        (("gate", "record", "bug-1", "--repair", "maybe"), "resolved"),
        (("gate", "record", "bug-1", "--repair", "failed", "--run", "abc"), "not the latest"),
        (("gate",), "ACTION"),
        (("gate", "open", "bug-1"), "show"),
    ],
)
def test_usage_errors_end_with_2_and_never_with_1(arguments: tuple[str, ...], words: str, command: Command) -> None:
    done = command(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr


def user_pack(folder: Path, rules: str, head: str = "") -> str:
    pack = folder / "mine"
    pack.mkdir()
    (pack / "pack.yaml").write_text(f"name: mine\nversion: 1.0.0\nlanguage: 1\n{head}", encoding="utf-8")
    (pack / "rules.yaml").write_text(rules, encoding="utf-8")
    return str(pack)


@pytest.mark.parametrize(
    ("rules", "head"),
    [
        ("stage: grounds\n", 'disable:\n  - {id: gate.escalated, reason: "in the way"}\n'),
        (
            "stage: grounds\nrules:\n  - {id: mine.open, replaces: gate.not_earned, when: [primary: {as: p}], then: [question: {text: open}]}\n",
            "",
        ),
        (
            "stage: repair_gate\nrules:\n  - {id: mine.open, when: [work_item: {as: w}], then: [gate_state: {work: $w.work, state: unlocked, why: mine}]}\n",
            "",
        ),
    ],
)
def test_a_user_pack_that_reaches_for_the_gate_is_refused(rules: str, head: str, command: Command, tmp_path: Path) -> None:
    done = command("diagnose", "--work", "bug-1", "--rules", user_pack(tmp_path, rules, head), data=SILENT)
    assert (done.returncode, done.stdout) == (2, "")
    assert shown(command)["state"] == "locked"


def test_a_user_pack_that_speaks_of_the_gate_says_nothing_to_it(command: Command, tmp_path: Path) -> None:
    rule = "{id: mine.open, when: [raw_text: {as: r}], then: [gate_state: {work: bug-1, state: unlocked, why: mine}]}"
    done = command("diagnose", "--work", "bug-1", "--rules", user_pack(tmp_path, f"stage: grounds\nrules:\n  - {rule}\n"), data=SILENT)
    assert done.returncode == 4
    assert "repair gate      locked: " in done.stdout


@pytest.mark.parametrize(
    "worker", [False, pytest.param(True, marks=pytest.mark.skipif(os.name != "posix", reason="a worker needs a POSIX system"))]
)
def test_the_library_records_and_decides_as_the_command_does(worker: bool, command: Command, signal_text: str, tmp_path: Path) -> None:
    folder = tmp_path / ".tollens" / "work"
    with tollens.Engine(worker=worker, work_folder=folder) as engine:
        assert engine.gate("bug-1").state == "locked"
        outcome = engine.diagnose(signal_text)
        gate = engine.record_diagnosis("bug-1", outcome)
        assert isinstance(gate, tollens.RepairGate)
        assert (gate.state, gate.allows_edits, gate.run) == ("unlocked", True, outcome.run_id)
        assert gate._asdict() == shown(command)
        assert engine.record_repair("bug-1", False, run=outcome.run_id).state == "locked"
        assert engine.record_diagnosis("bug-1", engine.diagnose(SILENT)).state == "escalated"
        assert engine.record_diagnosis("bug-1", outcome).state == "escalated"
        assert engine.record_diagnosis("bug-1", outcome, instrumented=True).allows_edits
        assert engine.gate("bug-1")._asdict() == shown(command)


@pytest.mark.parametrize(
    "worker", [False, pytest.param(True, marks=pytest.mark.skipif(os.name != "posix", reason="a worker needs a POSIX system"))]
)
def test_an_outcome_with_another_run_s_result_is_refused(worker: bool, signal_text: str, tmp_path: Path) -> None:
    with tollens.Engine(worker=worker, work_folder=tmp_path / "items") as engine:
        one, other = engine.diagnose(signal_text), engine.diagnose(SILENT)
        other.result = one.result
        with pytest.raises(tollens.InputError, match="another result than the run"):
            engine.record_diagnosis("bug-1", other)
        assert engine.gate("bug-1").attempts == 0
        with pytest.raises(tollens.InputError, match="not the latest"):
            engine.record_repair("bug-1", True, run=one.run_id)


def test_the_folder_of_items_is_the_engine_s_from_its_beginning(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    engine = tollens.Engine()
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    engine.record_repair("bug-1", True)
    assert (tmp_path / ".tollens" / "work" / "bug-1" / "gate.json").is_file()
    monkeypatch.setenv("TOLLENS_WORK", str(tmp_path / "named"))
    tollens.Engine().record_repair("bug-1", True)
    assert (tmp_path / "named" / "bug-1" / "0001.json").is_file()


def test_a_diagnosis_without_an_item_loads_nothing_of_the_gate(signal_text: str, tmp_path: Path) -> None:
    script = """
import sys
from tollens.engine.interfaces.cli import main
code = main(["diagnose", "--format", "json", "--no-save"])
assert not [name for name in sys.modules if name in ("tollens.engine.diagnosis.gate", "tollens.engine.diagnosis.work")]
sys.exit(code)
"""
    subprocess.run([sys.executable, "-c", script], input=signal_text, text=True, check=True, capture_output=True, cwd=tmp_path)
