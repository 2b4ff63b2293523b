"""Why: whatever stands in a pack, a load gives a rulebook or PackErrors with places, and never anything else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollens.engine.errors import PackErrors
from tollens.engine.rulebook.encoding import decode, encode
from tollens.engine.rulebook.source.problems import Problems
from tollens.engine.rulebook.source.snapshot import PackFile, Snapshot
from tollens.engine.rulebook.whole.compile import Source, compile_packs

VALID = """\
stage: main
rules:
  - id: r
    says: "{f.file} {n}"
    when:
      - stack_frame: {as: f, score: {in: [1, 2]}, file: {matches: 'a+b'}, depth: {gte: 1}, severity: {lt: error}}
      - any: [[{signal: {as: s, id: $f.signal}}], [{signal: {as: s, number: 3}}]]
    unless: [{project_root: {path: x}}]
    let:
      n: {count: {signal: {number: {gt: $f.depth}}}, distinct: [type]}
      m: {mul: [$n, $f.score, 0.5]}
      d: {default: [$f.line, {clamp: [$n, 0, $tables.deep]}]}
    if: [{in: [$f.file, $tables.words]}, {gt: [$m, $tables.similar]}, {exists: $f.line}]
    then: [{good: {frame: $f, depth: $n, score: $m, label: {format: "{f.file}:{m}"}}}]
elect:
  - {id: e, from: [{stack_frame: {as: f}}], per: [$f.signal], by: [{desc: $f.depth}, {asc: $f.seq}], into: {helper: {frame: $f}}}
take:
  - {id: t, from: [{stack_frame: {as: f}}], by: [{asc: $f.id}], keep: 3, apart: {pair: [left, right]}, into: {helper: {frame: $f}}, rest: {helper: {frame: $nearest}}}
group:
  - {id: g, from: [{pair: {as: p}}], pair: [$p.left, $p.right], members: stack_frame, into: {judged: {frame: x}}}
patterns:
  - {id: p, over: {stack_frame: file}, regex: 'a(?P<b>c)', says: "{match.text}"}
measures:
  - {id: m, function: distance, from: [{stack_frame: {as: f}}], block: [$f.file], output: row, options: {least: 1}}
facts:
  - row: {name: a, value: 0.5}
---
stage: late
rules:
  - {id: q, when: [{good: {as: g}}], unless: [{passed_over: {by: e, loser: $g.frame}}], then: [{judged: {frame: $g.frame}}]}
