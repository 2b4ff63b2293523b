"""Why: the list of runs is where a question begins, so it must show each run, the newest first, also beside files that are damaged."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import tollens


def listed(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tollens", "runs", "list", "--runs", str(folder), *more]
    return subprocess.run(command, check=False, capture_output=True, text=True, encoding="utf-8")


def test_no_folder_is_no_runs(tmp_path: Path) -> None:
    done = listed(tmp_path / "none")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"no runs in {tmp_path / 'none'}\n", "")
    assert json.loads(listed(tmp_path / "none", "--format", "json").stdout) == []


def test_runs_are_listed_the_newest_first(tmp_path: Path, signal_text: str) -> None:
    engine = tollens.Engine(keep_runs=tmp_path / "runs")
    first, second = engine.diagnose(signal_text, source="a.log"), engine.diagnose("nothing here")
    done = listed(tmp_path / "runs")
    head, *rows = done.stdout.splitlines()
    assert (done.returncode, head.split()) == (0, ["run", "written", "(UTC)", "outcome", "signal", "size", "pack", "symptom"])
    times = [time.gmtime((tmp_path / "runs" / f"{run.run_id}.json").stat().st_mtime) for run in (second, first)]
    assert [row.split()[:5] for row in rows] == [
        [second.run_id[:10], *time.strftime("%Y-%m-%d %H:%M", times[0]).split(), "insufficient_evidence", "signal"],
        [first.run_id[:10], *time.strftime("%Y-%m-%d %H:%M", times[1]).split(), "diagnosis", "a.log"],
    ]
    assert rows[1].endswith("AttributeError: 'NoneType' object has no attribute 'price'")
    assert f"diagnosis {first.result['pack']['version']} {first.result['pack']['digest'][:10]}" in rows[1]
    found = json.loads(listed(tmp_path / "runs", "--format", "json").stdout)
    assert [row["run_id"] for row in found] == [second.run_id, first.run_id]
    assert found[1] == {
        "run_id": first.run_id,
        "outcome": "diagnosis",
        "summary": first.result["diagnosis"]["symptom"],
        "signal": "a.log",
        "pack": first.result["pack"],
        "size": (tmp_path / "runs" / f"{first.run_id}.json").stat().st_size,
        "written": time.strftime("%Y-%m-%dT%H:%M:%SZ", times[1]),
        "fault": "",
    }
    assert found[0]["summary"] == "no signal of a known grammar was found"


def test_a_damaged_run_is_shown_as_such_and_hides_no_other(tmp_path: Path, signal_text: str) -> None:
    kept = tollens.Engine(keep_runs=tmp_path).diagnose(signal_text)
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    done = listed(tmp_path)
    assert done.returncode == 0
    assert kept.run_id[:10] in done.stdout
    assert "cannot be used: " in done.stdout
    broken = next(row for row in json.loads(listed(tmp_path, "--format", "json").stdout) if row["run_id"] == "broken")
    assert broken["fault"]
    assert broken["outcome"] is None


def test_text_of_a_signal_cannot_act_on_a_terminal(tmp_path: Path) -> None:
    text = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    x\nValueError: \x1b[31mred\n'
    tollens.Engine(keep_runs=tmp_path).diagnose(text)
    assert "\x1b" not in listed(tmp_path).stdout
