"""Why: elections, selections, groups, patterns and measures decide; each edge of their order and bookkeeping is stated here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pytest

from tollens.engine.rulebook.measures import MeasureSignature
from tollens.engine.session.session import Session
from tollens.facts.fact import Draft, Fact, Span, fact_id
from tollens.facts.kind import Field
from tollens.facts.values import Value, digest

Run = Callable[..., Session]
Item = Callable[..., Draft]
Names = Callable[[Session, str], list[Any]]


def link(left: str, right: str) -> Draft:
    return Draft("link", {"left": fact_id("item", left), "right": fact_id("item", right)}, {}, ("parser", "test"))


def elect(by: str, more: str = "") -> str:
    return f"stage: s0\nelect:\n  - id: e\n    from: [{{item: {{as: i}}}}]\n{more}    by: [{by}]\n    into: {{seen: {{item: $i}}}}\n"


@pytest.mark.parametrize(
    ("by", "winner"),
    [
        ("asc: $i.seq", "a"),
        ("desc: $i.seq", "d"),
        ("{desc: $i.size}, {asc: $i.seq}", "b"),
        ("{asc: $i.size}, {asc: $i.seq}", "a"),
        ("{desc: $i.mood}, {asc: $i.seq}", "c"),
        ("{desc: $i.name}, {asc: $i.seq}", "d"),
        ("{asc: $i.good}, {asc: $i.seq}", "a"),
        ("{desc: $i.good}, {desc: $i.seq}", "b"),
    ],
)
def test_an_order_ranks_each_type_and_absent_values_last(run: Run, item: Item, names: Names, by: str, winner: str) -> None:
    facts = [item("a", size=1, mood="low", good=False), item("b", size=2, mood="mid", good=True), item("c", size=2, mood="high"), item("d")]
    assert names(run(elect(by), facts), "seen") == [winner]


def test_losers_are_passed_over_with_the_key_that_decided_and_ties_are_told(run: Run, item: Item, names: Names) -> None:
    facts = [item("a", size=2), item("b", size=2), item("c", size=1), item("d")]
    session = run(elect("{desc: $i.size}, {asc: $i.seq}"), facts)
    assert names(session, "passed_over") == [
        ("e", "asc $i.seq", "b", "a"),
        ("e", "desc $i.size", "c", "a"),
        ("e", "desc $i.size", "d", "a"),
    ]
    assert names(session, "tied") == [("e", "a", "b")]
    (way,) = session.proof.of(session.store.facts("seen")[0].id)
    assert (way.key, len(way.inputs)) == ("asc $i.seq", 4)


def test_one_key_alone_makes_no_ties(run: Run, item: Item, names: Names) -> None:
    session = run(elect("asc: $i.seq"), [item("a"), item("b")])
    assert (names(session, "seen"), names(session, "tied")) == (["a"], [])


def test_groups_of_an_election_and_absent_values_together(run: Run, item: Item, names: Names) -> None:
    facts = [item("a", sort="red"), item("b", sort="blue"), item("c", sort="red"), item("d"), item("e")]
    session = run(elect("desc: $i.seq", "    per: [$i.sort]\n"), facts)
    assert names(session, "seen") == ["c", "b", "e"]


def test_an_election_over_nothing_has_no_winner(run: Run, names: Names) -> None:
    session = run(elect("asc: $i.seq"))
    assert (names(session, "seen"), names(session, "passed_over")) == ([], [])


def test_a_fact_in_several_rows_is_passed_over_once_and_never_by_itself(run: Run, item: Item, names: Names) -> None:
    rules = """\
stage: s0
elect:
  - id: e
    from: [{item: {as: i}}, {link: {as: l, left: $i}}]
    by: [{asc: $i.size}, {asc: $i.seq}]
    into: {two: {first: $i, second: $l.right}}
"""
    facts = [item("a", size=1), item("b", size=2), link("a", "b"), link("a", "a"), link("b", "a"), link("b", "b")]
    session = run(rules, facts)
    assert names(session, "two") == [("a", "b")]
    assert names(session, "passed_over") == [("e", "asc $i.size", "b", "a")]
    (way,) = session.proof.of(session.store.facts("two")[0].id)
    assert way.key == "canonical order"


def take(more: str, by: str = "asc: $i.size}, {asc: $i.seq") -> str:
    return (
        "stage: s0\n"
        f"take:\n  - id: t\n    from: [{{item: {{as: i}}}}]\n    by: [{{{by}}}]\n{more}"
        "    into: {placed: {item: $i, number: $number}}\n    rest: {left: {item: $i, number: $number}}\n"
    )


PLACES = "  placed: {fields: {item: {ref: item}, number: int}}\n  left: {fields: {item: {ref: item}, number: int}}\n"


def test_the_first_rows_are_taken_and_both_sides_are_numbered(run: Run, item: Item, names: Names) -> None:
    facts = [item("c", size=3), item("a", size=1), item("b", size=2), item("z")]
    session = run(take("    keep: 2\n"), facts, kinds=PLACES)
    assert names(session, "placed") == [("a", 1), ("b", 2)]
    assert names(session, "left") == [("c", 1), ("z", 2)]
    assert names(run(take(""), facts, kinds=PLACES), "placed") == [("a", 1), ("b", 2), ("c", 3), ("z", 4)]


def test_rows_are_counted_not_facts(run: Run, item: Item, names: Names) -> None:
    rules = """\
