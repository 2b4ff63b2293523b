"""Why: numbers and proofs are worked out by hand here, so that a change of the canonical order cannot pass as one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tollens.engine.session.session import Session, canonical
from tollens.facts.fact import Draft, fact_id

Run = Callable[..., Session]
Item = Callable[..., Draft]


def order(session: Session) -> list[str]:
    """Every fact in canonical order: its kind and the names of the items that it refers to."""
    shown = []
    for fact in session.store:
        parts = [session.store.get(v) if isinstance(v, str) and ":" in v else v for v in fact.values]
        texts = [str(part.get("name")) if hasattr(part, "get") else str(part) for part in parts if part is not None]
        shown.append(f"{fact.kind.name} {' '.join(texts)}")
    return shown


def test_shortest_derivation_first_then_rule_then_bound_facts(run: Run, item: Item) -> None:
    rules = """\
stage: s0
rules:
  - id: second_step
    when: [{seen: {as: s}}]
    then: [{two: {first: $s.item, second: $s.item}}]
  - id: backwards
    when: [{item: {as: a, size: 1}}, {item: {as: b, size: {gt: $a.size}}}]
    then: [{two: {first: $b, second: $a}}]
  - id: see
    when: [{item: {as: i}}]
    then: [{seen: {item: $i}}]
  - id: late_but_short
    when: [{item: {as: i, size: 3}}]
    then: [{two: {first: $i, second: $i}}]
"""
    session = run(rules, [item("a", size=3), item("b", size=1), item("c", size=2)])
    assert order(session) == [
        "item a 3",
        "item b 1",
        "item c 2",
        "two a b",  # depth 1, rule 2, bound (b, a)
        "two c b",  # depth 1, rule 2, bound (b, c)
        "seen a",  # depth 1, rule 3
        "seen b",
        "seen c",
        "two a a",  # depth 1, rule 4, though rule 1 derives it too
        "two b b",  # depth 2, rule 1
        "two c c",
    ]
    assert [fact.seq for fact in session.store] == list(range(11))


def test_alternatives_and_heads_come_in_the_order_written(run: Run, item: Item) -> None:
    rules = """\
stage: s0
rules:
  - id: r
    when:
      - any: [[{item: {as: i, size: 2}}], [{item: {as: i, size: 1}}]]
    then: [{seen: {item: $i}}, {two: {first: $i, second: $i}}]
"""
    assert order(run(rules, [item("a", size=1), item("b", size=2)]))[2:] == ["seen b", "two b b", "seen a", "two a a"]


def test_what_operators_assert_comes_before_what_rules_derive(run: Run, item: Item) -> None:
    rules = """\
stage: s0
rules:
  - {id: r, when: [{item: {as: i}}], then: [{seen: {item: $i}}]}
take:
  - {id: t, from: [{item: {as: i}}], by: [{desc: $i.seq}], keep: 1, into: {said: {text: took}}}
elect:
  - {id: e, from: [{item: {as: i}}], by: [{asc: $i.seq}], into: {said: {text: won}}}
patterns:
  - {id: p, over: {item: name}, regex: a}
"""
    kinds = [text.split()[0] for text in order(run(rules, [item("a"), item("b")]))]
    assert kinds == ["item", "item", "match", "said", "passed_over", "said", "seen", "seen"]


def test_rows_come_before_inputs(run: Run, item: Item) -> None:
    rules = "facts:\n  - item: {name: z}\n  - item: {name: y}\n"
    session = run(rules, [item("a"), item("y")])
    assert order(session) == ["item z", "item y", "item a"]
    ways = session.proof.of(fact_id("item", "y"))
    assert [(way.by, str(way.place) if way.place else "") for way in ways] == [("row", "pack/rules.yaml:3:5"), ("parser", "")]


def test_all_ways_are_kept_in_order_and_each_once(run: Run, item: Item) -> None:
    rules = """\
stage: s0
rules:
  - {id: deep, when: [{seen: {as: s}}], then: [{seen: {item: $s.item}}]}
  - {id: pairs, when: [{item: {as: a}}, {item: {as: b, size: $a.size}}], then: [{seen: {item: $a}}, {seen: {item: $a}}]}
  - {id: direct, when: [{item: {as: i, name: a}}], then: [{seen: {item: $i}}]}
"""
    drafts = [item("a", size=1), item("b", size=1), item("c", size=1), item("a", size=1)]
    session = run(rules, drafts)
    ids = {name: fact_id("item", name) for name in "abc"}
    ways = [(w.name, w.depth, [i for _, i in w.bound]) for w in session.proof.of(fact_id("seen", ids["a"]))]
    assert ways == [
        ("pairs", 1, [ids["a"], ids["b"]]),
        ("pairs", 1, [ids["a"], ids["c"]]),
        ("direct", 1, [ids["a"]]),
        ("deep", 2, [fact_id("seen", ids["a"])]),
    ]
    assert len(session.proof.of(ids["a"])) == 1
    assert session.firings == {"s0": 6 + 1 + 3, "s1": 0, "s2": 0}


def test_the_same_way_is_kept_once_even_when_another_came_between(run: Run) -> None:
    drafts = [Draft("item", {"name": "a"}, {}, ("parser", name)) for name in ("one", "two", "one")]
    session = run("facts: []\n", drafts)
    assert [way.name for way in session.proof.of(fact_id("item", "a"))] == ["one", "two"]


def test_the_canonical_form_by_hand(run: Run, item: Item) -> None:
    rules = """\
stage: s0
rules:
  - id: r
    when: [{item: {as: i, share: {gte: 0.5}}}]
    unless: [{link: {left: $i}}]
    then: [{seen: {item: $i}}]
"""
    session = run(rules, [item("a", share=0.5)])
    data: Any = canonical(session)
    a, seen = fact_id("item", "a"), fact_id("seen", fact_id("item", "a"))
    assert data["firings"] == {"s0": 1, "s1": 0, "s2": 0}
    assert data["facts"] == [
        {
            "id": a,
            "kind": "item",
            "seq": 0,
            "fields": {"name": "a", "share": 0.5},
            "spans": {},
            "derivations": [{"by": "parser", "name": "test"}],
        },
        {
            "id": seen,
            "kind": "seen",
            "seq": 1,
            "fields": {"item": a},
            "spans": {},
            "derivations": [
                {
                    "by": "rule",
                    "name": "r",
                    "place": "pack/rules.yaml:3:5",
                    "bound": [["i", a]],
                    "absent": ["link(left = $i)"],
                    "depth": 1,
                }
            ],
        },
    ]


def test_the_proof_writes_what_was_not_there_as_a_rule_file_would(run: Run, item: Item) -> None:
    rules = """\
stage: s0
rules:
  - id: r
    when: [{item: {as: i}}]
    unless:
      - item: {share: {gte: 0.85, in: [1.0, 0.5]}, name: {in: ['a"b', c]}, good: false, size: {exists: true, lt: $i.size}}
      - link: {}
    then: [{seen: {item: $i}}]
"""
    session = run(rules, [item("a")])
    (way,) = session.proof.of(session.store.facts("seen")[0].id)
    share = 'share >= 0.85, share in [1, 0.5], name in ["a\\"b", "c"], good = false'
    assert way.absent == (f"item({share}, size exists true, size < $i.size)", "link()")
