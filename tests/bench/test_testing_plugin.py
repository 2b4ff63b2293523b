"""Why: whoever runs pytest gets the cases when they ask for them, and must not notice the plugin when they do not."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

PLUGIN = "tollens.engine.bench.testing_plugin"
HEAD = "stages: [late]\nkinds:\n  loud: {verdict: true, fields: {signal: {ref: signal}}}\n"
RULES = 'stage: late\nrules:\n  - id: mine.loud\n    when: [{signal: {as: s, message: {ends: "!"}}}]\n    then: [{loud: {signal: $s}}]\n'
CASES = "cases:\n  - {name: calm, text: calm, exactly: [loud]}\n  - {name: loud, text: calm, expect: [{loud: {}}]}\n"
Write = Callable[..., Path]


def run(folder: Path, *arguments: str, settings: str = "") -> subprocess.CompletedProcess[str]:
    """The plugin alone in a run of pytest, as its entry point would load it."""
    (folder / "pytest.ini").write_text(f"[pytest]\n{settings}", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", PLUGIN, "-p", "no:cacheprovider", "-q", *arguments]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(command, cwd=folder, env=environment, check=False, capture_output=True, text=True)


@pytest.fixture
def folder(write: Write) -> Path:
    made = write(HEAD, files={"rules.yaml": RULES, "mine.cases.yaml": CASES})
    (made / "test_other.py").write_text("def test_other():\n    pass\n", encoding="utf-8")
    return made


def test_nothing_is_collected_or_imported_unless_asked_for(folder: Path) -> None:
    (folder / "test_other.py").write_text(
        "import sys\n\n\ndef test_other():\n    known = [name for name in sys.modules if name.startswith('tollens.')]\n"
        "    assert known == ['tollens.engine', 'tollens.engine.version', 'tollens.engine.bench', 'tollens.engine.bench.testing_plugin']\n",
        encoding="utf-8",
    )
    done = run(folder)
    assert "1 passed" in done.stdout, done.stdout


@pytest.mark.parametrize(("arguments", "settings"), [(["--tollens-rules"], ""), ([], "tollens_rules = true\n")])
def test_cases_are_tests_when_asked_for(folder: Path, arguments: list[str], settings: str) -> None:
    done = run(folder, "-vv", *arguments, settings=settings)
    assert done.returncode == 1
    assert "mine.cases.yaml::calm PASSED" in done.stdout
    assert "mine.cases.yaml::loud FAILED" in done.stdout
    assert f"{folder}/mine.cases.yaml:3: missing: loud {{}}" in done.stdout
    assert "1 failed, 2 passed" in done.stdout


def test_a_case_can_be_selected_by_its_name(folder: Path) -> None:
    assert "1 passed" in run(folder, "--tollens-rules", "mine.cases.yaml::calm").stdout


def test_a_broken_pack_is_an_error_of_collection(folder: Path) -> None:
    (folder / "rules.yaml").write_text(RULES.replace("message", "mesage"), encoding="utf-8")
    done = run(folder, "--tollens-rules")
    assert done.returncode == 2
    assert "signal has no field 'mesage'" in done.stdout
    assert "nearest: message" in done.stdout


def test_a_pack_can_stand_alone(folder: Path) -> None:
    (folder / "pack.yaml").write_text("name: mine\nversion: 1.0.0\nlanguage: 1\nstages: [late]\nkinds:\n  loud: {fields: {a: text}}\n")
    (folder / "rules.yaml").write_text("stage: late\nfacts: [{loud: {a: x}}]\n")
    (folder / "mine.cases.yaml").write_text("cases:\n  - {name: it, expect: [{loud: {a: x}}]}\n")
    done = run(folder, "--tollens-rules", "--tollens-alone", "--tollens-evaluator", "reference", "mine.cases.yaml")
    assert "1 passed" in done.stdout, done.stdout


def test_the_entry_point_is_declared(root: Path) -> None:
    with (root / "pyproject.toml").open("rb") as file:
        assert tomllib.load(file)["project"]["entry-points"]["pytest11"] == {"tollens": PLUGIN}