stage: s0
take:
  - id: t
    from: [{item: {as: i}}, {link: {as: l, left: $i}}]
    by: [{asc: $i.seq}]
    keep: 3
    into: {row: {left: $i, right: $l.right, number: $number}}
    rest: {two: {first: $i, second: $l.right}}
"""
    kinds = "  row: {fields: {left: {ref: item}, right: {ref: item}, number: int}}\n"
    facts = [item("a"), item("b"), link("a", "a"), link("a", "b"), link("b", "a"), link("b", "b")]
    session = run(rules, facts, kinds=kinds)
    assert names(session, "row") == [("a", "a", 1), ("a", "b", 2), ("b", "a", 3)]
    assert names(session, "two") == [("b", "b")]


APART = """\
stage: s0
take:
  - id: t
    from: [{item: {as: i}}]
    by: [{asc: $i.seq}]
    keep: 2
    apart: {link: [left, right]}
    into: {seen: {item: $i}}
    rest: {near: {item: $i, to: $nearest}}
"""
NEAR = "  near: {fields: {item: {ref: item}, to: {ref: item, optional: true}}}\n"


def test_apart_keeps_linked_facts_from_being_taken_together(run: Run, item: Item, names: Names) -> None:
    facts = [item(name) for name in "abcde"]
    session = run(APART, [*facts, link("a", "b"), link("c", "b"), link("d", "c"), link("d", "a"), link("e", "e")], kinds=NEAR)
    assert names(session, "seen") == ["a", "c"]
    assert names(session, "near") == [("b", "a"), ("d", "a"), ("e", None)]


def test_a_fact_linked_to_itself_is_not_apart_from_itself(run: Run, item: Item, names: Names) -> None:
    rules = """\
stage: s0
take:
  - id: t
    from: [{item: {as: i}}, {link: {as: l, left: $i}}]
    by: [{asc: $i.seq}]
    apart: {link: [left, right]}
    into: {two: {first: $i, second: $l.right}}
"""
    session = run(rules, [item("a"), item("b"), link("a", "a"), link("a", "b"), link("b", "b")])
    assert names(session, "two") == [("a", "a"), ("a", "b")]


def test_groups_are_components_named_by_their_members(run: Run, item: Item, names: Names) -> None:
    rules = """\
stage: s0
group:
  - id: g
    from: [{link: {as: l}}]
    pair: [$l.left, $l.right]
    into: {cluster: {name: $group, size: $size}}
    member: {of: {name: $group, item: $member}}
"""
    kinds = "  cluster: {fields: {name: text, size: int}}\n  of: {fields: {name: text, item: {ref: item}}}\n"
    facts = [*(item(name) for name in "abcdef"), link("b", "a"), link("c", "d"), link("a", "c"), link("e", "e")]
    session = run(rules, facts, kinds=kinds)
    first = digest(*sorted(fact_id("item", name) for name in "abcd"))
    second = digest(fact_id("item", "e"))
    assert names(session, "cluster") == [(first, 4), (second, 1)]
    assert names(session, "of") == [(first, "b"), (first, "a"), (first, "c"), (first, "d"), (second, "e")]
    turned = run(rules, [*facts[:6], link("c", "a"), link("d", "c"), link("a", "b"), link("e", "e")], kinds=kinds)
    assert sorted(names(turned, "cluster")) == sorted([(first, 4), (second, 1)])


def test_a_pair_with_an_absent_side_connects_nothing(run: Run, item: Item, names: Names) -> None:
    rules = """\
stage: s0
group:
  - id: g
    from: [{item: {as: i}}]
    pair: [$i, $i.other]
    into: {counted: {number: $size}}
"""
    facts = [item("a", other=fact_id("item", "b")), item("b"), item("c", other=fact_id("item", "c")), item("d")]
    assert names(run(rules, facts), "counted") == [2, 1]


def test_with_members_everything_else_only_connects(run: Run, item: Item, names: Names) -> None:
    rules = """\
stage: s0
group:
  - id: g
    from: [{item: {as: i, sort: {exists: true}}}]
    pair: [$i, $i.sort]
    members: item
    into: {cluster: {name: $group, size: $size}}
