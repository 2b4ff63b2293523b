"""Why: what evaluators get has every constant in the form of its field and every conversion spelled out."""

from __future__ import annotations

from typing import Any

import pytest

from tollens.engine.rulebook.build.functions import FUNCTIONS
from tollens.engine.rulebook.syntax import Aggregate, Call, Const, Format, Name, Ref, Rule
from tollens.engine.session.functions import FUNCTIONS as EVALUATED


def only_rule(bench: Any, text: str) -> Rule:
    (rule,) = bench.rules(text).stages[1].rules
    assert isinstance(rule, Rule)
    return rule


@pytest.mark.parametrize(
    ("test", "op", "value"),
    [
        ("depth: 3", "eq", 3),
        ("depth: {gt: -3}", "gt", -3),
        ("score: 3", "eq", 3_000_000),
        ("score: {gte: 0.85}", "gte", 850_000),
        ("score: {gte: 1e-3}", "gte", 1_000),
        ("score: {lt: $tables.similar}", "lt", 850_000),
        ("score: {lt: $tables.deep}", "lt", 3_000_000),
        ("score: {in: [1, 2.5]}", "in", (1_000_000, 2_500_000)),
        ("depth: {in: [1, $tables.deep, 1]}", "in", (1, 3)),
        ("file: {in: $tables.words}", "in", ("alpha", "beta")),
        ("file: {in: [x, $tables.words]}", "in", ("x", "alpha", "beta")),
        ("file: $tables.word", "eq", "alpha"),
        ("file: $$HOME", "eq", "$HOME"),
        ("file: {starts: $$HOME}", "starts", "$HOME"),
        ("file: {contains: $tables.word}", "contains", "alpha"),
        ("file: {matches: '$'}", "matches", "$"),
        ("file: {matches: $tables.word}", "matches", "alpha"),
        ("file: yes", "eq", "yes"),
        ("file: 2026-01-02", "eq", "2026-01-02"),
        ("file: 010", "eq", "010"),
        ("file: 0x1F", "eq", "0x1F"),
        ("file: 1:30", "eq", "1:30"),
        ("file: 1_000", "eq", "1_000"),
        ("file: 'true'", "eq", "true"),
        ("file: .inf", "eq", ".inf"),
        ("file: True", "eq", "True"),
        ("library: true", "eq", True),
        ("severity: {gte: warning}", "gte", "warning"),
        ("tag: {ne: red}", "ne", "red"),
        ("line: {exists: false}", "exists", False),
    ],
)
def test_constants_take_the_form_of_their_field(bench: Any, one_rule: Any, test: str, op: str, value: object) -> None:
    (found,) = only_rule(bench, one_rule(when=f"- stack_frame: {{as: f, {test}}}")).alternatives[0][0].tests
    assert (found.op, found.operand) == (op, Const(value))  # type: ignore[arg-type]  # any value of the table
    assert type(found.operand.value) is type(value)  # type: ignore[union-attr]  # a Const, as the line above shows


def test_two_operators_must_both_hold(bench: Any, one_rule: Any) -> None:
    tests = only_rule(bench, one_rule(when="- stack_frame: {as: f, depth: {gt: 1, lte: 5}, file: x}")).alternatives[0][0].tests
    assert [(t.field, t.op) for t in tests] == [("depth", "gt"), ("depth", "lte"), ("file", "eq")]


def test_references(bench: Any, one_rule: Any) -> None:
    rule = only_rule(
        bench, one_rule(when="- signal: {as: s}\n- stack_frame: {as: f, signal: $s, depth: {lt: $s.number}, seq: {gt: $s.seq}}")
    )
    assert [t.operand for t in rule.alternatives[0][1].tests] == [Ref("s", "id"), Ref("s", "number"), Ref("s", "seq")]


def test_any_is_expanded(bench: Any, one_rule: Any) -> None:
    when = "- stack_frame: {as: f}\n- any:\n    - [{signal: {as: s, number: 1}}]\n    - - signal: {as: s, number: 2}\n      - project_root: {}\n- any: [[{row: {name: a}}], [{row: {name: b}}]]"
    rule = only_rule(bench, one_rule(when=when, says="'{s.number}'"))
    shape = [[(p.kind, p.alias) for p in alternative] for alternative in rule.alternatives]
    assert shape == [
        [("stack_frame", "f"), ("signal", "s"), ("row", "_3")],
        [("stack_frame", "f"), ("signal", "s"), ("row", "_3")],
        [("stack_frame", "f"), ("signal", "s"), ("project_root", "_3"), ("row", "_4")],
        [("stack_frame", "f"), ("signal", "s"), ("project_root", "_3"), ("row", "_4")],
    ]
    assert rule.meta.says == Format((Ref("s", "number"),))


