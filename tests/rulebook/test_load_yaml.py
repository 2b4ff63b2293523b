"""Why: what YAML would quietly turn into something else is an error with a place, and hostile files are refused early."""

from __future__ import annotations

import time
from typing import Any

import pytest
import yaml

from tollens.engine.errors import PackError
from tollens.engine.rulebook.source import nodes
from tollens.engine.rulebook.source.nodes import Map, Scalar, Seq, read_documents, resolve
from tollens.engine.rulebook.source.problems import Problems

FILES: list[tuple[str, str, str, str]] = [
    ("tab", "stage: main\n@@\trules: []\n", "a tab stands in the indentation", "spaces"),
    ("tab after spaces", "stage: main\nrules:\n  @@\t- id: r\n", "a tab stands in the indentation", "spaces"),
    ("alias", "stage: @@*a\n", "the alias *a is not allowed", "quotes"),
    ("anchor", "stage: @@&a main\n", "the anchor &a is not allowed", "quotes"),
    ("anchor on a list", "stage: main\nrules: @@&a []\n", "the anchor &a is not allowed", ""),
    ("tag", "stage: @@!!str main\n", "the tag", "quotes"),
    ("local tag", "stage: @@!x main\n", "the tag !x is not allowed", ""),
    ("python tag", "stage: @@!!python/object/apply:os.system [id]\n", "is not allowed", ""),
    ("merge key", "stage: main\n@@<<: {a: b}\n", "merge keys (<<) are not allowed", "repeat"),
    ("duplicate key", "stage: main\n@@stage: late\n", "the key 'stage' stands twice in this mapping; first in line 1", "remove"),
    ("list as key", "@@[a, b]: c\n", "a key must be a single text", ""),
    ("mapping as key", "@@{a: b}: c\n", "a key must be a single text", ""),
    ("colon in a text", "stage: a @@: b: c\n".replace("@@: b", "b@@"), "a `: ` where no key can stand", "quotes"),
    ("open quote", "stage: 'a\n@@", "a quoted text is not closed", "close the quotes"),
    ("open bracket", "stage: main\nrules: [a, b\n@@", "a bracket is not closed", "close"),
    ("bad indentation", "stage: main\n @@rules: []\n", "is not valid YAML", ""),
    ("at sign", "stage: @@@\n", "a character that cannot begin a value", "quotes"),
    ("escape", 'stage: "a\\@@d"\n', "unknown escape", "single quotes"),
    ("control character", "stage: a@@\x07\n", "a control character", "escape"),
    ("byte order mark inside", "stage: a@@\ufeff\n", "a control character", ""),
    ("surrogate", 'stage: "@@\\ud800"\n', "", ""),
    ("empty", "@@", "the file is empty", ""),
    ("comments only", "@@# nothing\n", "the file is empty", ""),
    ("empty document", "stage: main\n---\n@@---\nstage: main\n", "this document is empty", "rule-files"),
    ("text document", "@@hello\n", "this document is not a mapping", ""),
    ("half-written", "stage: main\nrules:\n  - id: r\n    when:\n      - stack_frame: {as: f\n@@", "a bracket is not closed", ""),
]


@pytest.mark.parametrize(("text", "message", "hint"), [case[1:] for case in FILES], ids=[case[0] for case in FILES])
def test_what_is_not_let_in(bench: Any, text: str, message: str, hint: str) -> None:
    if "@@@" in text:
        text = text.replace("@@@", "@@\0").replace("\0", "@")
    error, place = bench.only_error(text)
    assert message in error.message
    assert error.place.line == place.line
    if message and "valid YAML" not in error.message:
        assert error.place.column == place.column
    assert hint in error.next_step + error.expected


@pytest.mark.parametrize(
    ("data", "message", "line"),
    [
        (b"stage: main\n\0\n", "a binary file", 2),
        (b"\x7fELF\x02\x01\x01\0\0\0", "a binary file", 1),
        ("stage: main\n# caf\u00e9\n".encode("latin-1"), "not UTF-8", 2),
        ("stage: main\n".encode("utf-16"), "a binary file", 1),
    ],
)
def test_files_that_are_no_text(bench: Any, data: bytes, message: str, line: int) -> None:
    (error,) = bench.check(bench.pack({"a.yaml": data}))
    assert message in error.message
    assert error.place.line == line
    assert error.place.file.endswith("p/a.yaml")


