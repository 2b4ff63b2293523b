"""Why: what cannot have one meaning is an error with the same words whoever ran, and nothing of it depends on an order."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from tollens.engine.errors import BudgetExceeded, FactError
from tollens.engine.session.session import Session
from tollens.facts.fact import Draft, fact_id

Run = Callable[..., Session]
Item = Callable[..., Draft]
Names = Callable[[Session, str], list[Any]]

SEE = "stage: s0\nrules:\n  - {id: r, when: [{item: {as: i}}], then: [{seen: {item: $i}}]}\n"


def test_the_budget_allows_exactly_so_many_matches(run: Run, item: Item) -> None:
    facts = [item(name) for name in "abc"]
    assert run(SEE, facts, budget=3).firings["s0"] == 3
    with pytest.raises(BudgetExceeded, match=r"stage s0 matched 2 times and was not finished; most often: r \(2\)"):
        run(SEE, facts, budget=2)


@pytest.mark.parametrize("order", list(itertools.permutations("abc")))
def test_matches_that_assert_nothing_count_whenever_they_come(run: Run, item: Item, order: tuple[str, ...]) -> None:
    rules = SEE.replace("then:", "if: [{eq: [$i.name, a]}], then:")
    facts = [item(name) for name in order]
    assert run(rules, facts, budget=3).firings["s0"] == 1
    with pytest.raises(BudgetExceeded):
        run(rules, facts, budget=2)


def test_an_endless_looking_rule_ends_at_its_fixpoint(run: Run, item: Item) -> None:
    rules = "stage: s0\nrules:\n  - {id: r, when: [{two: {as: t}}], then: [{two: {first: $t.second, second: $t.first}}]}\n"
    drafts = [item("a"), item("b"), Draft("two", {"first": fact_id("item", "a"), "second": fact_id("item", "b")})]
    assert run(rules, drafts, budget=2).firings["s0"] == 2


KEYED = "  best: {key: [item], fields: {item: {ref: item}, text: text}}\n"
RIVALS = (
    "stage: s0\nrules:\n"
    "  - {id: zeta, when: [{item: {as: i}}], then: [{best: {item: $i, text: z}}]}\n"
    "  - {id: alpha, when: [{item: {as: i}}, {item: {size: 1}}], then: [{best: {item: $i, text: a}}]}\n"
)


@pytest.mark.parametrize("turned", [False, True])
def test_two_contents_of_one_identity_name_both_producers_whatever_the_order(run: Run, item: Item, turned: bool) -> None:
    facts = [item("a", size=1), item("b", size=2), item("c")]
    with pytest.raises(FactError) as caught:
        run(RIVALS, facts[::-1] if turned else facts, kinds=KEYED)
    assert caught.value.message == (
        "best with the same key (item) has two values for text: one from rule:alpha, one from rule:zeta; "
        "declare the kind a rival if both may stand"
    )


def test_a_rule_may_not_contradict_an_earlier_stage(run: Run, item: Item) -> None:
    rules = (
        "stage: s0\nrules:\n  - {id: early, when: [{item: {as: i}}], then: [{best: {item: $i, text: x}}]}\n"
        "---\nstage: s1\nrules:\n  - {id: late, when: [{item: {as: i}}], then: [{best: {item: $i, text: y}}]}\n"
    )
    with pytest.raises(FactError, match=r"two values for text: one from rule:early, one from rule:late"):
        run(rules, [item("a")], kinds=KEYED)


def test_rivals_live_side_by_side(run: Run, item: Item, names: Names) -> None:
    kinds = "  best: {key: [item], rival: true, fields: {item: {ref: item}, text: text}}\n"
    assert names(run(RIVALS, [item("a", size=2)], kinds=kinds), "best") == [("a", "z")]
    assert len(names(run(RIVALS, [item("a", size=1), item("b", size=2)], kinds=kinds), "best")) == 3


@pytest.mark.parametrize("turned", [False, True])
def test_inputs_that_contradict_each_other_name_both(run: Run, turned: bool) -> None:
    drafts = [
        Draft("item", {"name": "a", "size": 1}, {}, ("parser", "one")),
        Draft("item", {"name": "a", "size": 2}, {}, ("parser", "two")),
    ]
    with pytest.raises(
        FactError, match=r"item with the same key \(name\) has two values for size: one from parser:one, one from parser:two"
    ):
        run(SEE, drafts[::-1] if turned else drafts)


def test_a_verdict_is_no_input(run: Run) -> None:
    kinds = "  judged: {verdict: true, fields: {text: text}}\n"
    with pytest.raises(FactError, match="caller:me: judged is a verdict; only rules may assert it"):
        run(SEE, [Draft("judged", {"text": "guilty"}, {}, ("caller", "me"))], kinds=kinds)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"name": "a", "other": "item:0"}, "parser:p: item.other refers to item:0, which is no fact"),
        ({"name": "a", "size": "5"}, "parser:p: item: size must be int or nothing, not '5'"),
        ({"name": "a", "size": True}, "parser:p: item: size must be int or nothing, not True"),
        ({"name": "a", "share": float("nan")}, "parser:p: item: a number must be finite"),
        ({"name": "a", "size": 2**62}, "parser:p: item: size must be smaller than 2\\*\\*62 in magnitude"),
        ({"name": "a", "mood": "none"}, "parser:p: item: mood must be one of low, mid, high or nothing, not 'none'"),
        ({"size": 1}, "parser:p: item: name needs a value: text"),
        ({"name": "a", "nome": "b"}, "parser:p: item has no field 'nome'; its fields are name"),
        ({"name": "a\ud800"}, "parser:p: item holds text that is not valid Unicode"),
    ],
)
def test_facts_that_do_not_fit_are_refused(run: Run, fields: dict[str, object], message: str) -> None:
    with pytest.raises(FactError, match=message):
        run(SEE, [Draft("item", fields, {}, ("parser", "p"))])


def test_unknown_kinds_and_references_to_other_kinds_are_refused(run: Run, item: Item) -> None:
    with pytest.raises(FactError, match="parser:p: there is no kind 'thing'"):
        run(SEE, [Draft("thing", {}, {}, ("parser", "p"))])
    said = Draft("said", {"text": "x"})
    with pytest.raises(FactError, match=r"parser:test: item.other must be a reference to item or nothing, not said"):
        run(SEE, [said, item("a", other=fact_id("said", "x"))])


def test_references_may_point_forward(run: Run, item: Item, names: Names) -> None:
    assert names(run(SEE, [item("a", other=fact_id("item", "b")), item("b")]), "seen") == ["a", "b"]
