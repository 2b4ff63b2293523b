"""Why: pack.yaml is the first thing an author writes; each of its faults is told at its place."""

from __future__ import annotations

from typing import Any

import pytest

HEAD = "name: mine\nversion: 1.0.0\nlanguage: 1\n"

PACKS: list[tuple[str, str, str, dict[str, Any]]] = [
    ("no version", "@@name: mine\nlanguage: 1\n", "needs `version`", {}),
    ("bad version", "name: mine\nversion: @@[1]\nlanguage: 1\n", "`version` cannot be a list", {"next_step": "1.0.0"}),
    ("no language", "@@name: mine\nversion: 1\n", "needs `language`", {}),
    ("later language", "name: mine\nversion: 1\nlanguage: @@2\n", "reads language 1, not the number 2", {}),
    ("unknown key", HEAD + "@@stage: [a]\n", "no key 'stage'", {"nearest": "stages"}),
    ("stages as text", HEAD + "stages: @@a\n", "must be a list", {}),
    ("stage without side", HEAD + "stages: [a, @@{stage: b}]\n", "needs `after` or `before`", {}),
    ("stage with two sides", HEAD + "stages: [a, @@{stage: b, after: a, before: a}]\n", "only one of them", {}),
    ("unknown neighbour", HEAD + "stages: [first, {stage: b, after: @@frist}]\n", "no stage 'frist'", {"nearest": "first"}),
    ("stage after itself", HEAD + "stages: [{stage: b, after: @@b}]\n", "in a circle: b -> b", {}),
    ("stage against the order", HEAD + "stages: [a, b, {stage: b, before: @@a}]\n", "b cannot stand before a", {"expected": "a, b"}),
    ("kind without fields", HEAD + "kinds:\n  k: @@{says: x}\n", "needs `fields`", {}),
    ("kind with no field", HEAD + "kinds:\n  k: {fields: @@{}}\n", "has no fields", {}),
    ("kind in capitals", HEAD + "kinds:\n  @@Kind: {fields: {a: int}}\n", "the name of a kind cannot be 'Kind'", {}),
    ("kind with an unknown key", HEAD + "kinds:\n  k: {fields: {a: int}, @@keys: [a]}\n", "no key 'keys'", {"nearest": "key"}),
    ("unknown type", HEAD + "kinds:\n  k: {fields: {a: @@integer}}\n", "no type 'integer'", {"nearest": "int"}),
    ("field named id", HEAD + "kinds:\n  k: {fields: {@@id: text}}\n", "a word of the language", {}),
    ("two shapes", HEAD + "kinds:\n  k: {fields: {a: @@{enum: [x], list: text}}}\n", "one of `enum`", {}),
    ("empty enum", HEAD + "kinds:\n  k: {fields: {a: {enum: @@[]}}}\n", "at least one member", {}),
    ("enum of numbers", HEAD + "kinds:\n  k: {fields: {a: {enum: [x, @@1]}}}\n", "must be a text, not the number 1", {}),
    ("enum twice", HEAD + "kinds:\n  k: {fields: {a: {enum: @@[x, x]}}}\n", "each once", {}),
    ("list of ints", HEAD + "kinds:\n  k: {fields: {a: {list: @@int}}}\n", "texts only", {}),
    ("ordered text", HEAD + "kinds:\n  k: {fields: {a: @@{type: text, ordered: true}}}\n", "only an enum", {}),
    (
        "reference to nothing",
        HEAD + "kinds:\n  k: {fields: {a: @@{ref: stack_fram}}}\n",
        "no kind 'stack_fram'",
        {"nearest": "stack_frame"},
    ),
    ("key of no field", HEAD + "kinds:\n  k: {fields: {frame: int}, key: [@@fram]}\n", "no field 'fram'", {"nearest": "frame"}),
    ("key twice", HEAD + "kinds:\n  k: {fields: {a: int}, key: @@[a, a]}\n", "each field once", {}),
    ("rival as text", HEAD + "kinds:\n  k: {fields: {a: int}, rival: @@on}\n", "true or false", {}),
    (
        "closes nothing",
        HEAD + "stages: [first]\nkinds:\n  k: {fields: {a: int}, closes: @@frist}\n",
        "no stage 'frist'",
        {"nearest": "first"},
    ),
    ("a kind of the engine", HEAD + "kinds:\n  @@match: {fields: {a: int}}\n", "the kind match is built in", {}),
    ("a kind of the base", HEAD + "kinds:\n  @@signal: {fields: {a: int}}\n", "the kind signal is built in", {}),
    ("entry without a reason", HEAD + "tables:\n  t: @@{value: 1}\n", "needs `reason`", {}),
    ("entry without a value", HEAD + "tables:\n  t: @@{reason: x}\n", "needs `value`", {}),
    ("entry with a mapping", HEAD + "tables:\n  t: {value: @@{}, reason: x}\n", "cannot be a mapping", {}),
    ("entry with numbers", HEAD + "tables:\n  t: {value: [a, @@1], reason: x}\n", "must be a text", {}),
    ("entry too large", HEAD + "tables:\n  t: {value: @@1.0e300, reason: x}\n", "cannot be used", {}),
    ("disable without a reason", HEAD + "disable:\n  - @@{id: x}\n", "needs `reason`", {}),
    ("disable nothing", HEAD + "disable:\n  - {id: @@x, reason: y}\n", "no rule 'x' that could be disabled", {}),
]