def test_a_byte_order_mark_at_the_start_is_let_in(bench: Any) -> None:
    assert bench.check(bench.pack({"a.yaml": "\ufeffstage: main\n"})) == []


@pytest.mark.parametrize(
    "text",
    [
        "stage: " + "[" * 250 + "]" * 250 + "\n",
        "stage: " + "{a: " * 250 + "x" + "}" * 250 + "\n",
        "stage: " + "[" * 900_000,
        "- " * 300 + "x\n",
    ],
    ids=["lists", "mappings", "open", "block"],
)
def test_deep_nesting(bench: Any, text: str) -> None:
    started = time.perf_counter()
    errors = bench.check(bench.pack({"a.yaml": text}))
    assert any("deeper than 200 levels" in error.message for error in errors)
    assert time.perf_counter() - started < 5


def test_two_hundred_levels_are_let_in() -> None:
    problems = Problems()
    (document,) = read_documents(("a: " + "[" * 199 + "]" * 199).encode(), "f", problems)
    assert isinstance(document, Map)
    assert len(problems) == 0


def test_a_bomb_of_aliases(bench: Any) -> None:
    bomb = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))
    started = time.perf_counter()
    (error,) = bench.check(bench.pack({"a.yaml": bomb}))
    assert "the anchor &a0 is not allowed" in error.message
    assert time.perf_counter() - started < 2


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1), ("-1", -1), ("+1", 1), ("0", 0), ("01", "01"), ("1.5", 1.5), (".5", 0.5), ("1.", 1.0), ("1e3", 1000.0), ("-0.0", -0.0), ("1.0e+2", 100.0),
        ("1e", "1e"), (".", "."), ("1.2.3", "1.2.3"), ("0o7", "0o7"), ("0x1", "0x1"), ("true", True), ("false", False), ("TRUE", "TRUE"), ("yes", "yes"),
        ("null", None), ("~", None), ("", None), ("Null", "Null"), ("none", "none"), (".nan", ".nan"), ("1,5", "1,5"), ("\u0663", "\u0663"), ("9" * 40, "9" * 40),
    ],
)  # fmt: skip
def test_plain_scalars(text: str, value: object) -> None:
    assert resolve(text) == value
    assert type(resolve(text)) is type(value)


def test_places_of_keys_and_values() -> None:
    (document,) = read_documents(b"a: 1\nbb:\n  - x\n  - c: 'y'\n", "f", Problems())
    (first, one), (second, listed) = document.entries
    assert [node.place[1:] for node in (first, one, second, listed)] == [(1, 1), (1, 4), (2, 1), (3, 3)]
    assert isinstance(listed, Seq)
    inner = listed.items[1]
    assert isinstance(inner, Map)
    (key, value) = inner.entries[0]
    assert (key.place[1:], value.place[1:]) == ((4, 5), (4, 8))
    assert isinstance(value, Scalar)
    assert value.value == "y"


def test_columns_count_characters() -> None:
    (document,) = read_documents('"\u00e9\u00e9\U0001f600": x\n'.encode(), "f", Problems())
    assert document.entries[0][1].place.column == 8


def test_without_the_c_library_the_trees_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"a: [1, 'x', {b: c}]\nd:\n  - e: |\n      text\n  - ~\n---\nf: 1.5\n"
    fast = read_documents(text, "f", Problems())
    monkeypatch.setattr(nodes, "_LOADER", yaml.SafeLoader)
    assert read_documents(text, "f", Problems()) == fast
    for bad in ("a: [", "a: b: c", "a: 'x", "a:\n b: 1\n  c: 2\n", "a: @x", 'a: "\\d"'):
        with pytest.raises(PackError, match="not valid YAML"):
            read_documents(bad.encode(), "f", Problems())
