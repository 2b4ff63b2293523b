"""Why: whoever edits a rule trusts `diff` to name every verdict that changes, none that does not, and the rule that did it."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tollens.engine.bench.diff import books, compare, signals
from tollens.engine.bench.diff_revisions import pack_at
from tollens.engine.diagnosis.driver import Options, diagnose
from tollens.engine.diagnosis.packs import BUILTIN, rulebook
from tollens.engine.errors import InputError
from tollens.engine.session.choose import choose

OLD_ROW = '{pattern: says.none_value, failure_class: "null", rank: 10,'
NEW_ROW = "{pattern: says.none_value, failure_class: type, rank: 10,"

SIGNAL = 'Traceback (most recent call last):\n  File "src/app.py", line 3, in total\n    return order.price\n{error}\n'


@pytest.fixture
def edited(tmp_path: Path) -> tuple[Path, Path]:
    """The taxonomy before and after one row of it was edited."""
    old, new = tmp_path / "old", tmp_path / "new"
    shutil.copytree(BUILTIN[0], old)
    shutil.copytree(BUILTIN[0], new)
    text = (new / "taxonomy.yaml").read_text(encoding="utf-8")
    assert text.count(OLD_ROW) == 1
    (new / "taxonomy.yaml").write_text(text.replace(OLD_ROW, NEW_ROW), encoding="utf-8")
    return old, new


def test_an_edit_of_the_taxonomy_changes_exactly_what_two_full_runs_say(edited: tuple[Path, Path], root: Path) -> None:
    corpus = root / "fixtures/signals"
    files = signals(corpus, "*.txt")
    evaluator = choose("auto")[0]
    done = compare(*books(*edited), corpus, files, evaluator)
    assert (done.compared, done.unread) == (len(files), ())
    before, after = (rulebook((), builtin=(pack,), cached=False) for pack in edited)
    expected: dict[str, list[str]] = {}
    for file in files:
        name, data = file.relative_to(corpus).as_posix(), file.read_bytes()
        first, second = (diagnose(data, book, evaluator, Options(name)).result for book in (before, after))
        aside = ("pack", "run_id", "evaluator", "evidence_pack_id")
        different = [key for key in first if key not in aside and first[key] != second[key]]
        if different:
            expected[name] = different
    assert expected, "the edit changes something"
    assert [one.name for one in done.changed] == list(expected)
    for one in done.changed:
        parts = {change.path.replace("[", ".").split(".")[0] for change in one.changes}
        assert parts <= set(expected[one.name])
        classes = [change for change in one.changes if change.path == "classification.failure_class"]
        assert [(change.what, change.before, change.after) for change in classes] in ([], [("verdict", "null", "type")])
        assert all("row of class_by_message {pattern: says.none_value" in name for name in one.by), one.by
        assert one.by


def test_the_same_pack_twice_changes_nothing(root: Path) -> None:
    book = rulebook(cached=False)
    corpus = root / "fixtures/signals"
    assert compare(book, book, corpus, signals(corpus, "shopping-*.txt"), choose("auto")[0]).changed == ()


@pytest.fixture
def gate(tmp_path: Path, write: Callable[..., Path]) -> Path:
    """A corpus of three signals, and a pack of one rule that concerns two of them."""
    corpus = tmp_path / "corpus"
    (corpus / "deep").mkdir(parents=True)
    (corpus / "deep/one.txt").write_text(SIGNAL.format(error="shop.OutOfStock: nothing left"), encoding="utf-8")
    (corpus / "two.log").write_text(SIGNAL.format(error="shop.OutOfStock: none"), encoding="utf-8")
    (corpus / "three.txt").write_text(SIGNAL.format(error="ValueError: bad"), encoding="utf-8")
    (corpus / ".hidden").write_text("x", encoding="utf-8")
    write(
        rules="stage: grounds\nrules:\n  - {id: mine.stock, says: s, when: [signal: {as: s, class_name: shop.OutOfStock}, primary: {signal: $s}], then: [question: {text: sold out?}]}\n"
    )
    return corpus


def test_the_command_is_a_gate_with_an_accept_step(tollens: Callable[..., Any], gate: Path, tmp_path: Path) -> None:
    done = tollens("rules", "diff", "-", "mine", "--corpus", "corpus")
    assert done.returncode == 2
    assert "deep/one.txt\n" in done.stdout
    assert "by mine.stock" in done.stdout
    assert done.stdout.endswith("2 of 3 signals change\n")
    assert tollens("rules", "diff", "mine", "mine", "--corpus", "corpus").stdout == "0 of 3 signals change\n"
    assert tollens("rules", "diff", "-", "mine", "--corpus", "corpus", "--glob", "*.log").stdout.endswith("1 of 1 signals change\n")
    assert tollens("rules", "diff", "-", "mine", "--corpus", "corpus", "--accept", "ok.json", "--update").returncode == 0
    done = tollens("rules", "diff", "-", "mine", "--corpus", "corpus", "--accept", "ok.json")
    assert done.returncode == 0
    assert "two.log (accepted)" in done.stdout
    rules = tmp_path / "mine/rules.yaml"
    rules.write_text(rules.read_text(encoding="utf-8").replace("sold out?", "is it sold out?"), encoding="utf-8")
    done = tollens("rules", "diff", "-", "mine", "--corpus", "corpus", "--accept", "ok.json", "--format", "json")
    assert done.returncode == 2, "another change than the accepted one"
    data = json.loads(done.stdout)
    assert [(one["signal"], one["accepted"], one["by"]) for one in data["changed"]] == [
        ("deep/one.txt", False, ["mine.stock"]),
        ("two.log", False, ["mine.stock"]),
    ]
    assert data["changed"][0]["changes"][0]["what"] == "reason"


def test_a_revision_of_git_stands_for_a_pack(tollens: Callable[..., Any], gate: Path, tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", "-C", str(tmp_path), *identity, *arguments], check=True, capture_output=True)

    git("init", "-q")
    git("add", "mine")
    git("commit", "-qm", "one")
    rules = tmp_path / "mine/rules.yaml"
    rules.write_text(rules.read_text(encoding="utf-8").replace("sold out?", "is it sold out?"), encoding="utf-8")
    done = tollens("rules", "diff", "HEAD:mine", "mine", "--corpus", "corpus")
    assert done.returncode == 2, done.stderr
    assert "sold out? -> is it sold out?" in done.stdout
    assert "nothing -> " not in done.stdout
    (tmp_path / "mine/sub").mkdir()
    assert tollens("rules", "diff", "HEAD:mine", "HEAD:mine", "--corpus", "corpus").returncode == 0
    for name, message in [
        ("HEAD:nowhere", "has no folder"),
        ("no-such:mine", "git: "),
        ("nowhere", "there is no folder"),
        ("-x:mine", "cannot be a revision"),
    ]:
        done = tollens("rules", "diff", "--corpus", "corpus", "--", name, "mine")
        assert done.returncode == 2
        assert message in done.stderr, done.stderr


def test_a_file_that_vanishes_or_is_too_large_is_told_and_the_rest_is_compared(gate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = signals(gate)
    assert [file.name for file in files] == ["one.txt", "three.txt", "two.log"]
    files[1].unlink()
    files[2].write_text("x" * 200, encoding="utf-8")
    monkeypatch.setattr("tollens.engine.bench.diff.SIGNAL_LIMIT", 150)
    book = rulebook(cached=False)
    done = compare(book, book, gate, files, choose("auto")[0])
    assert done.compared == 1
    assert [name for name, _ in done.unread] == ["three.txt", "two.log"]


def test_bad_input_is_one_error(tollens: Callable[..., Any], gate: Path, tmp_path: Path, write: Callable[..., Path]) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad.json").write_text("[1]", encoding="utf-8")
    write("stages: [\n", name="broken")
    for arguments, message in [
        (("-", "mine", "--corpus", "gone"), "there is no corpus gone"),
        (("-", "mine", "--corpus", "empty"), "holds no file"),
        (("-", "mine", "--corpus", "corpus", "--accept", "bad.json"), "does not hold accepted changes"),
        (("-", "mine", "--corpus", "corpus", "--update"), "--update needs a file"),
        (("-", "broken", "--corpus", "corpus"), "broken/pack.yaml"),
    ]:
        done = tollens("rules", "diff", *arguments)
        assert done.returncode == 2
        assert message in done.stderr
        assert done.stderr.count("error:") == 1


def test_a_rule_that_breaks_the_run_is_a_change_of_the_verdict(write: Callable[..., Path], gate: Path) -> None:
    rule = "  - {id: mine.%s, when: [primary: {as: p}], then: [classified: {signal: $p.signal, failure_class: %s, basis: b, fit: good, subreason: s}]}\n"
    broken = write(name="fights", rules="stage: pin\nrules:\n" + rule % ("a", "syntax"))
    done = compare(*books(None, broken), gate, signals(gate, "three.txt"), choose("reference")[0])
    assert str(done.changed[0].changes[0].after).startswith("error: ")
    assert done.changed[0].by == ("mine.a",)


def test_git_is_asked_in_the_folder_of_the_pack(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="git"), pack_at(f"HEAD:{tmp_path}/x"):
        pass