""".replace("into: {judged: {frame: x}}", "member: {helper: {frame: $member}}")

TOKENS = [
    "stage", "rules", "elect", "take", "group", "patterns", "measures", "facts", "id", "when", "any", "unless", "let", "if", "then", "says", "as", "from",
    "per", "by", "asc", "desc", "into", "rest", "keep", "apart", "pair", "members", "member", "over", "regex", "function", "output", "options", "block",
    "count", "sum", "of", "distinct", "first", "collect", "add", "mul", "round", "ratio", "default", "format", "digest", "in", "exists", "matches", "gt",
    "stack_frame", "signal", "good", "row", "match", "passed_over", "tied", "kinds", "fields", "enum", "ref", "list", "key", "closes", "tables", "value",
    "$f", "$f.file", "$f.depth", "$n", "$tables.deep", "$tables.", "$$", "$", "${", "{f.file}", "{", "}", "main", "early", "main.x", "1", "-1", "0.5", "1e400",
    "true", "null", "~", "", "text", "int?", "number", "any", "x", "replaces", "sealed", "disable", "reason", "name", "version", "language", "stages", "after",
]  # fmt: skip

SCALARS = st.one_of(
    st.sampled_from(TOKENS),
    st.text(max_size=8),
    st.integers(),
    st.floats(),
    st.booleans(),
    st.none(),
    st.just("(?P<a>x)"),
    st.just("(" * 50),
)
TREES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(TOKENS) | st.text(max_size=4), inner, max_size=5),
    max_leaves=30,
)


def compiled(files: dict[str, bytes], kinds: Any, measures: Any) -> tuple[Any, Problems]:
    """Compile a pack from memory, as a load would from a folder."""
    problems = Problems()
    snapshot = Snapshot("p", tuple(PackFile(name, files[name]) for name in sorted(files)), "0")
    return compile_packs([Source(snapshot, True)], kinds, measures, problems), problems


@pytest.fixture(scope="module")
def check(parts: Any) -> Any:
    """Checks that files give a rulebook or errors with places; gives whether they loaded."""
    pack_text, kinds, measures = parts

    def run(rules: bytes, pack: bytes = pack_text.encode()) -> bool:
        book, problems = compiled({"pack.yaml": pack, "rules.yaml": rules}, kinds, measures)
        if not len(problems):
            again = decode(json.loads(json.dumps(encode(book))))
            assert again._replace(kinds=()) == book._replace(kinds=())
            assert [kind.to_json() for kind in again.kinds] == [kind.to_json() for kind in book.kinds]
            return True
        for error in problems.sorted():
            assert error.place is not None
            assert error.place.line >= 1
            assert error.place.column >= 1
            assert error.place.file in ("p/rules.yaml", "p/pack.yaml")
            assert error.message
            assert json.dumps(error.to_json())
            assert str(error)
        assert isinstance(PackErrors(problems.sorted()), Exception)
        return False

    return run


def test_the_valid_pack_is_valid(check: Any) -> None:
    assert check(VALID.encode())


@given(data=st.binary(max_size=200))
def test_any_bytes(check: Any, data: bytes) -> None:
    check(data)
    check(b"", data)


@given(
    text=st.lists(
        st.sampled_from(
            [*TOKENS, ":", " ", "\n", "- ", "  ", "[", "]", "{", "}", ",", "'", '"', "\t", "---\n", "#", "|", ">", "&a", "*a", "!!x", "%"]
        ),
        max_size=60,
    )
)
def test_any_text_of_the_language(check: Any, text: list[str]) -> None:
    check("".join(text).encode())
    check(b"stage: main\nrules:\n  - id: r\n    when:\n      - stack_frame: {as: f}\n    then: " + "".join(text).encode())
    check(b"", b"name: mine\nversion: 1\nlanguage: 1\n" + "".join(text).encode())


@given(
    tree=TREES, section=st.sampled_from(["rules", "elect", "take", "group", "patterns", "measures", "facts"]), key=st.sampled_from(TOKENS)
)
def test_any_tree(check: Any, tree: Any, section: str, key: str) -> None:
    """JSON is YAML: any tree in any place of an entry."""
    entry = {
        "id": "r",
        "when": [{"stack_frame": {"as": "f"}}],
        "from": [{"stack_frame": {"as": "f"}}],
        "then": [{"helper": {"frame": "$f"}}],
        key: tree,
    }
    for document in ({"stage": "main", section: [entry]}, {"stage": "main", section: [tree]}, {"stage": "main", section: tree}, tree):
        check(json.dumps(document).encode())
    check(b"", json.dumps({"name": "mine", "version": "1", "language": 1, key: tree}).encode())
    check(
        b"",
        json.dumps(
            {"name": "mine", "version": "1", "language": 1, "kinds": {"k": {"fields": {"a": tree}}}, "tables": {"t": tree}}
        ).encode(),
    )


@st.composite
def mutations(draw: st.DrawFn) -> bytes:
    """The valid pack with some words exchanged, dropped, doubled, or lines moved."""
    words = draw(st.integers(1, 4))
    text = VALID
    for _ in range(words):
        start = draw(st.integers(0, len(text) - 1))
        end = min(len(text), start + draw(st.integers(0, 12)))
        text = text[:start] + draw(st.sampled_from([*TOKENS, "", "\n", ": ", "[", "}", text[start:end] * 2])) + text[end:]
    return text.encode()


@given(rules=mutations())
def test_mutated_packs(check: Any, rules: bytes) -> None:
    check(rules)


def test_every_half_written_state_of_a_pack(check: Any) -> None:
    for end in range(0, len(VALID), 3):
        check(VALID[:end].encode())


def test_every_word_missing(check: Any) -> None:
    words = VALID.split(" ")
    for position in range(len(words)):
        check(" ".join(words[:position] + words[position + 1 :]).encode())
