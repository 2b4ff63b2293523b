"""Why: an editor trusts the schema; an independent validator must accept what the loader accepts and refuse what has the wrong form."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tollens.engine.bench.cases_file import _DOCUMENT_KEYS, _KEYS
from tollens.engine.bench.schema import WHAT, schema
from tollens.engine.diagnosis.packs import rulebook
from tollens.engine.rulebook.build.documents import KEYS as DOCUMENT_KEYS
from tollens.engine.rulebook.build.packfile import KEYS as PACK_KEYS
from tollens.engine.rulebook.source.nodes import Map, Node, Scalar, read_documents
from tollens.engine.rulebook.source.problems import Problems
from tollens.engine.rulebook.syntax import Rulebook


def plain(node: Node) -> Any:
    """A document as an editor sees it."""
    if isinstance(node, Map):
        return {key.text: plain(value) for key, value in node.entries}
    return node.value if isinstance(node, Scalar) else [plain(item) for item in node.items]


def what(file: Path) -> str:
    return "pack" if file.name == "pack.yaml" else "cases" if file.name.endswith(".cases.yaml") else "rules"


def faults(data: object, name: str, book: Rulebook | None = None) -> list[str]:
    validator = jsonschema.Draft202012Validator(schema(name, book))
    return [error.message for error in validator.iter_errors(data)]


def documents(file: Path) -> Iterator[Any]:
    for document in read_documents(file.read_bytes(), str(file), Problems()):
        yield plain(document)


@pytest.fixture(scope="module")
def book() -> Rulebook:
    return rulebook(cached=False)


@pytest.mark.parametrize("name", list(WHAT))
def test_the_schemas_are_schemas_and_committed(name: str, root: Path, book: Rulebook) -> None:
    jsonschema.Draft202012Validator.check_schema(schema(name))
    jsonschema.Draft202012Validator.check_schema(schema(name, book))
    committed = (root / f"docs/schema/{name}.schema.json").read_text(encoding="utf-8")
    assert committed == json.dumps(schema(name), indent=1) + "\n", (
        f"tollens rules schema --open --for {name} > docs/schema/{name}.schema.json"
    )


def test_all_shipped_files_fit(root: Path, book: Rulebook) -> None:
    seen = 0
    validators = {name: jsonschema.Draft202012Validator(schema(name)) for name in WHAT}
    knowing = {name: jsonschema.Draft202012Validator(schema(name, book)) for name in WHAT}
    for file in sorted(
        [*root.glob("rules/**/*.yaml"), *root.glob("tests/language/decisions/**/*.yaml"), *root.glob("benchmarks/packs/**/*.yaml")]
    ):
        for document in documents(file):
            chosen = [validators[what(file)]] + ([knowing[what(file)]] if "rules/diagnosis" in file.as_posix() else [])
            for validator in chosen:
                assert [error.message for error in validator.iter_errors(document)] == [], file
                seen += 1
    assert seen > 60


def test_the_schemas_know_every_key_of_the_loader() -> None:
    assert set(schema("rules")["properties"]) == set(DOCUMENT_KEYS)
    assert set(schema("pack")["properties"]) == set(PACK_KEYS)
    assert set(schema("cases")["properties"]["cases"]["items"]["properties"]) == set(_KEYS)
    assert set(schema("cases")["properties"]) == set(_DOCUMENT_KEYS)


RULE = "stage: one\nrules:\n  - {id: a, when: [signal: {as: s, number: 1}], then: [question: {text: x}]}\n"
PACK = "name: p\nversion: 1.0.0\nlanguage: 1\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("rules:", "ruels:"),
        ("id: a, ", ""),
        ("id: a", "id: a b"),
        ("when:", "wenn:"),
        ("[signal: {as: s, number: 1}]", "{signal: {}}"),
        ("number: 1", "number: {equals: 1}"),
        ("number: 1", "number: {exists: yes}"),
        ("number: 1", "number: [1]"),
        ("as: s", "as: 's t'"),
        ("then: [question: {text: x}]", "then: []"),
        ("text: x", "text: {formatted: x}"),
        ("text: x", "text: {ratio: [1, 2]}"),
        ("question: {text: x}", "{question: {text: x}, other: {}}"),
        ("stage: one", "stage: [one]"),
        ("id: a,", "id: a, status: new,"),
    ],
)
def test_broken_rule_files_are_refused(old: str, new: str) -> None:
    assert old in RULE
    assert faults(plain(read_documents(RULE.encode(), "f", Problems())[0]), "rules") == []
    assert faults(plain(read_documents(RULE.replace(old, new, 1).encode(), "f", Problems())[0]), "rules")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("signal:", "signl:"),
        ("number: 1", "nmber: 1"),
        ("number: 1", "record_type: exceptoin"),
        ("question: {text: x}", "question: {}"),
        ("question: {text: x}", "match: {pattern: x}"),
        ("stage: grounds", "stage: ground"),
    ],
)
def test_with_a_rulebook_names_and_members_are_known(old: str, new: str, book: Rulebook) -> None:
    text = RULE.replace("stage: one", "stage: grounds")
    assert faults(plain(read_documents(text.encode(), "f", Problems())[0]), "rules", book) == []
    broken = plain(read_documents(text.replace(old, new, 1).encode(), "f", Problems())[0])
    assert faults(broken, "rules", book)
    if "match" not in new and new != "question: {}":
        assert faults(broken, "rules") == [], "the open schema lets names through"


@pytest.mark.parametrize(
    "more",
    [
        "kind: {}",
        "kinds: {a: {field: {x: text}}}",
        "kinds: {a: {fields: {x: string}}}",
        "kinds: {a: {fields: {x: {enum: []}}}}",
        "tables: {a: {value: 1}}",
        "disable: [{id: a}]",
        "findings: {a: off}",
        "findings: {a: {level: off}}",
        "stages: [{after: a}]",
        "language: 2",
    ],
)
def test_broken_pack_files_are_refused(more: str) -> None:
    assert faults(plain(read_documents(PACK.encode(), "f", Problems())[0]), "pack") == []
    text = PACK.replace("language: 1\n", "") + more + "\n" if more.startswith("language") else PACK + more + "\n"
    assert faults(plain(read_documents(text.encode(), "f", Problems())[0]), "pack")


@pytest.mark.parametrize(
    "text", ["case: []", "cases: [{facts: []}]", "cases: [{name: a, expects: []}]", "cases: [{name: a, facts: [signal: [1]]}]"]
)
def test_broken_files_of_cases_are_refused(text: str) -> None:
    assert faults(plain(read_documents(text.encode(), "f", Problems())[0]), "cases")


def test_the_command_prints_the_schema_of_a_pack(tollens: Callable[..., Any], write: Callable[..., Path]) -> None:
    folder = write("kinds:\n  hint: {verdict: true, fields: {text: text}}\n")
    printed = json.loads(tollens("rules", "schema", folder).stdout)
    assert "hint" in printed["$defs"]["head"]["properties"]
    assert "signal" in printed["$defs"]["pattern"]["properties"]
    assert json.loads(tollens("rules", "schema", "--open", "--for", "pack").stdout) == schema("pack")
