"""Why: a rule author lives in `tollens rules check`: all errors at once, in order, with a count and an exit code that scripts can trust."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


def check(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tollens", "rules", "check", *map(str, arguments)]
    return subprocess.run(command, check=False, capture_output=True, text=True)


@pytest.mark.smoke
def test_the_built_in_packs_are_clean() -> None:
    done = check()
    assert (done.returncode, done.stdout, done.stderr) == (0, "the built-in packs: no errors\n", "")
    done = check("--format", "json")
    assert (done.returncode, json.loads(done.stdout)) == (0, [])


def test_a_clean_pack_is_counted(pack: Any) -> None:
    done = check(pack.folder, "--findings", "rule-without-case=off")
    assert (done.returncode, done.stdout) == (0, "the built-in packs and 1 pack of yours: no errors\n")


def test_all_errors_come_at_once_in_the_order_of_the_files(pack: Any) -> None:
    pack.put("two", "stage: grounds\nrules:\n  - {id: t, says: x, when: [primry: {as: p}], then: [question: {text: $p.sgnal}]}\n")
    pack.put("one", "stage: ground\nrules:\n  - {id: o, says: x, when: [primary: {az: p}], then: [question: {text: x}]}\n")
    done = check(pack.folder)
    heads = [line for line in done.stdout.splitlines() if ": error: " in line]
    assert done.returncode == 2
    assert len(heads) >= 3
    places = [(Path(head.split(":")[0]).name, int(head.split(":")[1])) for head in heads]
    assert places == sorted(places)
    assert {name for name, _ in places} == {"one.yaml", "two.yaml"}
    assert "nearest: primary" in done.stdout
    assert done.stdout.splitlines()[-1] == f"the built-in packs and 1 pack of yours: {len(heads)} errors in 2 files"
    found = json.loads(check(pack.folder, "--format", "json").stdout)
    assert [(error["place"]["line"], error["message"]) for error in found] == [
        (int(head.split(":")[1]), head.partition(": error: ")[2]) for head in heads
    ]
    assert {error["code"] for error in found} == {"pack"}


def test_what_is_no_pack_is_an_error_without_a_place(tmp_path: Path) -> None:
    done = check(tmp_path / "nowhere")
    assert done.returncode == 2
    assert "there is no folder" in done.stdout
    assert done.stdout.endswith("the built-in packs and 1 pack of yours: 1 error\n")


def test_text_of_a_pack_cannot_act_on_a_terminal(pack: Any) -> None:
    pack.put("one", 'stage: "gr\\e[31mounds"\nrules: []\n')
    done = check(pack.folder)
    assert done.returncode == 2
    assert "\x1b" not in done.stdout