@pytest.mark.parametrize(("text", "message", "more"), [case[1:] for case in PACKS], ids=[case[0] for case in PACKS])
def test_fault_in_a_pack_file(bench: Any, text: str, message: str, more: dict[str, Any]) -> None:
    error, place = bench.only_error(text, "pack.yaml")
    assert message in error.message
    assert error.place == place
    for name, value in more.items():
        assert value in getattr(error, name), (name, getattr(error, name))


def test_a_pack_needs_a_name(bench: Any) -> None:
    (error,) = bench.check(bench.pack({"pack.yaml": "version: 1\n"}))
    assert "needs `name`" in error.message
    assert error.place.file.endswith("p/pack.yaml")


def test_two_documents_in_a_pack_file(bench: Any) -> None:
    (error,) = bench.check(bench.pack({"pack.yaml": HEAD + "---\n" + HEAD}))
    assert "one document, not 2" in error.message
    assert error.place.line == 5


def test_two_packs_of_one_name(bench: Any) -> None:
    (error,) = bench.check(bench.pack({}), bench.pack({}, "q"))
    assert error.message == "two packs are named mine"
    assert error.place.file.endswith("q/pack.yaml")


@pytest.mark.parametrize("text", ["1.10", "2026-01-02", "1", "1.0.0rc1", "'2'"])
def test_a_version_is_what_is_written(bench: Any, text: str) -> None:
    book = bench.load(bench.pack({"pack.yaml": f"name: mine\nversion: {text}\nlanguage: 1\n"}))
    assert book.packs[0].version == text.strip("'")


@pytest.mark.parametrize(
    ("first", "second", "order"),
    [
        ("[a, b, c]", "[d]", "a b c d"),
        ("[a, b, c]", "[{stage: d, after: a}]", "a d b c"),
        ("[a, b, c]", "[{stage: d, before: a}, e]", "d a b c e"),
        ("[a, b]", "[{stage: d, after: e}, {stage: e, before: b}]", "a e d b"),
        ("[{stage: x, after: y}]", "[y, z]", "y x z"),
        ("[a, b]", "[a, {stage: b, after: a}]", "a b"),
    ],
)
def test_order_of_stages(bench: Any, first: str, second: str, order: str) -> None:
    packs = [
        bench.pack({"pack.yaml": f"name: {name}\nversion: 1\nlanguage: 1\nstages: {stages}\n"}, name)
        for name, stages in (("m", first), ("n", second))
    ]
    assert " ".join(stage.name for stage in bench.load(*packs).stages) == order


def test_stages_in_a_circle(bench: Any) -> None:
    errors = bench.check(bench.pack({"pack.yaml": HEAD + "stages: [{stage: a, after: b}, {stage: b, after: c}, {stage: c, after: a}]\n"}))
    assert "in a circle: a -> b -> c -> a" in errors[0].message
    assert errors[0].place.line == 4


def test_fields_of_every_type(bench: Any) -> None:
    text = """kinds:
  k:
    says: "a kind"
    key: [a]
    rival: true
    fields:
      a: text
      b: int?
      c: {enum: [yes, no], ordered: true}
      d: {ref: [signal, k]}
      e: {ref: any, optional: true}
      f: {list: text}
      g: {type: number, says: "how much", optional: true}
  single: {key: [], fields: {a: bool}}
"""
    kinds = {kind.name: kind for kind in bench.load(bench.pack({"pack.yaml": HEAD + text})).kinds}
    assert [tuple(field) for field in kinds["k"].fields] == [
        ("a", "text", False, (), False, ""),
        ("b", "int", True, (), False, ""),
        ("c", "enum", False, ("yes", "no"), True, ""),
        ("d", "ref", False, ("signal", "k"), False, ""),
        ("e", "ref", True, (), False, ""),
        ("f", "list", False, (), False, ""),
        ("g", "number", True, (), False, "how much"),
    ]
    assert (kinds["k"].key, kinds["k"].rival, kinds["k"].doc, kinds["k"].origin) == (("a",), True, "a kind", "mine")
    assert kinds["single"].key == ()
    assert {"match", "match_group", "passed_over", "tied", "signal"} <= set(kinds)