"""
    kinds = "  cluster: {fields: {name: text, size: int}}\n"
    facts = [item("a", sort="red"), item("b"), item("c", sort="red"), item("d", sort="blue")]
    session = run(rules, facts, kinds=kinds)
    assert [size for _, size in names(session, "cluster")] == [2, 1, 1]


def test_patterns_give_first_matches_in_the_order_of_their_entries(run: Run, names: Names) -> None:
    rules = """\
stage: s0
patterns:
  - {id: p.number, over: {said: text}, regex: '(?P<number>[0-9]+)(?P<unit>s)?'}
  - {id: p.name, over: {item: name}, regex: 'a'}
  - {id: p.word, over: {said: text}, regex: '[a-zé]+'}
  - {id: p.none, over: {said: text}, regex: 'zzz'}
"""
    texts = ["é 12s", "7", ""]
    drafts = [Draft("said", {"text": text}, {"text": Span(3, 10, 10 + len(text))}, ("parser", "test")) for text in texts]
    session = run(rules, [*drafts, Draft("item", {"name": "ba"})])
    matches = [(values[0], *values[3:]) for values in names(session, "match")]
    assert matches == [("p.number", 2, 5, "12s"), ("p.number", 0, 1, "7"), ("p.name", 1, 2, "a"), ("p.word", 0, 1, "é")]
    assert [values[1:] for values in names(session, "match_group")] == [("number", 2, 4, "12"), ("unit", 4, 5, "s"), ("number", 0, 1, "7")]
    first = session.store.facts("match")[0]
    assert first.spans == {"": Span(3, 12, 15)}
    elsewhere = Draft("said", {"text": "x 5"}, {"text": Span(3, 10, 20)}, ("parser", "test"))
    assert [fact.spans for fact in run(rules, [elsewhere]).store.facts("match")] == [{}, {}]


def test_many_patterns_over_one_field_find_what_each_finds_alone(run: Run, names: Names) -> None:
    regexes = [f"{letter}[0-9]?x*{letter}" for letter in "abcdefgh"]
    texts = ["a5a", "bb c1xxc", "hh gg", "nothing here"]
    drafts = [Draft("said", {"text": text}) for text in texts]
    entries = [f"  - {{id: p{n}, over: {{said: text}}, regex: '{regex}'}}\n" for n, regex in enumerate(regexes)]
    together = names(run("stage: s0\npatterns:\n" + "".join(entries), drafts), "match")
    alone = [match for entry in entries for match in names(run("stage: s0\npatterns:\n" + entry, drafts), "match")]
    assert together == alone
    assert len(alone) == 5


def test_patterns_too_large_for_one_automaton_are_tried_one_by_one(run: Run, names: Names) -> None:
    regexes = [rf"{letter}\pN{{1,100}}" for letter in "abcdefghijklmnop"]
    entries = [f"  - {{id: p{n}, over: {{said: text}}, regex: '{regex}'}}\n" for n, regex in enumerate(regexes)]
    session = run("stage: s0\npatterns:\n" + "".join(entries), [Draft("said", {"text": "a5 c7"})])
    assert [values[0] for values in names(session, "match")] == ["p0", "p2"]


def test_operators_of_one_stage_do_not_see_each_other(run: Run, item: Item, names: Names) -> None:
    rules = """\
stage: s0
rules:
  - {id: r, when: [{item: {as: i, size: 1}}], then: [{seen: {item: $i}}]}
---
stage: s1
elect:
  - id: one
    from: [{seen: {as: s}}]
    by: [{asc: $s.seq}]
    into: {two: {first: $s.item, second: $s.item}}
rules:
  - {id: later, when: [{two: {as: t}}], then: [{said: {text: seen}}]}
"""
    session = run(rules, [item("a", size=1)])
    assert names(session, "said") == ["seen"]


def spread(rows: Sequence[tuple[Fact, ...]], options: Mapping[str, Value]) -> Iterable[Mapping[str, object]]:
    yield {"number": len(rows) + int(str(options["plus"] or 0)), "_from": tuple(row[0].id for row in rows)}


MEASURE = """\
stage: s0
measures:
  - {{id: m, function: spread, from: [{{item: {{as: i}}}}], output: counted{more}}}
"""


def test_a_measure_is_called_once_per_block_with_its_options(run: Run, item: Item, names: Names) -> None:
    measures = {"spread": MeasureSignature("spread", spread, (Field("plus", "int", True),))}
    facts = [item("a", sort="red"), item("b", sort="blue"), item("c", sort="red"), item("d")]
    session = run(MEASURE.format(more=", block: [$i.sort], options: {plus: 10}"), facts, measures=measures)
    assert names(session, "counted") == [12, 11]
    ways = session.proof.of(session.store.facts("counted")[1].id)
    assert [len(way.inputs) for way in ways] == [1, 1]
    assert names(run(MEASURE.format(more=""), facts, measures=measures), "counted") == [4]
    assert names(run(MEASURE.format(more=""), [], measures=measures), "counted") == []
