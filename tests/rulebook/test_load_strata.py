"""Why: a rulebook that loads has one meaning: nothing is negated, counted, elected or numbered before it is complete."""

from __future__ import annotations

from typing import Any

import pytest


def rule(name: str, when: str, then: str, **more: str) -> str:
    """A rule on one line."""
    extra = "".join(f", {key.rstrip('_')}: {value}" for key, value in more.items())
    return f"  - {{id: {name}, when: [{when}]{extra}, then: [{then}]}}\n"


def errors_of(bench: Any, text: str) -> list[Any]:
    return bench.check(bench.pack({"rules.yaml": text}))  # type: ignore[no-any-return]  # the fixture is untyped here


def stage(name: str, *rules: str) -> str:
    return f"---\nstage: {name}\nrules:\n" + "".join(rules)


MAKES = rule("make", "{stack_frame: {as: f}}", "{helper: {frame: $f}}")


def test_unless_over_the_same_stage(bench: Any) -> None:
    text = stage("main", MAKES, rule("r", "{stack_frame: {as: f}}", "{good: {frame: $f, depth: 1}}", unless="[{helper: {frame: $f}}]"))
    (error,) = errors_of(bench, text)
    assert error.message.startswith("helper is under `unless` here and produced in the same stage by make (")
    assert (error.place.line, error.place.column) == (5, 55)
    assert "move make to an earlier stage" in error.next_step


def test_unless_over_a_later_stage(bench: Any) -> None:
    text = stage("main", rule("r", "{stack_frame: {as: f}}", "{good: {frame: $f, depth: 1}}", unless="[{helper: {frame: $f}}]")) + stage(
        "late", MAKES
    )
    (error,) = errors_of(bench, text)
    assert "produced in the later stage late by make" in error.message


def test_unless_over_an_earlier_stage(bench: Any) -> None:
    text = stage("early", MAKES) + stage(
        "main", rule("r", "{stack_frame: {as: f}}", "{good: {frame: $f, depth: 1}}", unless="[{helper: {frame: $f}}]")
    )
    assert errors_of(bench, text) == []


def test_cycle_through_unless_is_spelled_out(bench: Any) -> None:
    text = stage(
        "main",
        rule("a", "{stack_frame: {as: f}}", "{good: {frame: $f, depth: 1}}", unless="[{helper: {frame: $f}}]"),
        rule("b", "{good: {as: g}}", "{pair: {left: $g.frame, right: $g.frame}}"),
        rule("c", "{pair: {as: p}}", "{helper: {frame: $p.left}}"),
    )
    (error,) = errors_of(bench, text)
    assert error.message == (
        "a stands in a cycle through helper, which is under `unless`: a makes good; b makes pair from good; c makes helper from pair; a depends on helper"
    )


def test_aggregate_over_the_same_stage(bench: Any) -> None:
    text = stage(
        "main",
        MAKES,
        rule("r", "{stack_frame: {as: f}}", "{good: {frame: $f, depth: $n}}", let="{n: {add: [1, {count: {helper: {frame: $f}}}]}}"),
    )
    (error,) = errors_of(bench, text)
    assert "helper is counted here and produced in the same stage" in error.message
    assert error.place.line == 5


def test_aggregate_in_a_head(bench: Any) -> None:
    text = stage("main", MAKES, rule("r", "{stack_frame: {as: f}}", "{good: {frame: $f, depth: {count: {helper: {}}}}}"))
    assert "helper is counted here" in errors_of(bench, text)[0].message


ELECT = "elect:\n  - {id: e, from: [{helper: {as: h}}], by: [{asc: $h.seq}], into: {good: {frame: $h.frame, depth: 1}}}\n"


@pytest.mark.parametrize(
    "operator",
    [
        ELECT,
        "take:\n  - {id: e, from: [{helper: {as: h}}], by: [{asc: $h.seq}], into: {good: {frame: $h.frame, depth: 1}}}\n",
        "take:\n  - {id: e, from: [{stack_frame: {as: h}}], unless: [{helper: {frame: $h}}], by: [{asc: $h.seq}], into: {good: {frame: $h, depth: 1}}}\n",
        "group:\n  - {id: e, from: [{pair: {as: p}}, {helper: {as: h}}], pair: [$p.left, $h.frame], into: {row: {name: $group, value: 1}}}\n",
        "patterns:\n  - {id: e, over: {row: name}, regex: x}\n",
        "measures:\n  - {id: e, function: distance, from: [{helper: {}}], output: row, options: {least: 1}}\n",
    ],
    ids=["elect", "take", "unless", "group", "pattern", "measure"],
)
def test_operators_need_earlier_stages(bench: Any, operator: str) -> None:
    maker = MAKES + rule("rows", "{stack_frame: {as: f}}", "{row: {name: x, value: 1}}")
    for position in ("main", "late"):
        errors = errors_of(bench, stage(position, maker) + f"---\nstage: main\n{operator}")
        assert len(errors) == 1
        assert "e" in errors[0].message
        assert ("in the same stage by" if position == "main" else "in the later stage late by") in errors[0].message
    assert errors_of(bench, stage("early", maker) + f"---\nstage: main\n{operator}") == []


