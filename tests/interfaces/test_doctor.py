"""Why: doctor is read when something does not work, so what it says must be exact, with a way on for each finding."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tollens.engine.interfaces import doctor


def absent(name: str) -> object:
    raise ImportError(f"No module named {name!r}")


@pytest.mark.smoke
def test_report_names_the_evaluator_that_this_python_can_import() -> None:
    present = subprocess.run([sys.executable, "-c", "import durable_rules_engine"], check=False, capture_output=True).returncode == 0
    assert doctor.report()["evaluator"] == ("durable_rules" if present else "reference")


def test_missing_engine_is_a_note_with_the_command_that_brings_it() -> None:
    check = doctor.evaluator_check(absent)
    assert (check.state, check.detail.split()[0]) == ("note", "reference")
    assert f"{sys.executable} -m pip install" in check.next
    assert doctor.ENGINE_RELEASE in check.next


def test_python_313_gets_the_setting_that_its_build_needs() -> None:
    assert "-DPyEval_CallObject=PyObject_CallObject" in doctor.engine_command((3, 13))
    assert "CC=" not in doctor.engine_command((3, 12))


def test_folder_checks_create_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    assert doctor.folder_check("cache", folder).state == "ok"
    assert not folder.parent.exists()


def test_folder_below_a_file_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    check = doctor.folder_check("cache", tmp_path / "file" / "below")
    assert check.state == "note"
    assert check.next


def test_a_folder_that_cannot_be_looked_into_is_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.stat

    def shut(path: Any, *more: Any, **options: Any) -> os.stat_result:
        if str(path).startswith(str(tmp_path / "shut")):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return real(path, *more, **options)

    monkeypatch.setattr(os, "stat", shut)
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert doctor.folder_check("runs", tmp_path / "shut" / "runs").state == "note"


@pytest.mark.parametrize(("state", "ok"), [("ok", True), ("note", True), ("fault", False)])
def test_only_faults_make_the_report_not_ok(state: str, ok: bool) -> None:
    assert doctor.report([doctor.Check("any", state, "detail")])["ok"] is ok


def test_lines_show_the_way_on_below_each_finding() -> None:
    shown = doctor.lines([doctor.Check("cache", "note", "cannot be written", "make it writable")])
    assert shown == ["note  cache      cannot be written", "                 next: make it writable"]


@pytest.mark.smoke
@pytest.mark.parametrize("form", ["text", "json"])
def test_command_prints_the_report_and_succeeds_here(form: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tollens", "doctor", "--format", form]
    done = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    names = [check["name"] for check in json.loads(done.stdout)["checks"]] if form == "json" else done.stdout.split()
    assert {"python", "evaluator", "packs"} <= set(names)
    assert list(tmp_path.iterdir()) == []
