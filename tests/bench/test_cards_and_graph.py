"""Why: pages and pictures are made from the rules, so they must hold what the rules hold, and be made anew when a rule changes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tollens.engine.bench.cards import pages, stale
from tollens.engine.bench.graph import graph, mermaid
from tollens.engine.bench.packs import gate_subject, subject_of
from tollens.engine.diagnosis.packs import rulebook

HEAD = "kinds:\n  hint: {verdict: true, fields: {signal: {ref: signal}, rank: int, share: number}}\n  best: {verdict: true, fields: {signal: {ref: signal}}}\nstages: [one, two]\n"
RULES = """\
stage: one
rules:
  - id: first
    says: "{s.message} is `it`"
    when:
      - any: [[signal: {as: s, message: {starts: "a`b"}}], [signal: {as: s, number: {in: [1, 2]}}]]
    unless: [belongs: {signal: $s}]
    let: {n: {count: {signal: {number: {gt: 3}}}}, m: {ratio: [1, $n, 0]}}
    if: [gt: [$n, 0], exists: $s.class_name]
    then: [hint: {signal: $s, rank: 1, share: 0.25}]
    refs: [a book]
    status: experimental
  - {id: second, when: [signal: {as: s}], then: [hint: {signal: $s, rank: 7, share: 0.5}], sealed: true}
---
stage: two
elect:
  - {id: chosen, from: [hint: {as: h, share: {gte: 0.25}}], per: [$h.signal], by: [{asc: $h.rank}, {asc: $h.seq}], into: {best: {signal: $h.signal}}}
patterns:
  - {id: pat, over: {signal: message}, regex: "x`y"}
"""
CASE = "cases:\n  - {name: the second alone, facts: [signal: {number: 9, record_type: exception, grammar: g, first_line: 1, last_line: 1}], fires: [second]}\n"


def test_a_page_says_what_the_rule_says(write: Callable[..., Path]) -> None:
    made = pages([write(HEAD, rules=RULES, files={"x.cases.yaml": CASE})])
    assert sorted(made) == ["README.md", "mine/chosen.md", "mine/first.md", "mine/pat.md", "mine/second.md"]
    first = made["mine/first.md"]
    for line in [
        "*s.message* is `it`",
        "rule of the stage `one` · pack `mine` · `rules.yaml` · experimental",
        '- there is a `signal` *s* whose `message` begins with `` "a`b" ``',
        "- or",
        "- there is a `signal` *s* whose `number` is one of `[1, 2]`",
        "- there is no `belongs` whose `signal` is *s*",
        "- let *n* be the count of `signal` (by number)",
        "- *n* is more than `0`",
        "- *s.class_name* is there",
        "- assert a `hint`: `signal` *s*, `rank` `1`, `share` `0.25`",
        "- wins over and loses to its rivals by `chosen`",
        "- has rank 1 and stands before `second` (7)",
        "No case reaches it.",
        "- a book",
    ]:
        assert line in first.splitlines(), f"{line}\n\n{first}"
    second = made["mine/second.md"].splitlines()
    assert "- the second alone" in second
    assert "- has rank 7 and stands behind `first` (1)" in second
    assert any("sealed" in line for line in second)
    assert "- one for each *h.signal*, by asc $h.rank, then asc $h.seq" in made["mine/chosen.md"].splitlines()
    assert "- the `message` of a `signal` matches\n\n```text\nx`y\n```\n" in made["mine/pat.md"]
    assert "  - [second](mine/second.md) (rule)" in made["README.md"].splitlines()


def test_the_pages_of_the_shipped_packs_are_not_stale(root: Path) -> None:
    made = pages()
    assert stale(root / "docs/rules", made) == [], "run `make pages`"
    ids = {entry.meta.id for subject in (subject_of(), gate_subject()) for entry in subject.entries}
    assert {Path(name).stem for name in made if name != "README.md"} == ids


def test_the_command_writes_tells_stale_pages_and_removes_old_ones(
    tollens: Callable[..., Any], write: Callable[..., Path], tmp_path: Path
) -> None:
    folder = write(HEAD, rules=RULES)
    assert tollens("rules", "docs", folder, "--out", "pages").stdout == "wrote 5 pages to pages\n"
    assert tollens("rules", "docs", folder, "--out", "pages", "--check").returncode == 0
    (folder / "rules.yaml").write_text(RULES.replace("id: second", "id: renamed"), encoding="utf-8")
    done = tollens("rules", "docs", folder, "--out", "pages", "--check")
    assert done.returncode == 2
    assert "stale: pages/mine/renamed.md" in done.stdout
    assert "stale: pages/mine/second.md" in done.stdout
    tollens("rules", "docs", folder, "--out", "pages")
    assert not (tmp_path / "pages/mine/second.md").exists()
    assert tollens("rules", "docs", folder, "--out", "pages", "--check").returncode == 0


def test_the_graph_has_all_entries_and_their_kinds(write: Callable[..., Path], tollens: Callable[..., Any]) -> None:
    folder = write(HEAD, rules=RULES)
    book = rulebook([folder], cached=False)
    data = graph(book, frozenset(["mine"]))
    entries = {entry["id"]: entry for stage in data["stages"] for entry in stage["entries"]}
    assert [stage["stage"] for stage in data["stages"]] == ["one", "two"]
    assert entries["first"] == {
        "id": "first",
        "entry": "rule",
        "pack": "mine",
        "reads": ["signal"],
        "against": ["belongs"],
        "asserts": ["hint"],
    }
    assert entries["chosen"]["asserts"] == ["best", "passed_over", "tied"]
    lines = list(mermaid(data))
    assert lines[0] == "flowchart LR"
    assert '  k_hint{{"hint"}}' in lines
    assert '    r_first["first"]' in lines
    assert {"  k_signal --> r_first", "  k_belongs -.-> r_first", "  r_first --> k_hint", "  k_hint --> r_chosen"} <= set(lines)
    named = {word for line in lines for word in line.split() if word.startswith("k_") and "(" not in word and "{" not in word}
    assert {word.removeprefix("k_") for word in named} <= {kind["kind"] for kind in data["kinds"]}
    assert json.loads(tollens("rules", "graph", folder, "--format", "json").stdout) == data
    assert {entry["id"] for stage in graph(book)["stages"] for entry in stage["entries"]} > set(entries)
