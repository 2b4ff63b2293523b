"""Why: a case must be told right from wrong in every form it can take, from the command line, from pytest and from a program."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import tollens
from tollens.engine.bench.cases import run_case
from tollens.engine.bench.cases_source import TRIES, _reading, read_file
from tollens.engine.bench.testing import plan, read_all
from tollens.engine.errors import InputError, PackErrors
from tollens.engine.session.reference import Reference

HEAD = """\
stages: [late]
kinds:
  loud: {verdict: true, fields: {signal: {ref: signal}, words: text}}
"""
RULES = """\
stage: late
rules:
  - id: mine.loud
    says: "{s.class_name} shouts"
    when:
      - signal: {as: s, message: {ends: "!"}}
    then:
      - loud: {signal: $s, words: $s.message}
"""
TEXT = """\
    text: |
      Traceback (most recent call last):
        File "/srv/app/main.py", line 3, in run
          step()
      app.Odd: stop!
"""
Write = Callable[..., Path]
Tollens = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def pack(write: Write) -> Callable[[str], Path]:
    """`pack(cases)`: a pack with one rule and a file of cases."""
    return lambda cases: write(HEAD, files={"rules.yaml": RULES, "mine.cases.yaml": cases})


def outcomes(folder: Path, pattern: str = "") -> list[tuple[str, str]]:
    return [(result.name, result.outcome) for result in tollens.run_cases([folder], evaluator="reference", filter=pattern)]


def test_a_case_can_be_a_traceback(pack: Callable[[str], Path]) -> None:
    folder = pack(f"""\
cases:
  - name: shouting
{TEXT}    fires: [mine.loud]
    expect:
      - signal: {{as: s, number: 1}}
      - loud: {{signal: $s, words: "stop!"}}
    exactly: [loud]
  - name: not shouting
{TEXT.replace("stop!", "stop")}    does_not_fire: [mine.loud]
    exactly: [loud]
""")
    assert outcomes(folder) == [("shouting", "right"), ("not shouting", "right")]


@pytest.mark.parametrize(
    ("expectation", "outcome", "text"),
    [
        ("expect: [{loud: {}}]", "right", ""),
        ("expect: [{loud: {}}, {loud: {}}]", "missing", "missing: loud {}"),
        ("does_not_fire: [mine.loud]", "unexpected", "unexpected: mine.loud fires"),
        ("fires: [taxonomy.own_module]", "missing", "missing: taxonomy.own_module does not fire"),
        ('expect: [{loud: {words: "go!"}}]', "wrong", "wrong: expected loud {words: go!}, found loud"),
    ],
)
def test_the_outcomes_by_name(pack: Callable[[str], Path], expectation: str, outcome: str, text: str) -> None:
    folder = pack(f"cases:\n  - name: it\n{TEXT}    {expectation}\n")
    (result,) = tollens.run_cases([folder], evaluator="reference")
    assert result.outcome == outcome
    assert [finding.text[: len(text)] for finding in result.findings] == ([text] if text else [])


def test_both_evaluators_come_to_the_same(pack: Callable[[str], Path], tollens: Tollens) -> None:
    pytest.importorskip("durable_rules_engine", reason="the production evaluator is not installed")
    folder = pack(f"cases:\n  - name: it\n{TEXT}    expect: [{{loud: {{}}}}]\n")
    done = tollens("rules", "test", folder, "--evaluator", "both")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "evaluator reference",
        "1 case in 1 file: 1 right",
        "evaluator durable_rules",
        "1 case in 1 file: 1 right",
    ]


def test_rows_make_named_cases(pack: Callable[[str], Path]) -> None:
    folder = pack("""\
cases:
  - name: loud or not
    each:
      - {message: "go!", rank: 1, loud: "go!"}
      - {message: "no", rank: 2, loud: "no!"}
    text: |
      Traceback (most recent call last):
        File "/srv/app/main.py", line 3, in run
          step()
      app.Odd: $(message)
    expect:
      - signal: {number: $(rank)}
      - loud: {words: $(loud)}
