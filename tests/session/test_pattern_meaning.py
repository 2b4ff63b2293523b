"""Why: each test of a pattern means one thing on present, absent and edge values; a wrong operator would turn a verdict."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tollens.engine.session.session import Session
from tollens.facts.fact import Draft, fact_id

Run = Callable[..., Session]
Item = Callable[..., Draft]
Names = Callable[[Session, str], list[Any]]

SEE = "stage: s0\nrules:\n  - id: r\n    when: [{{item: {{as: i, {test}}}}}]\n    then: [{{seen: {{item: $i}}}}]\n"


@pytest.mark.parametrize(
    ("test", "found"),
    [
        ("size: 5", ["five"]),
        ("size: {ne: 5}", ["zero", "minus"]),
        ("size: {gt: 0}", ["five"]),
        ("size: {gte: 0}", ["zero", "five"]),
        ("size: {lt: 0}", ["minus"]),
        ("size: {lte: 0}", ["zero", "minus"]),
        ("size: {gte: -3, lt: 5}", ["zero", "minus"]),
        ("size: {in: [5, -3]}", ["five", "minus"]),
        ("size: {exists: true}", ["zero", "five", "minus"]),
        ("size: {exists: false}", ["none"]),
        ("size: {exists: false, ne: 5}", []),
    ],
)
def test_ints(run: Run, item: Item, names: Names, test: str, found: list[str]) -> None:
    facts = [item("zero", size=0), item("five", size=5), item("minus", size=-3), item("none")]
    assert names(run(SEE.format(test=test), facts), "seen") == found


@pytest.mark.parametrize(
    ("test", "found"),
    [
        ("share: 0.5", ["half"]),
        ("share: 1", ["one"]),
        ("share: {gt: 0.5}", ["more", "one"]),
        ("share: {lte: 0.500001}", ["half", "more"]),
        ("share: {in: [0.5, 1.0]}", ["half", "one"]),
    ],
)
def test_numbers_are_exact_to_the_millionth(run: Run, item: Item, names: Names, test: str, found: list[str]) -> None:
    facts = [item("half", share=0.5), item("more", share=0.500001), item("one", share=1)]
    assert names(run(SEE.format(test=test), facts), "seen") == found


@pytest.mark.parametrize(
    ("test", "found"),
    [
        ("name: ab", ["ab"]),
        ("name: {ne: ab}", ["ab c", "AB", "x\nab", "5", "é😀", ""]),
        ("name: {in: [AB, '5']}", ["AB", "5"]),
        ("name: {starts: ab}", ["ab", "ab c"]),
        ("name: {ends: b}", ["ab", "x\nab"]),
        ("name: {contains: ab}", ["ab", "ab c", "x\nab"]),
        ("name: {matches: ab}", ["ab", "ab c", "x\nab"]),
        ("name: {matches: '^ab$'}", ["ab"]),
        ("name: {matches: '(?m)^ab$'}", ["ab", "x\nab"]),
        ("name: {matches: '(?i)^ab'}", ["ab", "ab c", "AB"]),
        ("name: {ends: 😀}", ["é😀"]),
        ("name: {starts: é}", ["é😀"]),
        ("name: '5'", ["5"]),
        ("name: ''", [""]),
    ],
)
def test_texts(run: Run, item: Item, names: Names, test: str, found: list[str]) -> None:
    facts = [item(name) for name in ("ab", "ab c", "AB", "x\nab", "5", "é😀", "")]
    assert names(run(SEE.format(test=test), facts), "seen") == found


@pytest.mark.parametrize(
    ("test", "found"),
    [
        ("mood: {gt: low}", ["mid", "high"]),
        ("mood: {lte: mid}", ["low", "mid"]),
        ("mood: {in: [high, low]}", ["low", "high"]),
        ("mood: {ne: low}", ["mid", "high"]),
    ],
)
def test_ordered_enums_rank_as_declared(run: Run, item: Item, names: Names, test: str, found: list[str]) -> None:
    facts = [item(name, mood=name) for name in ("low", "mid", "high")] + [item("none")]
    assert names(run(SEE.format(test=test), facts), "seen") == found


def test_truth_values_are_no_ints(run: Run, item: Item, names: Names) -> None:
    facts = [item("yes", good=True, size=1), item("no", good=False, size=0), item("none")]
    assert names(run(SEE.format(test="good: true"), facts), "seen") == ["yes"]
    assert names(run(SEE.format(test="good: {ne: true}"), facts), "seen") == ["no"]


FLIP = {"gt": "lt", "gte": "lte", "lt": "gt", "lte": "gte"}

JOIN = "stage: s0\nrules:\n  - id: r\n    when: [{{item: {{as: a}}}}, {{item: {{as: b, {test}}}}}]\n    then: [{{two: {{first: $a, second: $b}}}}]\n"


@pytest.mark.parametrize(
    ("test", "found"),
    [
        ("size: $a.size", [("p", "q"), ("q", "p")]),
        ("size: {gt: $a.size}", [("p", "r"), ("q", "r")]),
        ("size: {ne: $a.size}", [("p", "r"), ("q", "r"), ("r", "p"), ("r", "q")]),
        ("other: $a", [("p", "r")]),
        ("id: $a.other", [("r", "p")]),
        (
            "seq: {lt: $a.seq}",
            [("q", "p"), ("r", "p"), ("r", "q"), ("x", "p"), ("x", "q"), ("x", "r"), ("y", "p"), ("y", "q"), ("y", "r"), ("y", "x")],
        ),
        ("mood: {gt: $a.mood}", [("p", "q")]),
    ],
)
def test_joins_take_two_facts_and_absent_equals_nothing(
    run: Run, item: Item, names: Names, test: str, found: list[tuple[str, str]]
) -> None:
    facts = [
        item("p", size=1, mood="low"),
        item("q", size=1, mood="high"),
        item("r", size=2, other=fact_id("item", "p")),
        item("x"),
        item("y"),
    ]
    assert names(run(JOIN.format(test=test), facts), "two") == found


@pytest.mark.parametrize(
    ("op", "found"),
    [
        ("gt", [("y", "x"), ("y", "x2")]),
        ("gte", [("x", "x2"), ("x2", "x"), ("y", "x"), ("y", "x2")]),
        ("lt", []),
        ("lte", [("x", "x2"), ("x2", "x")]),
    ],
)
def test_a_comparison_means_the_same_when_it_is_joined_last_to_first(
    run: Run, item: Item, names: Names, op: str, found: list[tuple[str, str]]
) -> None:
    rules = f"""\
