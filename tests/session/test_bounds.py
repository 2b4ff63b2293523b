"""Why: a pack and a signal can ask for any amount of work; it is counted while it is done, and nothing goes on beyond a bound."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tollens.engine.errors import BudgetExceeded
from tollens.engine.rulebook.measures import MeasureRegistry
from tollens.engine.session import meter as metering
from tollens.engine.session import session as sessions
from tollens.engine.session.evaluator import Evaluator
from tollens.engine.session.meter import Meter
from tollens.engine.session.session import Session
from tollens.facts.fact import Draft, fact_id

Run = Callable[..., Session]
Item = Callable[..., Draft]

COUNT = 60
TRIPLE = "[{item: {as: a}}, {item: {as: b}}, {item: {as: c}}]"
MEASURES = MeasureRegistry()


@MEASURES.register("nothing")
def nothing(_rows: Any, _options: Any) -> Iterator[dict[str, object]]:
    """Measures nothing."""
    yield from ()


@pytest.fixture
def facts(item: Item) -> list[Draft]:
    return [item(f"i{number:02}", size=number) for number in range(COUNT)]


@pytest.fixture
def meters(monkeypatch: pytest.MonkeyPatch) -> list[Meter]:
    """The meter of each stage that was run; a stage may try 1,000 facts and an operator may have 100 rows."""
    made: list[Meter] = []

    def make(stage: str, budget: int) -> Meter:
        made.append(Meter(stage, budget, rows=100, tries=1000))
        return made[-1]

    monkeypatch.setattr(sessions, "Meter", make)
    monkeypatch.setattr(metering, "TRIES", 10)
    return made


def rule(when: str, rest: str = "", then: str = "said: {text: x}") -> str:
    return f"stage: s0\nrules:\n  - {{id: r, when: {when}, {rest} then: [{then}]}}\n"


def stopped(run: Run, rules: str, facts: list[Draft], budget: int, **more: Any) -> str:
    with pytest.raises(BudgetExceeded) as caught:
        run(rules, facts, budget=budget, **more)
    assert "--budget" in caught.value.next_step
    return caught.value.message


@pytest.mark.parametrize("condition", ["", "if: [{eq: [$a.name, none]}],"])
def test_a_product_stops_at_the_first_match_too_many(run: Run, facts: list[Draft], meters: list[Meter], condition: str) -> None:
    """60 items are 205,320 matches; a join that is made before it is counted would try more than as many facts."""
    message = stopped(run, rule(TRIPLE, condition), facts, 7)
    assert message == "stage s0 matched 7 times and was not finished; most often: r (7)"
    assert meters[0].tries <= 3 * COUNT


JOINS = {
    "no fact fits": rule("[{item: {as: a}}, {item: {as: b, size: {gt: $a.size}}}, {item: {as: c, size: {gt: $b.size, lt: $a.size}}}]"),
    "all are blocked": rule(TRIPLE, "unless: [{item: {size: {gte: $c.size}}}, {item: {size: {lt: $c.size}}}],"),
    "a count": rule("[{item: {as: a}}]", "let: {n: {count: {item: {size: {gt: $a.size}}}}},", "counted: {number: $n}"),
    "a count in a condition": rule("[{item: {as: a}}]", "if: [{gt: [{count: {item: {size: {gt: $a.size}}}}, 99]}],"),
    "a count in a head": rule("[{item: {as: a}}]", "", "counted: {number: {count: {item: {size: {gt: $a.size}}}}}"),
}


@pytest.mark.parametrize("rules", JOINS.values(), ids=JOINS)
def test_work_that_comes_to_nothing_is_bounded(run: Run, facts: list[Draft], meters: list[Meter], rules: str) -> None:
    assert stopped(run, rules, facts, COUNT) == "stage s0 tried 1000 facts and was not finished; most often: r (1000)"
    assert meters[0].tries <= 1000 + COUNT


def test_a_larger_budget_allows_more_tries(run: Run, facts: list[Draft], meters: list[Meter]) -> None:
    assert run(JOINS["a count"], facts, budget=400).firings["s0"] == COUNT
    assert meters[0].tries == COUNT * COUNT + COUNT


def test_the_rules_that_were_busiest_are_named_in_order(run: Run, facts: list[Draft], meters: list[Meter]) -> None:
    rules = "".join(
        f"  - {{id: {name}, when: [{{item: {{as: i, size: {{lt: {size}}}}}}}], then: [{{said: {{text: {name}}}}}]}}\n"
        for name, size in (("few", 5), ("most", 40), ("some", 20), ("more", 30))
    )
    message = stopped(run, f"stage: s0\nrules:\n{rules}", facts, 80)
    assert message == "stage s0 matched 80 times and was not finished; most often: most (40), some (20), more (15)"


OPERATORS = {
    "elect": f"elect: [{{id: o, from: {TRIPLE}, by: [{{asc: $a.seq}}], into: {{said: {{text: $a.name}}}}}}]",
    "take": f"take: [{{id: o, from: {TRIPLE}, by: [{{asc: $a.seq}}], keep: 1, into: {{said: {{text: $a.name}}}}}}]",
    "group": "group: [{id: o, from: [{item: {as: a}}, {item: {as: b}}], pair: [$a.name, $b.name], into: {counted: {number: $size}}}]",
    "measure": f"measures: [{{id: o, function: nothing, from: {TRIPLE}, output: said}}]",
}


@pytest.mark.parametrize("rules", OPERATORS.values(), ids=OPERATORS)
def test_the_rows_of_an_operator_are_bounded(run: Run, facts: list[Draft], meters: list[Meter], rules: str) -> None:
    message = stopped(run, f"stage: s0\n{rules}\n", facts, 5, measures=MEASURES)
    assert message == "stage s0 joined 100 rows and was not finished; most often: o (100)"
    assert meters[0].tries <= 3 * COUNT + 100


def test_rows_that_are_blocked_are_bounded_by_what_is_tried(run: Run, facts: list[Draft], meters: list[Meter]) -> None:
    blocked = "unless: [{item: {size: {gte: $b.size}}}, {item: {size: {lt: $b.size}}}], by: [{asc: $a.seq}], into: {said: {text: x}}"
    rules = f"stage: s0\nelect:\n  - {{id: o, from: [{{item: {{as: a}}}}, {{item: {{as: b}}}}], {blocked}}}\n"
    assert stopped(run, rules, facts, 5) == "stage s0 tried 1000 facts and was not finished; most often: o (1000)"


def test_the_links_of_a_selection_are_bounded(run: Run, facts: list[Draft], meters: list[Meter]) -> None:
    links = [
        Draft("link", {"left": fact_id("item", f"i{a:02}"), "right": fact_id("item", f"i{b:02}")}) for a in range(COUNT) for b in range(a)
    ]
    rules = (
        "stage: s0\ntake:\n  - {id: o, from: [{item: {as: a}}], by: [{asc: $a.seq}], apart: {link: [left, right]}, "
        "into: {said: {text: $a.name}}}\n"
    )
    assert stopped(run, rules, [*facts, *links], 5) == "stage s0 tried 1000 facts and was not finished; most often: o (1000)"


FED = (
    "stage: s0\nrules:\n"
    "  - {id: first, when: [{item: {as: a}}, {item: {as: b, size: {gt: $a.size}}}], then: [{two: {first: $a, second: $b}}]}\n"
    "  - {id: then, when: [{two: {as: x}}, {two: {as: y}}, {two: {as: z, first: $y.second}}], then: [{said: {text: x}}]}\n"
)


def test_a_stage_that_feeds_itself_is_bounded_by_both(run: Run, facts: list[Draft], meters: list[Meter]) -> None:
    assert stopped(run, FED, facts[:20], 600).startswith("stage s0 matched 600 times and was not finished; most often: then (")
    never = FED.replace("{two: {as: z, first: $y.second}}", "{item: {name: nobody}}")
    message = stopped(run, never, facts[:20], 600)
    assert message.startswith("stage s0 tried 6000 facts and was not finished; most often: then (")


def test_a_pattern_of_unless_is_tried_before_what_it_does_not_refer_to(
    run: Run, facts: list[Draft], meters: list[Meter], evaluator: Evaluator
) -> None:
    """What blocks the first pattern is not looked for once more for each fact of the second."""
    run(rule("[{item: {as: a}}, {item: {as: b}}]", "unless: [{item: {size: {exists: true}, name: {ne: $a.name}}}],"), facts, budget=5)
    if evaluator.name == "reference":  # the other one counts an upper bound
        assert meters[0].tries < 10 * COUNT


@pytest.mark.parametrize(("blockers", "fired"), [(["i00"], 1), (["i00", "i01"], 0), ([], 2)])
def test_a_fact_that_is_bound_later_does_not_block(run: Run, item: Item, names: Any, blockers: list[str], fired: int) -> None:
    """One blocking fact may be what a later pattern binds; two of them cannot both be."""
    facts = [item("i00", size=1, good="i00" in blockers), item("i01", size=1, good="i01" in blockers), item("i02", size=2)]
    when = "[{item: {as: a, size: 2}}, {item: {as: b, size: 1}}]"
    session = run(rule(when, "unless: [{item: {good: true, size: {lt: $a.size}}}],", "two: {first: $a, second: $b}"), facts)
    assert len(names(session, "two")) == fired


def test_each_round_looks_at_what_it_brought_only(run: Run, item: Item, meters: list[Meter]) -> None:
    """A chain of derivations as long as the facts are many is linear work."""
    rules = (
        "stage: s0\nrules:\n"
        "  - {id: start, when: [{item: {as: i, name: i000}}], then: [{seen: {item: $i}}]}\n"
        "  - {id: on, when: [{seen: {as: s}}, {item: {as: i, other: $s.item}}], then: [{seen: {item: $i}}]}\n"
    )
    tries = []
    for count in (100, 200):
        chain = [item(f"i{n:03}", other=fact_id("item", f"i{n - 1:03}") if n else None) for n in range(count)]
        assert run(rules, chain, budget=1000).firings["s0"] == count
        tries.append(meters[-3].tries)
    assert tries[1] <= 2 * tries[0] + 10