def test_nested_any(bench: Any, one_rule: Any) -> None:
    when = (
        "- stack_frame: {as: f}\n- any:\n    - [{any: [[{signal: {number: 1}}], [{signal: {number: 2}}]]}]\n    - [{signal: {number: 3}}]"
    )
    rule = only_rule(bench, one_rule(when=when))
    assert [alternative[1].tests[0].operand for alternative in rule.alternatives] == [Const(1), Const(2), Const(3)]


def test_sixty_four_alternatives_and_fourteen_patterns(bench: Any, one_rule: Any) -> None:
    when = "- stack_frame: {as: f}\n" + "- any: [[{signal: {}}], [{project_root: {}}]]\n" * 6
    rule = only_rule(bench, one_rule(when=when, unless="- row: {name: x}\n" * 7))
    assert len(rule.alternatives) == 64
    assert len(rule.alternatives[0]) + len(rule.unless) == 14


DEPTH, SCORE = Ref("f", "depth"), Ref("f", "score")


def to_number(expr: Any) -> Call:
    return Call("to_number", (expr,))


@pytest.mark.parametrize(
    ("text", "expr", "type_"),
    [
        ("7", Const(7), "int"),
        ("0.5", Const(500_000), "number"),
        ("a text", Const("a text"), "text"),
        ("[a, b]", Const(("a", "b")), "list"),
        ("true", Const(True), "bool"),
        ("$f", Ref("f", "id"), "ref"),
        ("$f.severity", Ref("f", "severity"), "text"),
        ("$tables.similar", Const(850_000), "number"),
        ("$tables.words", Const(("alpha", "beta")), "list"),
        ("{add: [$f.depth, 1]}", Call("add", (DEPTH, Const(1))), "int"),
        ("{add: [$f.depth, 1.5]}", Call("add", (to_number(DEPTH), Const(1_500_000))), "number"),
        ("{sub: [$f.score, 1]}", Call("sub", (SCORE, Const(1_000_000))), "number"),
        ("{mul: [$f.depth, 2]}", Call("mul", (DEPTH, Const(2))), "int"),
        ("{mul: [$f.depth, $f.score, 2]}", Call("mul_number", (to_number(DEPTH), SCORE, Const(2_000_000))), "number"),
        ("{ratio: [$f.depth, 2, 0]}", Call("ratio", (DEPTH, Const(2), Const(0))), "number"),
        ("{ratio: [$f.depth, $f.score, 1]}", Call("ratio", (to_number(DEPTH), SCORE, Const(1_000_000))), "number"),
        ("{ratio: [1, 2, $f.depth]}", Call("ratio", (Const(1), Const(2), to_number(DEPTH))), "number"),
        ("{clamp: [$f.score, 0, 1]}", Call("clamp", (SCORE, Const(0), Const(1_000_000))), "number"),
        ("{round: [$f.score, 2]}", Call("round", (SCORE, Const(2))), "number"),
        ("{least: [$f.depth, $f.line]}", Call("least", (DEPTH, Ref("f", "line"))), "int"),
        ("{most: [$f.depth]}", Call("most", (DEPTH,)), "int"),
        ("{lower: $f.file}", Call("lower", (Ref("f", "file"),)), "text"),
        ("{last_part: [$f.file, /]}", Call("last_part", (Ref("f", "file"), Const("/"))), "text"),
        ("{digest: [$f, $f.names, 1]}", Call("digest", (Ref("f", "id"), Ref("f", "names"), Const(1))), "text"),
        ("{default: [$f.function, none]}", Call("default", (Ref("f", "function"), Const("none"))), "text"),
        ("{default: [$f.line, 0.5]}", Call("default", (to_number(Ref("f", "line")), Const(500_000))), "number"),
        ("{format: '{f.file}:{f.line} {{x}} {tables.deep}'}", Format((Ref("f", "file"), ":", Ref("f", "line"), " {x} 3")), "text"),
        ("{lower: {format: x}}", Call("lower", (Format(("x",)),)), "text"),
    ],
)
def test_expressions(bench: Any, one_rule: Any, text: str, expr: Any, type_: str) -> None:
    (let,) = only_rule(bench, one_rule(let=f"x: {text}")).lets
    assert (let.expr, let.type) == (expr, type_)


def test_aggregates(bench: Any, one_rule: Any) -> None:
    rule = only_rule(
        bench, one_rule(let="n: {count: {signal: {number: {gt: $f.depth}}}, distinct: [type]}\nm: {max: {stack_frame: {}}, of: score}")
    )
    count, most = rule.lets
    assert isinstance(count.expr, Aggregate)
    assert (count.expr.function, count.expr.field, count.expr.distinct, count.type) == ("count", "", ("type",), "int")
    assert [(t.field, t.op, t.operand) for t in count.expr.pattern.tests] == [("number", "gt", DEPTH)]
    assert (most.type, most.expr.field) == ("number", "score")  # type: ignore[union-attr]  # an Aggregate


