"""Why: the first minute decides whether somebody writes a rule: what `new` makes must check, test and read well as it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tollens.engine.bench.fmt import formatted
from tollens.engine.bench.scaffold import scaffold
from tollens.engine.bench.words import scalar
from tollens.engine.errors import InputError
from tollens.engine.rulebook.source.nodes import Map, Scalar, Seq, read_documents
from tollens.engine.rulebook.source.problems import Problems

SIGNAL = """\
Traceback (most recent call last):
  File "src/app.py", line 3, in total
    return order.price
shop.errors.OutOfStock: nothing left of CUP-01 in 'the store'
"""


def clean(tollens: Callable[..., Any], pack: Path, cases: int) -> None:
    done = tollens("rules", "check", pack)
    assert (done.returncode, done.stdout) == (0, "the built-in packs and 1 pack of yours: no errors\n")
    done = tollens("rules", "test", pack)
    assert done.returncode == 0, done.stdout
    assert f"{cases} right" in done.stdout
    for file in pack.glob("*.yaml"):
        assert formatted(file.read_bytes(), str(file)) == file.read_text(encoding="utf-8"), file


def test_the_command_makes_a_pack_that_checks_and_tests(tollens: Callable[..., Any], tmp_path: Path) -> None:
    done = tollens("rules", "new", "shop.out_of_stock")
    assert done.returncode == 0, done.stderr
    pack = tmp_path / "my-rules"
    names = sorted(str(path.relative_to(pack)) for path in pack.rglob("*") if path.is_file())
    assert names == ["docs/shop.out_of_stock.md", "pack.yaml", "shop.out_of_stock.cases.yaml", "shop.out_of_stock.yaml"]
    clean(tollens, pack, 2)
    assert tollens("rules", "new", "shop.second", "--kind", "class_candidate").returncode == 0
    assert "stage: candidates" in (pack / "shop.second.yaml").read_text(encoding="utf-8")
    clean(tollens, pack, 4)
    assert "is there already" in tollens("rules", "new", "shop.second").stderr


def test_a_new_kind_and_stage_are_declared(tollens: Callable[..., Any], tmp_path: Path) -> None:
    assert tollens("rules", "new", "a", "--kind", "hint", "--stage", "hints", "--in", "hints pack").returncode == 0
    clean(tollens, tmp_path / "hints pack", 2)
    head = (tmp_path / "hints pack/pack.yaml").read_text(encoding="utf-8")
    assert head.startswith("name: hints-pack\n")
    assert "stages: [hints]" in head
    done = tollens("rules", "new", "b", "--kind", "other", "--in", "hints pack")
    assert done.returncode == 2
    assert "add other to its `kinds`" in done.stderr


def test_a_rule_from_a_stored_run_fires_on_that_run(tollens: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text(SIGNAL, encoding="utf-8")
    before = tollens("diagnose", "log.txt", "--format", "json").stdout
    assert "taxonomy.contract" in before, "nothing is known about this failure"
    done = tollens("rules", "new", "shop.stock", "--from", "last", "--kind", "class_candidate")
    assert done.returncode == 0, done.stderr
    pack = tmp_path / "my-rules"
    text = (pack / "shop.stock.yaml").read_text(encoding="utf-8")
    assert "class_name: shop.errors.OutOfStock, message: {contains: nothing left of CUP}" in text
    cases = (pack / "shop.stock.cases.yaml").read_text(encoding="utf-8")
    assert "- stack_frame: {signal: $s, depth: 0, file: src/app.py, line: 3, function: total" in cases
    clean(tollens, pack, 2)
    after = tollens("diagnose", "log.txt", "--format", "json", "--rules", pack).stdout
    assert "what follows from it: basis" in after


def test_bad_input_is_one_error_and_writes_nothing(tollens: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text(SIGNAL, encoding="utf-8")
    tollens("diagnose", "log.txt")
    for arguments, message in [
        (("a b",), "cannot be the id of a rule"),
        (("a", "--stage", "no-such"), "must be a name"),
        (("a", "--kind", "signal"), "no rule concludes signal"),
        (("a", "--kind", "pin"), "refers to stack_frame"),
        (("a", "--kind", "1x"), "cannot be the name of a kind"),
        (("a", "--kind", "class_candidate", "--stage", "outcome"), "would not load"),
        (("a", "--from", "nope"), "there is no stored run 'nope'"),
        (("a", "--from", "last", "--signal", "99"), "no signal 99"),
        (("a", "--signal", "1"), "--signal names a signal of a stored run"),
        (("a", "--in", "log.txt"), "is not a folder"),
        (("taxonomy.contract",), "would not load"),
    ]:
        done = tollens("rules", "new", *arguments)
        assert done.returncode == 2, arguments
        assert message in done.stderr, (arguments, done.stderr)
        assert done.stderr.count("error:") == 1
    assert not (tmp_path / "my-rules").exists()


def test_a_pack_of_a_later_language_is_one_error(tmp_path: Path, tollens: Callable[..., Any]) -> None:
    (tmp_path / "my-rules").mkdir()
    (tmp_path / "my-rules/pack.yaml").write_text("name: mine\nversion: 1.0.0\nlanguage: 2\nnew_key: 1\n", encoding="utf-8")
    done = tollens("rules", "new", "a")
    assert done.returncode == 2
    assert "this engine reads language 1, not the number 2" in done.stderr


def test_a_broken_pack_is_not_made_worse(tmp_path: Path) -> None:
    pack = tmp_path / "p"
    scaffold("a", pack)
    (pack / "a.yaml").write_text("stage: grounds\nrules: [{id: a}]\n", encoding="utf-8")
    with pytest.raises(Exception, match="needs `when`"):
        scaffold("b", pack)
    assert not (pack / "b.yaml").exists()


@pytest.mark.parametrize(
    "value",
    [None, True, 0, -3, 1.5, "a", "a b", "true", "~", "", "no", "$x", "a: b", "# a", "- a", 'q"q', "'", "\t", "é", "1", "a,b", "{", "x:"],
)
def test_values_are_read_back_as_they_were(value: object) -> None:
    node = read_documents(f"a: [{scalar(value)}]\n".encode(), "f", Problems())[0].get("a")
    assert isinstance(node, Seq)
    item = node.items[0]
    assert not isinstance(item, Map | Seq)
    assert isinstance(item, Scalar)
    assert item.value == ("$" + str(value) if str(value).startswith("$") else value)
    with pytest.raises(InputError):
        scaffold("a b", Path())