""")
    assert outcomes(folder) == [("loud or not [go!]", "right"), ("loud or not [no]", "wrong")]
    results = tollens.run_cases([folder], evaluator="reference")
    assert [result.place.line for result in results] == [4, 5]  # each row has its own line


def test_rows_that_share_their_first_value_are_named_by_all_of_them(pack: Callable[[str], Path]) -> None:
    rows = "[{a: x, b: one}, {a: x, b: two}, {a: y, b: one}]"
    folder = pack(f"cases:\n  - {{name: it, each: {rows}, exactly: [loud]}}\n")
    assert [name for name, _ in outcomes(folder)] == ["it [x, one]", "it [x, two]", "it [y]"]


def test_cases_of_a_document_share_its_text(pack: Callable[[str], Path]) -> None:
    shared = TEXT.replace("\n    ", "\n").removeprefix("    ")
    folder = pack(f"{shared}cases:\n  - {{name: one, expect: [{{loud: {{}}}}]}}\n  - {{name: two, text: calm, exactly: [loud]}}\n")
    assert outcomes(folder) == [("one", "right"), ("two", "right")]


def test_filters_by_name_file_and_rule(pack: Callable[[str], Path]) -> None:
    folder = pack(f"cases:\n  - name: one\n{TEXT}    fires: [mine.loud]\n  - {{name: two, text: calm, exactly: [loud]}}\n")
    assert [name for name, _ in outcomes(folder, pattern="o*")] == ["one"]
    assert [name for name, _ in outcomes(folder, pattern="mine.loud")] == ["one"]
    assert [name for name, _ in outcomes(folder, pattern="mine.cases.yaml")] == ["one", "two"]
    with pytest.raises(InputError, match="none of 2 cases fits 'tow'") as caught:
        outcomes(folder, pattern="tow")
    assert caught.value.nearest == "two"


@pytest.mark.parametrize(
    ("cases", "line", "message", "nearest"),
    [
        ("cases: [{name: it, fires: [mine.lood]}]", 1, "there is no rule 'mine.lood'", "mine.loud"),
        ("cases: [{name: it, does_not_fire: [mine.lood]}]", 1, "there is no rule 'mine.lood'", "mine.loud"),
        ("cases: [{name: it, text: 3, exactly: [loud]}]", 1, "`text` must be a raw signal as a text", ""),
        ("cases: [{name: it, roots: [/srv], exactly: [loud]}]", 1, "`roots` and `timestamp` say something about a `text`", ""),
        ("cases: [{name: it, each: [], exactly: [loud]}]", 1, "`each` is empty", ""),
        ("cases: [{name: it, each: [{a: 1}, {b: 1}], exactly: [loud]}]", 1, "this row of `each` has other names than the first: b", ""),
        ("cases:\n- {name: it, each: [{abc: 1}], text: $(abd), exactly: [loud]}", 2, "the rows of `each` have no 'abd'", "abc"),
        ("cases: [{name: it, exactly: [loud], explains: {x: y}}]", 1, "no expected fact is labelled 'x'", ""),
        ("equivalent: [{of: x}]", 1, "an item of `equivalent` needs `reason`", ""),
    ],
)
def test_a_file_that_does_not_fit_is_an_error_with_the_nearest(
    pack: Callable[[str], Path], cases: str, line: int, message: str, nearest: str
) -> None:
    with pytest.raises(PackErrors) as caught:
        tollens.run_cases([pack(cases + "\n")], evaluator="reference")
    found = {(error.place.line, error.message): error.nearest for error in caught.value.errors if error.place}
    assert found[(line, message)] == nearest


def test_nothing_to_run_is_an_error(write: Write, tollens: Tollens) -> None:
    folder = write()
    done = tollens("rules", "test", folder)
    assert done.returncode == 2
    assert f"error: there are no cases in {folder}" in done.stderr
    missing = tollens("rules", "test", folder / "nowhere")
    assert (missing.returncode, "there is no file or folder" in missing.stderr) == (2, True)


def test_the_command_tells_findings_with_their_lines(pack: Callable[[str], Path], tollens: Tollens) -> None:
    folder = pack("cases:\n  - name: it\n    text: calm\n    expect:\n      - loud: {}\n")
    done = tollens("rules", "test", folder)
    assert done.returncode == 2
    assert done.stdout.splitlines()[-3:] == [
        f"{folder}/mine.cases.yaml:2: missing: it",
        "  line 5: missing: loud {}",
        "1 case in 1 file: 0 right, 1 missing",
    ]
    data = json.loads(tollens("rules", "test", folder, "--format", "json").stdout)
    assert data["counts"] == {"right": 0, "missing": 1}
    assert data["cases"][0]["findings"] == [
        {"outcome": "missing", "place": {"file": f"{folder}/mine.cases.yaml", "line": 5, "column": 9}, "text": "missing: loud {}"}
    ]


def test_a_case_file_of_a_megabyte_runs(pack: Callable[[str], Path]) -> None:
    noise = "".join([f"      line {number} of a long log says nothing\n" for number in range(25_000)])
    folder = pack(f"cases:\n  - name: it\n    text: |\n{noise}    exactly: [loud]\n")
    assert (folder / "mine.cases.yaml").stat().st_size > 1_000_000
    assert outcomes(folder) == [("it", "right")]


def test_a_file_that_is_too_large_is_refused(pack: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    folder = pack("cases: []\n")
    monkeypatch.setattr("tollens.engine.bench.cases_source.FILE_LIMIT", 5)
    with pytest.raises(InputError, match="is larger than 5 bytes"):
        read_file(folder / "mine.cases.yaml")


def test_a_file_that_keeps_changing_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.cases.yaml"
    pauses: list[float] = []

    def edit(seconds: float) -> None:
        pauses.append(seconds)
        path.write_bytes(b"x" * len(pauses))

    path.write_bytes(b"0")
    monkeypatch.setattr("tollens.engine.bench.cases_source.sleep", edit)

    def reading(path: Path) -> tuple[bytes, int, int]:
        edit(0)
        return _reading(path)

    monkeypatch.setattr("tollens.engine.bench.cases_source._reading", reading)
    with pytest.raises(InputError, match=f"kept changing while it was read \\({TRIES} times\\)"):
        read_file(path)
    monkeypatch.undo()
    assert read_file(path) == b"x" * len(pauses)


def test_a_pipe_in_the_place_of_a_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.cases.yaml")
    with pytest.raises(InputError, match="is not a regular file"):
        read_file(tmp_path / "x.cases.yaml")


def test_a_pack_that_stands_alone(root: Path, tollens: Tollens) -> None:
    done = tollens("rules", "test", root / "tests/language/decisions/clusters", "--alone")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "3 cases in 1 file: 3 right")


def test_one_file_of_a_pack_can_be_named(root: Path) -> None:
    (tested,) = plan([root / "rules/gate/gate.cases.yaml"])
    assert [path.name for path in tested.files] == ["gate.cases.yaml"]
    assert tested.packs == ("gate",)
    (file,) = read_all(tested)
    assert run_case(tested.book, file.cases[0], Reference()).outcome == "right"
