"""Why: a pack changes another one by explicit steps only, and every clash of two packs names both places."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest


def head(name: str, more: str = "") -> str:
    return f"name: {name}\nversion: 1.0.0\nlanguage: 1\n{more}"


def rules(*entries: str, stage: str = "main") -> str:
    return f"stage: {stage}\nrules:\n" + "".join(entries)


def rule(name: str, depth: int = 1, more: str = "") -> str:
    return f"  - {{id: {name}, when: [{{stack_frame: {{as: f}}}}], then: [{{good: {{frame: $f, depth: {depth}}}}}]{more}}}\n"


@pytest.fixture
def base(bench: Any) -> Any:
    """A built-in pack with three rules, the last of them sealed."""
    return bench.pack({"a.yaml": rules(rule("one"), rule("two", 2), rule("three", 3, ", sealed: true"))}, "base")


def listed(book: Any) -> list[tuple[str, int, str, str]]:
    found = [(r.meta.id, r.meta.index, r.meta.stage, r.meta.pack) for stage in book.stages for r in stage.rules]
    return sorted(found, key=lambda item: item[1])


def test_entries_are_numbered_over_all_packs(bench: Any, base: Any) -> None:
    user = bench.pack({"pack.yaml": head("user"), "z.yaml": rules(rule("z")), "b.yaml": rules(rule("b"), stage="early")}, "user")
    book = bench.load(user, builtin=(base,))
    assert listed(book) == [
        ("one", 0, "main", "mine"),
        ("two", 1, "main", "mine"),
        ("three", 2, "main", "mine"),
        ("b", 3, "early", "user"),
        ("z", 4, "main", "user"),
    ]


def test_order_within_a_file_is_the_order_written(bench: Any) -> None:
    text = (
        "stage: main\nelect:\n  - {id: e, from: [{stack_frame: {as: f}}], by: [{asc: $f.seq}], into: {helper: {frame: $f}}}\n"
        "rules:\n" + rule("r") + "---\nstage: early\npatterns:\n  - {id: p, over: {stack_frame: file}, regex: x}\n"
    )
    book = bench.rules(text)
    assert [book.stages[1].elects[0].meta.index, book.stages[1].rules[0].meta.index, book.stages[0].patterns[0].meta.index] == [0, 1, 2]


def test_a_replacement_takes_the_place_of_what_it_replaces(bench: Any, base: Any) -> None:
    user = bench.pack({"pack.yaml": head("user"), "r.yaml": rules(rule("mine.one", 9, ", replaces: one"), stage="early")}, "user")
    book = bench.load(user, builtin=(base,))
    assert listed(book) == [("mine.one", 0, "early", "user"), ("two", 1, "main", "mine"), ("three", 2, "main", "mine")]
    assert book.stages[0].rules[0].meta.replaces == "one"


def test_a_replacement_may_keep_the_id(bench: Any, base: Any) -> None:
    user = bench.pack({"pack.yaml": head("user"), "r.yaml": rules(rule("one", 9, ", replaces: one"))}, "user")
    assert listed(bench.load(user, builtin=(base,)))[0] == ("one", 0, "main", "user")


def test_disable(bench: Any, base: Any) -> None:
    user = bench.pack({"pack.yaml": head("user", "disable: [{id: one, reason: because}]\n")}, "user")
    book = bench.load(user, builtin=(base,))
    assert listed(book) == [("two", 0, "main", "mine"), ("three", 1, "main", "mine")]
    assert book.disabled == (("one", "because", "user"),)


@pytest.mark.parametrize(
    ("disable", "entry", "message"),
    [
        ("[{id: three, reason: x}]", rule("x"), "three is sealed and cannot be disabled (mine/a.yaml:5:5)"),
        ("[]", rule("x", 1, ", replaces: three"), "three is sealed and cannot be replaced (mine/a.yaml:5:5)"),
        ("[{id: ones, reason: x}]", rule("x"), "there is no rule 'ones' that could be disabled"),
        ("[]", rule("x", 1, ", replaces: ones"), "there is no rule 'ones' that could be replaced"),
        ("[]", rule("one"), "the id one is taken: mine/a.yaml:3:5 has it"),
        ("[]", rule("x") + rule("y", 1, ", replaces: x"), "x stands in the same pack"),
        ("[]", rule("x") + rule("x"), "the id x is taken"),
        ("[{id: one, reason: x}]", rule("x", 1, ", replaces: one"), "one cannot be replaced: it is disabled already at"),
    ],
)
def test_what_a_pack_may_not_do(bench: Any, base: Any, disable: str, entry: str, message: str) -> None:
    user = bench.pack({"pack.yaml": head("user", f"disable: {disable}\n"), "r.yaml": rules(entry)}, "user")
    (error,) = bench.check(user, builtin=(base,))
    assert message in error.message
    assert error.place.file.startswith(str(bench.root / "user"))


@pytest.mark.parametrize("first", ["replace", "disable"])
@pytest.mark.parametrize("second", ["replace", "disable"])
def test_two_packs_that_change_one_rule(bench: Any, base: Any, first: str, second: str) -> None:
    packs = []
    for name, how in (("m", first), ("n", second)):
        disable = "disable: [{id: one, reason: x}]\n" if how == "disable" else ""
        changed = rules(rule(f"{name}.one", 1, ", replaces: one")) if how == "replace" else "facts: [{row: {name: x, value: 1}}]\n"
        packs.append(bench.pack({"pack.yaml": head(name, disable), "r.yaml": changed}, name))
    (error,) = bench.check(*packs, builtin=(base,))
    where = {"replace": "r.yaml:3:5", "disable": "pack.yaml:4:16"}
    assert error.message == f"one cannot be {second}d: it is {first}d already at {bench.root}/m/{where[first]}"
    assert str(error.place) == f"{bench.root}/n/{where[second]}"


def test_tables_of_a_later_pack_hold_everywhere(bench: Any) -> None:
    text = (
        "  - {id: r, when: [{stack_frame: {as: f, score: {gte: $tables.similar}, depth: $tables.deep}}], then: [{helper: {frame: $f}}]}\n"
    )
    base = bench.pack({"a.yaml": rules(text)}, "base")
    user = bench.pack({"pack.yaml": head("user", "tables: {similar: {value: 1, reason: mine}}\n")}, "user")
    book = bench.load(user, builtin=(base,))
    assert [test.operand.value for test in book.stages[1].rules[0].alternatives[0][0].tests] == [1_000_000, 3]
    assert dict(book.tables)["similar"] == 1


def test_tables_that_clash(bench: Any) -> None:
    base = bench.pack({}, "base")
    one = bench.pack({"pack.yaml": head("one", "tables: {deep: {value: 4, reason: mine}}\n")}, "one")
    two = bench.pack({"pack.yaml": head("two", "tables: {deep: {value: 5, reason: mine}}\n")}, "two")
    (error,) = bench.check(one, two, builtin=(base,))
    assert error.message == f"the table entry deep is set by another pack too: {one}/pack.yaml:4:10"
    wrong = bench.pack({"pack.yaml": head("one", "tables: {deep: {value: x, reason: mine}}\n")}, "one")
    (error,) = bench.check(wrong, builtin=(base,))
    assert "must have the type that it has at mine/pack.yaml:22:3" in error.message


def test_rows_of_a_user_stand_in_the_place_of_built_in_ones(bench: Any) -> None:
    base = bench.pack({"a.yaml": "facts: [{row: {name: a, value: 1}}, {row: {name: b, value: 2}}]\n"}, "base")
    user = bench.pack({"pack.yaml": head("user"), "a.yaml": "facts: [{row: {name: a, value: 5}}]\n"}, "user")
    book = bench.load(user, builtin=(base,))
    assert [(dict(row.fields)["name"], dict(row.fields)["value"], row.pack) for row in book.rows] == [
        ("a", 5_000_000, "user"),
        ("b", 2_000_000, "mine"),
    ]


def test_kinds_that_two_packs_declare(bench: Any) -> None:
    kinds = "kinds: {extra: {fields: {a: int}}}\n"
    one, two = (bench.pack({"pack.yaml": head(name, kinds)}, name) for name in ("one", "two"))
    (error,) = bench.check(one, two)
    assert error.message == f"the kind extra is declared at {one}/pack.yaml:4:9"
    assert str(error.place) == f"{two}/pack.yaml:4:9"


def test_places_do_not_depend_on_where_a_pack_lies(bench: Any) -> None:
    files = {"a.yaml": rules(rule("one"))}
    here, there = bench.load(bench.pack(files, "here")), bench.load(bench.pack(files, "there"))
    assert str(bench.root) not in repr(here)
    assert here[:2] == there[:2]
    assert here.stages == there.stages
    assert here.stages[1].rules[0].meta.place.file == "mine/a.yaml"


def test_hash_seeds_change_nothing(bench: Any, base: Any) -> None:
    """The cache's bytes, which hold the whole rulebook, and the text of all errors are the same under any hash seed."""
    bad = bench.pack(
        {"a.yaml": rules("  - {id: r, when: [{stack_fram: {as: f, b: 1}}, {signal: {x: 1, y: 2}}], then: [{good: {z: 1, w: 2}}]}\n")}, "bad"
    )
    program = (
        "import json, sys; from tollens.engine.rulebook.encoding import encode; from tollens.engine.rulebook.load import check_packs, load;"
        "from tollens.facts.kind import Kind, KindTable; kinds = KindTable([Kind.from_json(row) for row in json.loads(sys.argv[1])]);"
        "print(json.dumps(encode(load([sys.argv[2]], [], kinds, {})))); print(*check_packs([], [sys.argv[3]], kinds, {}))"
    )
    kinds = json.dumps([kind.to_json() for kind in bench.load(base).kinds if kind.origin == ""])
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program, kinds, base, bad],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert len(outputs) == 1
    assert "nearest: stack_frame" in outputs.pop()
