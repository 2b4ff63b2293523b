from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tollens.engine.explain.runs import RunStore

Why = Callable[..., tuple[int, str, str]]
Data = Callable[..., dict[str, Any]]

PROGRAM = """
import argparse, sys
from tollens.engine.interfaces import why_command
parser = argparse.ArgumentParser()
why_command.add_arguments(parser)
sys.exit(why_command.run(parser.parse_args()))
"""


@pytest.fixture
def stored(tmp_path: Path, make_data: Data) -> dict[str, Any]:
    """Two stored runs; the data of the last one, run2."""
    store = RunStore(tmp_path)
    store.save(make_data(["fail"], run_id="run1"))
    data = make_data(["an error", "fail"], run_id="run2")
    store.save(data)
    return data


def test_the_last_run_is_explained_by_its_main_verdicts(why: Why, stored: dict[str, Any]) -> None:
    code, out, err = why()
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[:5] == [
        "run run2: diagnosis, from build.log",
        "pack demo 1.0.0, evaluator reference",
        "",
        "failure_class = type",
        "the longest hit",
    ]
    assert "confidence = 0.5" in lines
    assert "2 hits are 0.5 of four" in lines


def test_a_run_and_a_fact_can_be_named(why: Why, stored: dict[str, Any]) -> None:
    code, out, _ = why("run1", "hit")
    assert code == 0
    assert out.startswith("run run1: ")
    assert "line 1 has fail of weight 0.5" in out


def test_a_lone_word_that_is_no_run_is_asked_of_the_last_one(why: Why, stored: dict[str, Any]) -> None:
    code, out, _ = why("hit")
    assert code == 0
    assert out.startswith("run run2: ")
    assert "hit: 2 facts" in out
    code, out, err = why("hitt")
    assert (code, out) == (2, "")
    assert "'hitt' is neither a stored run nor something of the last run" in err
    assert "nearest: hit\n" in err


def test_the_answer_comes_from_the_record_alone(why: Why, stored: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "run2.json"
    data = json.loads(path.read_text())
    data["rules"]["pick.longest"]["says"] = ["another sentence"]
    data["rules"]["pick.longest"]["place"] = "ignored"
    path.write_text(json.dumps(data))
    assert "another sentence" in why("run2", "best")[1]


def test_json_is_one_object_with_flat_nodes(why: Why, stored: dict[str, Any]) -> None:
    code, out, err = why("run2", "best", "--format", "json")
    assert (code, err) == (0, "")
    assert out.isascii()
    data = json.loads(out)
    assert list(data) == ["run", "outcome", "pack", "packs", "evaluator", "signal", "asked", "nodes", "rules"]
    root = data["nodes"][0]
    assert root["parent"] is None
    assert root["sentence"] == "the longest hit"
    assert root["producer"] == "chosen by pick.longest at rules/demo.yaml:60 among 2, desc $n.characters"
    assert {node["role"] for node in data["nodes"]} == {"root", "bound", "input", "absent", "lost"}
    assert data["asked"] == [{"title": "best: 1 fact", "facts": [root["fact"]["id"]], "left_out": 0}]
    assert set(data["rules"]) == {"hit.word", "pick.longest", "see.length", "see.word"}


def test_depth_and_all(why: Why, stored: dict[str, Any]) -> None:
    assert "not shown (--depth" in why("run2", "total", "--depth", "1")[1]
    assert "not shown (--depth" not in why("run2", "total", "--depth", "0")[1]
    assert "not shown" not in why("run2", "line", "--all")[1]
    with pytest.raises(SystemExit):
        why("run2", "total", "--depth", "-1")


def test_faults_go_to_stderr_with_code_two(why: Why, stored: dict[str, Any], tmp_path: Path) -> None:
    code, out, err = why("nothing", "hit")
    assert (code, out) == (2, "")
    assert err.startswith("error: there is no stored run 'nothing' in ")
    (tmp_path / "run2.json").write_text("{")
    code, out, err = why()
    assert (code, out) == (2, "")
    assert "cannot be used: it is not JSON" in err
    assert "\x1b" not in why("\x1b[91m", "hit")[2]


def test_hostile_text_reaches_no_terminal(why: Why, tmp_path: Path, make_data: Data) -> None:
    data = make_data(["error \x1b]0;title\x07\u202e"], run_id="run3")
    data["signal"]["name"] = "log\x1b[2J"
    data["outcome"] = "\x1b[91m"
    RunStore(tmp_path).save(data)
    for encoding in ("utf-8", "ascii"):
        out = why("run3", "--all", encoding=encoding)[1]
        assert out.replace("\n", "").isprintable()
        assert "log\\x1b[2J" in out


def program(folder: Path, *arguments: str, **options: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", PROGRAM, *arguments, "--runs", str(folder)], **options)


def test_a_reader_that_goes_away_is_no_fault(tmp_path: Path, make_data: Data) -> None:
    RunStore(tmp_path).save(make_data([f"error {number} " + "x" * 200 for number in range(500)]))
    process = program(tmp_path, "last", "line", "--all", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr is not None
    err = process.stderr.read()
    process.stderr.close()
    assert (process.wait(), err) == (0, b"")


def on_terminal(folder: Path, columns: int, **environment: str) -> str:
    """What the command writes to a terminal of that width."""
    pty, fcntl, termios = pytest.importorskip("pty"), pytest.importorskip("fcntl"), pytest.importorskip("termios")
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    base = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    process = program(folder, "last", "hit", stdout=theirs, env=base | {"TERM": "xterm", "PYTHONUTF8": "1"} | environment)
    os.close(theirs)
    text = b""
    try:
        while part := os.read(ours, 65536):
            text += part
    except OSError:  # how a terminal says that nobody writes any more
        pass
    os.close(ours)
    assert process.wait() == 0
    return text.decode().replace("\r\n", "\n")


def test_a_terminal_gets_colour_and_its_own_width(tmp_path: Path, make_data: Data) -> None:
    RunStore(tmp_path).save(make_data(["word " * 40 + "error " + "more " * 40]))
    coloured = on_terminal(tmp_path, 70)
    assert "\x1b[91m" in coloured
    plain = on_terminal(tmp_path, 70, NO_COLOR="1")
    assert "\x1b" not in plain
    assert "\x1b" not in on_terminal(tmp_path, 70, TERM="dumb")
    assert "…" in plain
    raw = [line for line in plain.splitlines() if "line 1 |" in line or line.rstrip().endswith("^")]
    assert raw
    assert max(map(len, raw)) <= 70
    assert [line for line in raw if "…" in line and "error" in line]
