"""Why: an accepted explanation must notice a changed reason, be written without touching anything else, and never over a newer file."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import tollens
from tollens.engine.bench.cases_source import Accepted, write_accepted
from tollens.engine.bench.testing import accept, plan, run
from tollens.engine.errors import InputError
from tollens.engine.rulebook.syntax import Place

HEAD = "stages: [late]\nkinds:\n  loud: {verdict: true, fields: {signal: {ref: signal}}}\n"
RULES = """\
stage: late
rules:
  - id: mine.loud
    says: "{s.class_name} shouts"
    when:
      - signal: {as: s, message: {ends: "!"}}
    then:
      - loud: {signal: $s}
"""
CASES = """\
# a comment at the top
cases:
  - name: shouting  # a comment beside a name
    text: |
      Traceback (most recent call last):
        File "/srv/app/main.py", line 3, in run
          step()
      app.Odd: stop!
    expect:
      - loud: {as: found}
    explains:
      found:  # to be accepted

  # a comment between two cases
  - {name: calm, text: calm, exactly: [loud]}
"""
Write = Callable[..., Path]
Tollens = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def folder(write: Write) -> Path:
    return write(HEAD, files={"rules.yaml": RULES, "mine.cases.yaml": CASES})


def outcomes(folder: Path) -> list[str]:
    return [result.outcome for result in tollens.run_cases([folder], evaluator="reference")]


def test_an_explanation_is_missing_until_it_is_accepted_and_wrong_when_the_reason_changes(folder: Path) -> None:
    assert outcomes(folder) == ["missing", "right"]
    (written,) = accept(run(plan([folder]), "reference"))
    text = written.read_text(encoding="utf-8")
    assert outcomes(folder) == ["right", "right"]
    before, after = CASES.split("      found:  # to be accepted\n")
    assert text.startswith(before + "      found: |\n        app.Odd shouts\n")
    assert text.endswith(after)
    assert "mine.loud" in text
    assert "rules.yaml" not in text, "an explanation does not change with the lines of rule files"
    assert accept(run(plan([folder]), "reference")) == []

    (folder / "rules.yaml").write_text("\n\n" + RULES.replace("shouts", "cries"), encoding="utf-8")
    (result, _) = tollens.run_cases([folder], evaluator="reference")
    assert result.outcome == "wrong"
    assert "-app.Odd shouts\n+app.Odd cries" in result.findings[0].text
    accept(run(plan([folder]), "reference"))
    assert outcomes(folder) == ["right", "right"]
    assert (folder / "mine.cases.yaml").read_text(encoding="utf-8") == text.replace("shouts", "cries")


def test_both_evaluators_explain_in_the_same_words(folder: Path) -> None:
    pytest.importorskip("durable_rules_engine", reason="the production evaluator is not installed")
    accept(run(plan([folder]), "reference"))
    assert {result.outcome for result in tollens.run_cases([folder], evaluator="durable_rules")} == {"right"}


def test_the_command_accepts(folder: Path, tollens: Tollens) -> None:
    done = tollens("rules", "test", folder, "--accept")
    assert done.returncode == 0
    assert f"accepted the explanations of {folder}/mine.cases.yaml" in done.stdout
    assert done.stdout.splitlines()[-1] == "2 cases in 1 file: 2 right"


def test_a_file_that_changed_meanwhile_is_left_alone(folder: Path) -> None:
    results = run(plan([folder]), "reference")
    path = folder / "mine.cases.yaml"
    path.write_text(CASES + "# an edit\n", encoding="utf-8")
    with pytest.raises(InputError, match="changed while its cases ran; nothing was written"):
        accept(results)
    assert path.read_text(encoding="utf-8") == CASES + "# an edit\n"


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_lines_end_as_they_did(tmp_path: Path, ending: str) -> None:
    path = tmp_path / "x.cases.yaml"
    data = ending.join(["explains:", "  a:", "  b: |", "    old", "", "    older", "  c: x", ""]).encode()
    path.write_bytes(data)
    write_accepted(path, data, [Accepted(Place(str(path), 2, 3), "new\n\nlines\n"), Accepted(Place(str(path), 3, 3), "newer\n")])
    expected = ["explains:", "  a: |", "    new", "", "    lines", "  b: |", "    newer", "  c: x", ""]
    assert path.read_bytes() == ending.join(expected).encode()


def test_a_label_must_stand_on_a_line_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "x.cases.yaml"
    path.write_bytes(b"explains: {a: }\n")
    with pytest.raises(InputError, match="on a line of its own"):
        write_accepted(path, b"explains: {a: }\n", [Accepted(Place(str(path), 1, 12), "new\n")])