def test_heads_are_in_the_order_of_the_kind_and_in_its_form(bench: Any, one_rule: Any) -> None:
    then = "- good: {severity: note, score: 1, depth: $n, frame: $f, label: $f.tag, names: [a]}"
    (head,) = only_rule(bench, one_rule(let="n: {add: [$f.depth, 1]}", then=then)).heads
    assert head.fields == (
        ("frame", Ref("f", "id")),
        ("depth", Name("n")),
        ("score", Const(1_000_000)),
        ("severity", Const("note")),
        ("label", Ref("f", "tag")),
        ("names", Const(("a",))),
    )


@pytest.mark.parametrize(
    ("text", "op", "left", "right"),
    [
        ("gt: [$f.score, 1]", "gt", SCORE, Const(1_000_000)),
        ("lte: [1, $f.score]", "lte", Const(1_000_000), SCORE),
        ("eq: [$f.tag, red]", "eq", Ref("f", "tag"), Const("red")),
        ("eq: [$f.tag, $f.file]", "eq", Ref("f", "tag"), Ref("f", "file")),
        ("in: [$f.score, [1, 2]]", "in", SCORE, Const((1_000_000, 2_000_000))),
        ("in: [$f.file, $tables.words]", "in", Ref("f", "file"), Const(("alpha", "beta"))),
        ("in: [$f.file, $f.names]", "in", Ref("f", "file"), Ref("f", "names")),
        ("exists: $f.line", "exists", Ref("f", "line"), Const(True)),
    ],
)
def test_conditions(bench: Any, one_rule: Any, text: str, op: str, left: Any, right: Any) -> None:
    (condition,) = only_rule(bench, one_rule(if_=f"- {text}")).conditions
    assert (condition.op, condition.left, condition.right) == (op, left, right)


def test_operators(bench: Any) -> None:
    text = """stage: main
elect:
  - id: e
    says: "{f.file}"
    from: [{stack_frame: {as: f}}, {signal: {as: s, id: $f.signal}}]
    unless: [{helper: {frame: $f}}]
    per: [$s, $s.type]
    by: [{desc: $f.severity}, {asc: $f.seq}]
    into: {good: {frame: $f, depth: 1}}
take:
  - id: t
    from: [{stack_frame: {as: f}}]
    by: [{asc: $f}]
    keep: $tables.deep
    apart: {pair: [left, right]}
    into: {good: {frame: $f, depth: $number}}
    rest: {good: {frame: $nearest, depth: $number}}
group:
  - id: g
    says: "{size} of {group}"
    from: [{pair: {as: p}}]
    pair: [$p.left, $p.right]
    members: {stack_frame: {depth: 3}}
    into: {row: {name: $group, value: 1}}
    member: {good: {frame: $member, depth: $size, label: $group}}
measures:
  - {id: m, function: distance, from: [{stack_frame: {as: f}}], block: [$f.file], output: row, options: {least: 1}}
patterns:
  - {id: p, over: {stack_frame: file}, regex: 'a(?P<b>c)', says: "{match.text}"}
"""
    main = bench.rules(text).stages[1]
    (elect,), (take,), (group,), (measure,), (pattern,) = main.elects, main.takes, main.groups, main.measures, main.patterns
    assert (elect.per, [(by.value, by.descending) for by in elect.by]) == (
        (Ref("s", "id"), Ref("s", "type")),
        [(Ref("f", "severity"), True), (Ref("f", "seq"), False)],
    )
    assert (take.keep, tuple(take.apart)) == (3, ("pair", "left", "right"))
    assert (dict(take.into.fields)["depth"], dict(take.rest.fields)["frame"]) == (Name("number"), Name("nearest"))
    assert (group.members.kind, group.members.tests[0].operand) == ("stack_frame", Const(3))
    assert dict(group.member.fields) == {"frame": Name("member"), "depth": Name("size"), "label": Name("group")}
    assert (measure.block, measure.options) == ((Ref("f", "file"),), (("least", 1_000_000), ("mode", None)))
    assert (pattern.kind, pattern.field, pattern.regex, pattern.meta.says) == (
        "stack_frame",
        "file",
        "a(?P<b>c)",
        Format((Ref("match", "text"),)),
    )


def test_heading(bench: Any, one_rule: Any) -> None:
    text = one_rule(says="'{{f}} {f.file}'", status="deprecated", refs="[spec 1, spec 2]", since="1.10", sealed="true")
    meta = only_rule(bench, text).meta
    assert (meta.status, meta.refs, meta.since, meta.sealed, meta.says) == (
        "deprecated",
        ("spec 1", "spec 2"),
        "1.10",
        True,
        Format(("{f} ", Ref("f", "file"))),
    )
    assert str(meta.place) == "mine/rules.yaml:3:5"


def test_every_declared_function_is_evaluated() -> None:
    assert sorted(FUNCTIONS) == sorted(EVALUATED)