stage: s0
rules:
  - id: r
    when:
      - item: {{as: a, size: {{exists: true}}}}
      - item: {{as: b, size: {{{FLIP[op]}: $a.size}}}}
      - link: {{right: $b}}
    then: [{{two: {{first: $a, second: $b}}}}]
"""
    links = [Draft("link", {"left": fact_id("item", a), "right": fact_id("item", b)}) for a, b in (("z", "x"), ("z", "x2"))]
    facts = [item("x", size=1), item("x2", size=1), item("y", size=2), item("z"), *links]
    assert sorted(names(run(rules, facts), "two")) == found


def test_a_bound_fact_is_not_seen_by_unless_but_counts(run: Run, item: Item, names: Names) -> None:
    rules = """\
stage: s0
rules:
  - id: alone
    when: [{item: {as: i}}]
    unless: [{item: {size: $i.size}}]
    then: [{seen: {item: $i}}]
  - id: count
    when: [{item: {as: i}}]
    let: {n: {count: {item: {size: $i.size}}}}
    then: [{counted: {number: $n}}]
"""
    session = run(rules, [item("a", size=1), item("b", size=1), item("c", size=2), item("d")])
    assert names(session, "seen") == ["c", "d"]
    assert names(session, "counted") == [2, 1, 0]


def test_two_unless_patterns_are_independent(run: Run, item: Item, names: Names) -> None:
    rules = """\
stage: s0
rules:
  - id: r
    when: [{item: {as: i}}]
    unless: [{link: {left: $i}}, {link: {right: $i}}]
    then: [{seen: {item: $i}}]
"""
    facts = [item(name) for name in "abc"]
    link = Draft("link", {"left": fact_id("item", "a"), "right": fact_id("item", "b")}, {}, ("parser", "test"))
    assert names(run(rules, [*facts, link]), "seen") == ["c"]


def test_alternatives_each_fire_and_are_told_apart(run: Run, item: Item) -> None:
    rules = """\
stage: s0
rules:
  - id: r
    when:
      - any:
          - [{item: {as: i, size: 1}}]
          - [{item: {as: i, good: true}}]
    then: [{seen: {item: $i}}]
"""
    session = run(rules, [item("both", size=1, good=True), item("one", good=True)])
    ways = [[d.alternative for d in session.proof.of(fact.id)] for fact in session.store.facts("seen")]
    assert ways == [[0, 1], [1]]


def test_recursion_reaches_the_fixpoint(run: Run, item: Item, names: Names) -> None:
    rules = """\
stage: s0
rules:
  - id: step
    when: [{link: {as: l}}]
    then: [{two: {first: $l.left, second: $l.right}}]
  - id: further
    when: [{two: {as: t}}, {link: {as: l, left: $t.second}}]
    then: [{two: {first: $t.first, second: $l.right}}]
"""
    facts = [item(name) for name in "abc"]
    ids = {name: fact_id("item", name) for name in "abc"}
    links = [Draft("link", {"left": ids[a], "right": ids[b]}, {}, ("parser", "test")) for a, b in ("ab", "bc", "ca")]
    session = run(rules, [*facts, *links])
    assert sorted(names(session, "two")) == sorted((a, b) for a in "abc" for b in "abc")
