"""Why: what is mistyped, missing or set once per project is answered where it is, and what a command prints works when it is followed."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tollens.engine.interfaces import docs_command

ROOT = Path(__file__).parents[2]
SIGNAL = ROOT / "fixtures" / "signals" / "shopping-long.txt"
PATTERN = "stage: read\npatterns:\n  - {id: library.ours, over: {stack_frame: file}, regex: '^shop/pricing', says: ours}\n"


def tollens(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "TOLLENS_CACHE": str(cwd / "cache"), **environment}
    command = [sys.executable, "-m", "tollens", *arguments]
    return subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=env, timeout=120, check=False)


def refused(*arguments: str, cwd: Path) -> str:
    done = tollens(*arguments, cwd=cwd)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.startswith("error: ")
    return done.stderr


def pack(folder: Path, name: str = "mine", rules: str = PATTERN) -> Path:
    folder.mkdir()
    (folder / "pack.yaml").write_text(f"name: {name}\nversion: 1.0.0\nlanguage: 1\n", encoding="utf-8")
    (folder / "rules.yaml").write_text(rules, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("arguments", "nearest", "command"),
    [
        (("diagnos",), "diagnose", "tollens"),
        (("doctr", "--format", "json"), "doctor", "tollens"),
        (("diagnose", "--formt", "json"), "--format", "tollens diagnose"),
        (("diagnose", "--projectroot=x", "log"), "--project-root", "tollens diagnose"),
        (("diagnose", "--format", "jsn"), "json", "tollens diagnose"),
        (("diagnose", "--evaluator", "referense"), "reference", "tollens diagnose"),
        (("why", "--dept", "x", "--al"), "", "tollens why"),
        (("why", "--rnus", "x"), "--runs", "tollens why"),
        (("rules", "chek"), "check", "tollens rules"),
        (("rules", "check", "--findins", "x"), "--findings", "tollens rules check"),
        (("rules", "fmt", "--chek"), "--check", "tollens rules fmt"),
        (("runs", "lst"), "list", "tollens runs"),
        (("runs", "list", "--fromat", "json"), "--format", "tollens runs list"),
        (("gate", "shwo", "x"), "show", "tollens gate"),
        (("gate", "record", "x", "--repair", "fialed"), "failed", "tollens gate record"),
        (("why", "a", "b", "c"), "", "tollens why"),
        (("docs", "a", "b"), "", "tollens docs"),
    ],
)
def test_a_slip_names_the_nearest_word_and_the_right_help(tmp_path: Path, arguments: tuple[str, ...], nearest: str, command: str) -> None:
    lines = refused(*arguments, cwd=tmp_path).splitlines()
    assert lines[-1] == f"  next: see `{command} --help`"
    assert [line for line in lines if line.startswith("  nearest: ")] == ([f"  nearest: {nearest}"] if nearest else [])
    assert tollens(*command.split()[1:], "--help", cwd=tmp_path).returncode == 0


def test_the_list_of_commands_needs_no_library(tmp_path: Path) -> None:
    program = """
import sys
for name in ("yaml", "re2", "pydantic"):
    sys.modules[name] = None
