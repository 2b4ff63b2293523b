"""Why: whatever a user gives, the command line answers with one clear message, the right exit code and no traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SIGNAL = ROOT / "fixtures" / "signals" / "shopping-long.txt"


def tollens(*arguments: str, cwd: Path, data: bytes | None = None, **environment: str) -> subprocess.CompletedProcess[bytes]:
    env = {**os.environ, "TOLLENS_CACHE": str(cwd / "cache"), "NO_COLOR": "1", **environment}
    return subprocess.run(
        [sys.executable, "-m", "tollens", *arguments], cwd=cwd, input=data or b"", capture_output=True, env=env, timeout=120, check=False
    )


def refused(done: subprocess.CompletedProcess[bytes]) -> str:
    text = done.stderr.decode()
    assert done.returncode == 2, text
    assert done.stdout == b""
    assert "Traceback" not in text
    return text


def write_pack(folder: Path, rules: str, head: str = "", name: str = "mine") -> Path:
    pack = folder / name
    pack.mkdir()
    (pack / "pack.yaml").write_text(f"name: {name}\nversion: 1.0.0\nlanguage: 1\n{head}", encoding="utf-8")
    (pack / "rules.yaml").write_text(rules, encoding="utf-8")
    return pack


BAD_PACKS = {
    "half-written": ("stage: frames\nrules:\n  - id: mine.half\n    when:\n      - stack_frame: {as: f", "rules.yaml:6:1", "not closed"),
    "unknown field": (
        "stage: frames\nrules:\n  - id: mine.field\n    when:\n      - stack_frame: {as: f, fil: x}\n    then:\n      - library_frame: {frame: $f, why: x}\n",
        "rules.yaml:5:30",
        "nearest: file",
    ),
    "unknown kind": (
        "stage: frames\nrules:\n  - id: mine.kind\n    when:\n      - stak_frame: {as: f}\n    then:\n      - library_frame: {frame: $f, why: x}\n",
        "rules.yaml:5:9",
        "nearest: stack_frame",
    ),
    "cycle through unless": (
        "stage: frames\nrules:\n  - id: mine.cycle\n    when:\n      - stack_frame: {as: f}\n    unless:\n      - mark: {frame: $f}\n    then:\n      - mark: {frame: $f}\n",
        "rules.yaml:7:9",
        "cycle",
    ),
    "over a limit": (
        "stage: frames\nrules:\n  - id: mine.many\n    when:\n"
        + "".join(f"      - stack_frame: {{as: f{n}}}\n" for n in range(15))
        + "    then:\n      - mark: {frame: $f0}\n",
        "rules.yaml:5:",
        "14",
    ),
    "exploding pattern": (
        "stage: read\npatterns:\n  - {id: mine.explode, over: {signal: message}, regex: '((a{1000}){1000}){1000}'}\n",
        "rules.yaml:3:",
        "RE2",
    ),
    "backtracking pattern": (
        "stage: read\npatterns:\n  - {id: mine.look, over: {signal: message}, regex: '(?=a)b'}\n",
        "rules.yaml:3:",
        "RE2",
    ),
    "two documents, one key twice": ("stage: frames\nstage: pin\n", "rules.yaml:2:1", "stage"),
    "tab": ("stage: frames\nrules:\n\t- id: x\n", "rules.yaml:3:1", "tab"),
    "alias": ("stage: frames\nrules: &a\n  - id: x\nmore: *a\n", "rules.yaml:2:", "anchor"),
}


@pytest.mark.parametrize("name", BAD_PACKS)
def test_a_bad_pack_is_refused_with_its_place(tmp_path: Path, name: str) -> None:
    rules, place, word = BAD_PACKS[name]
    pack = write_pack(tmp_path, rules, head="kinds:\n  mark:\n    fields: {frame: {ref: stack_frame}}\n")
    text = refused(tollens("diagnose", "--rules", str(pack), str(SIGNAL), cwd=tmp_path))
    assert place in text
    assert word in text

    checked = tollens("rules", "check", str(pack), cwd=tmp_path)
    assert checked.returncode == 2
    assert place in checked.stdout.decode()
    listed = json.loads(tollens("rules", "check", "--format", "json", str(pack), cwd=tmp_path).stdout)
    assert {(Path(error["place"]["file"]).name, error["place"]["line"]) for error in listed} == {("rules.yaml", int(place.split(":")[1]))}


def test_two_packs_that_replace_one_rule_are_both_named(tmp_path: Path) -> None:
    rule = "stage: grounds\nrules:\n  - id: {0}.site\n    replaces: sites.caller\n    when:\n      - primary: {{as: p}}\n    then:\n      - question: {{text: why}}\n"
    one = write_pack(tmp_path, rule.format("one"), name="one")
    two = write_pack(tmp_path, rule.format("two"), name="two")
    text = refused(tollens("diagnose", "--rules", str(one), "--rules", str(two), str(SIGNAL), cwd=tmp_path))
    assert "sites.caller" in text
    assert "one/rules.yaml" in text
    assert "two/rules.yaml" in text


def test_an_unwritable_cache_and_run_folder_lose_nothing(tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where a folder should be")
    done = tollens(
        "diagnose",
        "--evaluator",
        "reference",
        "--format",
        "json",
        str(SIGNAL),
        cwd=tmp_path,
        TOLLENS_CACHE=str(blocked),
        TOLLENS_RUNS=str(blocked),
    )
    assert done.returncode == 0
    assert json.loads(done.stdout)["outcome"] == "diagnosis"
    text = done.stderr.decode()
    assert text.startswith("notice: the run was not stored")
    assert text.count("\n") == 1


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", 4),
        (bytes(range(256)) * 40, 4),
        (b"\xff\xfe" + "Traceback".encode("utf-16-le"), 4),
        (b"\n" * 100_000, 4),
        (b"x" * 3_000_000, 4),
    ],
)
def test_a_signal_of_nothing_is_an_outcome(tmp_path: Path, data: bytes, code: int) -> None:
    done = tollens("diagnose", "--evaluator", "reference", "--format", "json", cwd=tmp_path, data=data)
    assert (done.returncode, done.stderr) == (code, b"")
    result = json.loads(done.stdout)
    assert (result["outcome"], result["diagnosis"]) == ("insufficient_evidence", None)


def test_a_missing_signal_names_the_nearest_file(tmp_path: Path) -> None:
    (tmp_path / "failing.txt").write_bytes(b"")
    text = refused(tollens("diagnose", "failin.txt", cwd=tmp_path))
    assert "there is no file failin.txt" in text
    assert "nearest: failing.txt" in text


def test_a_folder_is_no_signal(tmp_path: Path) -> None:
    assert "is a folder" in refused(tollens("diagnose", str(tmp_path), cwd=tmp_path))


@pytest.mark.parametrize(
    "arguments", [("diagnos",), ("diagnose", "--format", "xml"), ("diagnose", "--nope"), (), ("rules",), ("rules", "chek")]
)
def test_usage_errors_say_what_is_valid(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    text = refused(tollens(*arguments, cwd=tmp_path))
    assert text.startswith("error: ")
    assert "--help" in text


@pytest.mark.parametrize(
    ("table", "place"),
    [
        ("[tool.tollens]\nrule = ['x']\n", "2:1"),
        ("[tool.tollens]\n\n  rules = 'x'\n", "3:3"),
        ("[tool.tollens]\nrules = [\n", "2:10"),
        ("[tool.tollens]\nrules = []\nrules = []\n", "3:"),
        ("[project]\nname = 'x'\n[tool]\ntollens = {rules = [1]}\n", "4:12"),
        ("[tool]\ntollens = 3\n", "2:1"),
        ("[tool.tollens]\nproject-roots = ['']\n", "2:1"),
        ("[project]\ndescription = '\udcff'\n[tool.tollens]\n", "2:16"),
    ],
)
def test_a_bad_setting_names_its_file_and_line(tmp_path: Path, table: str, place: str) -> None:
    (tmp_path / "pyproject.toml").write_bytes(table.encode("utf-8", "surrogateescape"))
    for command in (("diagnose", str(SIGNAL)), ("rules", "check"), ("rules", "test")):
        assert f"pyproject.toml:{place}" in refused(tollens(*command, cwd=tmp_path))
    told = tollens("doctor", cwd=tmp_path)
    assert told.returncode == 2
    assert f"pyproject.toml:{place}" in told.stdout.decode()


@pytest.mark.parametrize("data", [b"# \xff\n", b"[project]\nname = tollens\n"])
def test_a_settings_file_that_is_passed_over_is_told(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "pyproject.toml").write_bytes(data)
    done = tollens("diagnose", str(SIGNAL), cwd=tmp_path)
    assert done.returncode == 0
    assert "pyproject.toml was passed over" in done.stderr.decode()
    assert "pyproject.toml was passed over" in tollens("doctor", cwd=tmp_path).stdout.decode()


def test_settings_name_packs_and_roots(tmp_path: Path) -> None:
    write_pack(tmp_path, "stage: read\npatterns:\n  - {id: library.ours, over: {stack_frame: file}, regex: '^shop/pricing'}\n")
    (tmp_path / "pyproject.toml").write_text("[tool.tollens]\nrules = ['mine']\n")
    (tmp_path / "below").mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "tollens", "diagnose", "--evaluator", "reference", "--format", "json", "--no-save", str(SIGNAL)],
        cwd=tmp_path / "below",
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout)["residue"]["primary_entity"] == "shop/invoice.py:20"


def test_a_closed_pipe_is_not_a_fault(tmp_path: Path) -> None:
    done = subprocess.run(  # noqa: S602 - the pipe is what is tested
        f"{sys.executable} -m tollens diagnose --evaluator reference {SIGNAL} | head -1",
        shell=True,
        cwd=tmp_path,
        capture_output=True,
        check=False,
        executable="/bin/bash",
    )
    assert done.stdout.startswith(b"symptom")
    assert done.stderr == b""