def test_apart_and_members_need_earlier_stages(bench: Any) -> None:
    pairs = stage("main", rule("pairs", "{stack_frame: {as: f}}", "{pair: {left: $f, right: $f}}"))
    take = "---\nstage: main\ntake:\n  - {id: t, from: [{stack_frame: {as: h}}], by: [{asc: $h.seq}], apart: {pair: [left, right]}, into: {helper: {frame: $h}}}\n"
    assert "pair is under `apart` here" in errors_of(bench, pairs + take)[0].message
    group = "---\nstage: main\ngroup:\n  - {id: g, from: [{stack_frame: {as: h}}], pair: [$h, $h.signal], members: stack_frame, member: {helper: {frame: $member}}}\n"
    assert errors_of(bench, group) == []
    lost = "---\nstage: main\ngroup:\n  - {id: g, from: [{passed_over: {as: o, by: e}}], pair: [$o.loser, $o.winner], members: helper, member: {helper: {frame: $f}}}\n"
    lost = lost.replace("helper: {frame: $f}", "row: {name: $group, value: 1}")
    elect = (
        "---\nstage: early\nelect:\n  - {id: e, from: [{stack_frame: {as: h}}], by: [{asc: $h.seq}], into: {good: {frame: $h, depth: 1}}}\n"
    )
    (error,) = errors_of(bench, stage("main", MAKES) + elect + lost)
    assert "helper is among `members` here and produced in the same stage by make" in error.message
    assert errors_of(bench, stage("early", MAKES) + elect + lost) == []


def test_rules_may_negate_what_operators_of_their_stage_made(bench: Any) -> None:
    text = (
        stage("early", MAKES)
        + f"---\nstage: main\n{ELECT}"
        + stage(
            "main",
            rule("r", "{stack_frame: {as: f}}", "{pair: {left: $f, right: $f}}", unless="[{good: {frame: $f}}, {passed_over: {by: e}}]"),
        )
    )
    assert errors_of(bench, text) == []


def test_engine_kinds_are_told_apart_by_id(bench: Any) -> None:
    later = f"---\nstage: late\n{ELECT}"
    good = stage("main", rule("r", "{stack_frame: {as: f}}", "{pair: {left: $f, right: $f}}", unless="[{match: {pattern: p, fact: $f}}]"))
    patterns = "---\nstage: main\npatterns: [{id: p, over: {stack_frame: file}, regex: x}]\n---\nstage: late\npatterns: [{id: q, over: {stack_frame: file}, regex: x}]\n"
    assert errors_of(bench, later + good + patterns) == []
    wide = good.replace("pattern: p, ", "")
    (error,) = errors_of(bench, later + wide + patterns)
    assert "match is under `unless` here and produced in the later stage late by q" in error.message
    assert "`pattern: ID`" in error.next_step


def test_an_unknown_operator_id_is_an_error(bench: Any) -> None:
    text = f"stage: main\n{ELECT}" + stage(
        "late", rule("r", "{passed_over: {by: ee, loser: $f}}".replace(", loser: $f", ""), "{row: {name: x, value: 1}}")
    )
    (error,) = errors_of(bench, text)
    assert error.message == "there is no election 'ee'"
    assert error.nearest == "e"


@pytest.mark.parametrize(
    "reader",
    [
        rule("r", "{helper: {as: h, seq: {gt: 3}}}", "{good: {frame: $h.frame, depth: 1}}"),
        rule("r", "{helper: {as: h}}, {stack_frame: {as: f, seq: {gt: $h.seq}}}", "{good: {frame: $f, depth: 1}}"),
        rule("r", "{helper: {as: h}}", "{good: {frame: $h.frame, depth: $h.seq}}"),
    ],
)
def test_seq_of_an_unfinished_kind(bench: Any, reader: str) -> None:
    (error,) = errors_of(bench, stage("main", MAKES, reader))
    assert "the seq of helper is not known yet: make (" in error.message
    assert errors_of(bench, stage("early", MAKES) + stage("main", reader)) == []


def test_computed_values_in_a_circle(bench: Any) -> None:
    text = stage(
        "main",
        rule("grow", "{good: {as: g}}", "{good: {frame: $g.frame, depth: {add: [$g.depth, 1]}}}"),
        rule("start", "{stack_frame: {as: f}}", "{good: {frame: $f, depth: 1}}"),
    )
    (error,) = errors_of(bench, text)
    assert error.message == "grow computes values in a circle: grow makes good; grow sees good"
    longer = stage(
        "main",
        rule("grow", "{row: {as: w}}, {stack_frame: {as: f}}", "{good: {frame: $f, depth: 1, score: {mul: [$w.value, 2]}}}"),
        rule("back", "{good: {as: g}}", "{row: {name: x, value: $g.score}}"),
    )
    (error,) = errors_of(bench, longer)
    assert error.message == "grow computes values in a circle: grow makes good; back makes row from good; grow sees row"


def test_recursion_without_computed_values_is_fine(bench: Any) -> None:
    text = stage("main", rule("close", "{pair: {as: a}}, {pair: {as: b, left: $a.right}}", "{pair: {left: $a.left, right: $b.right}}"))
    assert errors_of(bench, text) == []


def test_a_let_for_a_condition_may_stand_in_a_cycle(bench: Any) -> None:
    text = stage(
        "main", rule("r", "{pair: {as: a}}", "{pair: {left: $a.right, right: $a.left}}", let="{n: {add: [1, 2]}}", if_="[{gt: [$n, 2]}]")
    )
    assert errors_of(bench, text) == []


def test_a_closed_kind(bench: Any) -> None:
    (error,) = errors_of(bench, stage("main", rule("r", "{stack_frame: {as: f}}", "{shut: {frame: $f}}")))
    assert error.message == "shut is closed after the stage early; r asserts it in main"
    assert error.choices == ("early",)
    assert errors_of(bench, stage("early", rule("r", "{stack_frame: {as: f}}", "{shut: {frame: $f}}"))) == []