from tollens.__main__ import main
sys.argv = ["tollens", *sys.argv[1:]]
sys.exit(main())
"""
    for arguments, code in ((("--help",), 0), (("--version",), 0), (("diagnos",), 2), ((), 2), (("doctor",), 2), (("docs", "why"), 0)):
        done = subprocess.run([sys.executable, "-c", program, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == code, (arguments, done.stderr)
        assert "part of the installation is missing" not in done.stderr, arguments
    (tmp_path / "pyproject.toml").write_text("[tool.tollens]\nrules = ['own']\n")
    done = subprocess.run([sys.executable, "-c", program, "doctor"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "")
    assert [line.split()[1] for line in done.stdout.splitlines() if line.startswith("fault")] == ["re2", "pydantic", "yaml", "packs", "in"]
    done = subprocess.run([sys.executable, "-c", program, "rules", "check"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, "part of the installation is missing" in done.stderr) == (2, True), done.stderr


def test_a_missing_command_names_the_commands(tmp_path: Path) -> None:
    assert "choices: diagnose, why, rules" in refused(cwd=tmp_path)
    assert "choices: record, show" in refused("gate", cwd=tmp_path)


@pytest.mark.parametrize("depth", ["-1", "x", "1.5", "9" * 5000, "", "²"])
def test_a_depth_that_is_none_is_told_in_words(tmp_path: Path, depth: str) -> None:
    text = refused("why", "--depth", depth, cwd=tmp_path)
    assert "is no number of levels: 0 (all of them) or more" in text
    assert "_depth" not in text


@pytest.mark.parametrize(
    "arguments",
    [
        ("diagnose", ""),
        ("diagnose", "--project-root", "", "log"),
        ("diagnose", "--rules", "", "log"),
        ("diagnose", "--runs", "", "log"),
        ("diagnose", "--work", "a", "--work-folder", "", "log"),
        ("why", "--runs", ""),
        ("runs", "list", "--runs", ""),
        ("rules", "check", ""),
        ("rules", "test", ""),
        ("rules", "fmt", ""),
        ("rules", "new", "a.b", "--in", ""),
        ("gate", "show", "a", "--work-folder", ""),
    ],
)
def test_an_empty_path_is_refused(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    assert " is empty\n" in refused(*arguments, cwd=tmp_path)


def test_a_root_that_matches_no_frame_is_told(tmp_path: Path) -> None:
    done = tollens("diagnose", "--project-root", "elsewhere", str(SIGNAL), cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr.startswith(f"notice: no frame of the signal lies under the project root elsewhere ({tmp_path}/elsewhere)")
    (tmp_path / "log").write_text(f'Traceback (most recent call last):\n  File "{tmp_path}/src/a.py", line 1, in f\n    x\nValueError: v\n')
    assert tollens("diagnose", "--project-root", "src", "log", cwd=tmp_path).stderr == ""
    (tmp_path / "none").write_text("nothing\n")
    assert tollens("diagnose", "--project-root", "src", "none", cwd=tmp_path).stderr == ""


def test_doctor_check_and_diagnosis_use_the_rules_of_the_project(tmp_path: Path) -> None:
    pack(tmp_path / "own")
    (tmp_path / "pyproject.toml").write_text("[tool.tollens]\nrules = ['own']\n")
    made = json.loads(tollens("diagnose", "--format", "json", str(SIGNAL), cwd=tmp_path).stdout)["pack"]
    shown = f"{made['name']} {made['version']} ({made['digest'][:10]})"
    assert made["name"].endswith("+mine")
    assert f"decided by       {shown}" in tollens("diagnose", str(SIGNAL), cwd=tmp_path).stdout
    checks = {check["name"]: check for check in json.loads(tollens("doctor", "--format", "json", cwd=tmp_path).stdout)["checks"]}
    assert (checks["in use"]["state"], checks["in use"]["detail"]) == ("ok", shown)
    assert checks["settings"]["detail"] == str(tmp_path / "pyproject.toml")
    assert tollens("rules", "check", cwd=tmp_path).stdout.startswith("the built-in packs and 1 pack of yours: no errors")
    (tmp_path / "own" / "rules.yaml").write_text("stage: read\nrules: 3\n")
    assert tollens("rules", "check", cwd=tmp_path).returncode == 2
    done = tollens("doctor", cwd=tmp_path)
    assert done.returncode == 2
    assert "fault in use" in done.stdout


def test_doctor_names_the_built_in_rules_as_a_diagnosis_does(tmp_path: Path) -> None:
    made = json.loads(tollens("diagnose", "--format", "json", str(SIGNAL), cwd=tmp_path).stdout)["pack"]
    assert f"{made['name']} {made['version']} ({made['digest'][:10]})" in tollens("doctor", cwd=tmp_path).stdout


def test_other_ways_to_write_the_table_count_too(tmp_path: Path) -> None:
    pack(tmp_path / "own")
    for text in (
        "[tool]\ntollens = {rules = ['own']}\n",
        "tool.tollens.rules = ['own']\n",
        "[ tool . tollens ]\nrules = ['own']\n",
        "\ufeff[tool.tollens]\nrules = ['own']\n",
    ):
        (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
        assert "1 pack of yours" in tollens("rules", "check", cwd=tmp_path).stdout, text


def test_the_folder_of_a_pack_is_kept_beside_the_run_and_changes_nothing_else(tmp_path: Path) -> None:
    pack(tmp_path / "one")
    pack(tmp_path / "mine")
    runs: dict[str, Any] = {}
    for name in ("one", "mine"):
        tollens("diagnose", "--rules", name, "--runs", f"runs-{name}", str(SIGNAL), cwd=tmp_path)
        (file,) = (tmp_path / f"runs-{name}").glob("*.json")
        runs[name] = json.loads(file.read_text())
        assert [row.get("given") for row in runs[name]["packs"]] == [None, name]
        del runs[name]["packs"][-1]["given"]
    assert runs["one"] == runs["mine"]
    told = tollens("why", "--runs", "runs-one", "last", "match", cwd=tmp_path).stdout
    assert told.count("files of mine/ are in one\n") == 1
    assert "mine/rules.yaml:3" in told
    assert "files of" not in tollens("why", "--runs", "runs-mine", cwd=tmp_path).stdout


def test_a_pack_of_the_project_is_named_as_it_is_found_from_here(tmp_path: Path) -> None:
    pack(tmp_path / "own")
    (tmp_path / "pyproject.toml").write_text("[tool.tollens]\nrules = ['own']\n")
    (tmp_path / "below").mkdir()
    tollens("diagnose", str(SIGNAL), cwd=tmp_path / "below")
    assert "files of mine/ are in ../own\n" in tollens("why", cwd=tmp_path / "below").stdout


@pytest.mark.parametrize("runs", ["elsewhere", "else where", "it's", "-x"])
def test_the_commands_that_are_shown_work(tmp_path: Path, runs: str) -> None:
    shown = tollens("diagnose", f"--runs={runs}", str(SIGNAL), cwd=tmp_path).stdout
    commands = [line.partition(": ")[2] for line in shown.splitlines() if "tollens why" in line]
    assert len(commands) == 2
    for command in commands:
        done = tollens(*shlex.split(command)[1:], cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")


def test_the_overview_is_short_and_says_how_to_see_more(tmp_path: Path) -> None:
    tollens("diagnose", str(SIGNAL), cwd=tmp_path)
    lines = tollens("why", cwd=tmp_path).stdout.splitlines()
    assert len(lines) < 80
    assert lines[-1].startswith("the top of each proof; more: `tollens why ")
    assert "facts below, not shown" in "\n".join(lines)
    for more in (("--depth", "12"), ("--all",)):
        longer = tollens("why", *more, cwd=tmp_path).stdout
        assert len(longer.splitlines()) > 2 * len(lines)
        assert "the top of each proof" not in longer
    assert "the top of each proof" not in tollens("why", "confidence", cwd=tmp_path).stdout


def test_no_row_is_cut_where_the_output_is_no_terminal(tmp_path: Path) -> None:
    result = json.loads(tollens("diagnose", "--format", "json", str(SIGNAL), cwd=tmp_path).stdout)["diagnosis"]
    page = " ".join(tollens("diagnose", str(SIGNAL), cwd=tmp_path).stdout.split())
    assert "…" not in page
    for row in result["supporting_evidence"][:6]:
        assert " ".join(row["observation"].split()) in page
    for question in result["unresolved_questions"]:
        assert " ".join(question.split()) in page


def test_a_narrow_output_stays_usable(tmp_path: Path) -> None:
    shown = tollens("diagnose", str(SIGNAL), cwd=tmp_path, COLUMNS="20").stdout
    lines = shown.splitlines()
    assert "immediate cause" in lines
    assert "  shop/pricing.py:10" in lines
    assert all(
        len(line) <= 20
        or " " not in line.strip()
        or line.startswith(("run ", "proof: ", "one verdict: "))
        or len(max(line.split(), key=len)) > 12
        for line in lines
    )
    assert " ".join(tollens("diagnose", str(SIGNAL), cwd=tmp_path).stdout.split("not known")[1].split()[:8]) in " ".join(shown.split())


def test_on_a_terminal_only_open_questions_are_never_cut(tmp_path: Path) -> None:
    question = "which of the many callers that are named in this question made the value that nobody expected to be there"
    rule = f"stage: grounds\nrules:\n  - {{id: mine.ask, when: [primary: {{as: p}}], then: [question: {{text: {question}}}]}}\n"
    mine = pack(tmp_path / "mine", rules=rule)
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "tollens", "diagnose", "--no-save", "--rules", str(mine), str(SIGNAL)]
    env = {**os.environ, "TOLLENS_CACHE": str(tmp_path / "cache"), "COLUMNS": "60", "NO_COLOR": "1"}
    process = subprocess.Popen(command, stdout=theirs, stdin=subprocess.DEVNULL, env=env, cwd=tmp_path)
    os.close(theirs)
    read = b""
    try:
        while piece := os.read(ours, 65536):
            read += piece
    except OSError:  # how Linux tells that the other side is closed
        pass
    os.close(ours)
    assert process.wait(60) == 0
    text = read.decode()
    questions = text.partition("not known")[2].partition("also failing")[0]
    assert question in " ".join(questions.split())
    assert "…" not in questions
    assert "…" in text.partition("observed")[2].partition("not known")[0]


def test_docs_shows_pages_and_sections(tmp_path: Path) -> None:
    listed = tollens("docs", cwd=tmp_path).stdout
    assert "language" in listed
    whole = tollens("docs", "language", cwd=tmp_path).stdout
    assert whole == (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
    for name in ("language#packs", "docs/language.md#packs"):
        section = tollens("docs", name, cwd=tmp_path).stdout
        assert section.startswith("## Packs\n")
        assert section in whole
        assert "## Rule files" not in section
    assert "nearest: language" in refused("docs", "langauge", cwd=tmp_path)
    assert "nearest: packs" in refused("docs", "language#pack", cwd=tmp_path)


def test_every_page_that_the_code_names_can_be_shown(tmp_path: Path) -> None:
    named = set()
    for file in (ROOT / "engine").rglob("*.py"):
        named |= set(re.findall(r"docs/([\w-]+)\.md(?:#([\w-]+))?", file.read_text(encoding="utf-8")))
    assert ("language", "packs") in named
    for page, section in sorted(named - {("NAME", "SECTION"), ("full-report", "")}):
        lines = docs_command._section(page, section) if section else docs_command._lines(page)
        assert lines, (page, section)


def test_an_error_names_a_page_as_a_command(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    text = refused("diagnose", "--rules", "empty", str(SIGNAL), cwd=tmp_path)
    assert "`tollens docs language#packs`" in text
    assert "docs/" not in text
