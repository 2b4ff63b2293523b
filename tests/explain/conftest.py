"""Why: the tests of explanations share one rulebook written by hand that uses every operator, and ways to run and store it."""

from __future__ import annotations

import io
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tollens.engine.explain.reading import Record
from tollens.engine.explain.record import build
from tollens.engine.explain.shape import fault
from tollens.engine.interfaces import why_command
from tollens.engine.rulebook.builtin import ENGINE_KINDS
from tollens.engine.rulebook.measures import MeasureSignature
from tollens.engine.rulebook.syntax import (
    Aggregate,
    Apart,
    By,
    Call,
    Const,
    Elect,
    Format,
    Group,
    Head,
    Let,
    Measure,
    Meta,
    Name,
    PackInfo,
    Pattern,
    Place,
    Ref,
    Row,
    Rule,
    Rulebook,
    Stage,
    Take,
    Test,
    TextPattern,
)
from tollens.engine.session.reference import Reference
from tollens.engine.session.session import Session, run_session
from tollens.facts.fact import Draft, Fact, Span, fact_id
from tollens.facts.kind import Field, Kind
from tollens.facts.values import Value

_LINE = ("line",)
KINDS = (
    Kind("line", [Field("number", "int"), Field("text", "text")], key=["number"]),
    Kind("quiet", [Field("line", "ref", False, _LINE)]),
    Kind("edge", [Field("left", "ref", False, _LINE), Field("right", "ref", False, _LINE)]),
    Kind("reach", [Field("left", "ref", False, _LINE), Field("right", "ref", False, _LINE)]),
    Kind("word", [Field("text", "text"), Field("weight", "number")]),
    Kind("length", [Field("line", "ref", False, _LINE), Field("characters", "int")]),
    Kind("hit", [Field("line", "ref", False, _LINE), Field("word", "text")], verdict=True),
    Kind("best", [Field("line", "ref", False, _LINE)], verdict=True),
    Kind("ranked", [Field("line", "ref", False, _LINE), Field("place", "int")], verdict=True),
    Kind("late", [Field("line", "ref", False, _LINE), Field("place", "int"), Field("near", "ref", True, _LINE)], verdict=True),
    Kind("cluster", [Field("name", "text"), Field("size", "int")], verdict=True),
    Kind("clustered", [Field("name", "text"), Field("line", "ref", False, _LINE)], verdict=True),
    Kind("total", [Field("hits", "int"), Field("share", "number")], verdict=True),
)


def place(line: int) -> Place:
    return Place("rules/demo.yaml", line, 5)


def meta(name: str, stage: str, index: int, *says: str | Ref | Name) -> Meta:
    return Meta(name, stage, index, place(10 * index + 10), "demo", Format(says))


def pattern(kind: str, alias: str, *tests: Test) -> Pattern:
    return Pattern(kind, alias, tests, place(1))


def head(kind: str, **fields: Any) -> Head:
    return Head(kind, tuple(fields.items()), place(1))


def rule(named: Meta, when: Sequence[Pattern], *heads: Head, unless: Sequence[Pattern] = (), lets: Sequence[Let] = ()) -> Rule:
    return Rule(named, (tuple(when),), tuple(unless), tuple(lets), (), heads)


def stage(name: str, **entries: Any) -> Stage:
    parts = {"patterns": (), "measures": (), "elects": (), "takes": (), "groups": (), "rules": ()} | entries
    return Stage(name, **parts)


def length_of(rows: Sequence[tuple[Fact, ...]], options: Mapping[str, Value]) -> Iterable[Mapping[str, object]]:
    for (line,) in rows:
        yield {"line": line.id, "characters": len(str(line.get("text"))), "_from": (line.id,)}


def demo_rulebook() -> Rulebook:
    """Lines are read, words hit, the longest hit is elected, two are ranked, lines are clustered, and everything is counted."""
    hit = [
        pattern("match_group", "g", Test("name", "eq", Const("word"))),
        pattern("match", "m", Test("id", "eq", Ref("g", "match"))),
        pattern("word", "w", Test("text", "eq", Ref("g", "text"))),
        pattern("line", "l", Test("id", "eq", Ref("m", "fact"))),
    ]
    measured = [pattern("hit", "h"), pattern("length", "n", Test("line", "eq", Ref("h", "line")))]
    order = (By(Ref("n", "characters"), True), By(Ref("n", "seq"), False))
    count = Aggregate("count", pattern("hit", ""), "", ())
    return Rulebook(
        (PackInfo("demo", "1.0.0", "0123456789abcdef0123", "rules"),),
        "fedcba98765432100123",
        (*ENGINE_KINDS, *KINDS),
        (
            stage(
                "read",
                patterns=(
                    TextPattern(
                        meta("see.word", "read", 0, "the words `", Ref("match", "text"), "`"), "line", "text", r"(?P<word>error|fail)\w*"
                    ),
                ),
                measures=(Measure(meta("see.length", "read", 1), "length", (pattern("line", "l"),), (), "length", ()),),
            ),
            stage(
                "judge",
                rules=(
                    rule(
                        meta(
                            "hit.word",
                            "judge",
                            2,
                            "line ",
                            Ref("l", "number"),
                            " has ",
                            Ref("w", "text"),
                            " of weight ",
                            Ref("w", "weight"),
                        ),
                        hit,
                        head("hit", line=Ref("l", "id"), word=Ref("w", "text")),
                        unless=[pattern("quiet", "", Test("line", "eq", Ref("l", "id")))],
                    ),
                    rule(
                        meta("reach.edge", "judge", 3),
                        [pattern("edge", "e")],
                        head("reach", left=Ref("e", "left"), right=Ref("e", "right")),
                    ),
                    rule(
                        meta("reach.join", "judge", 4, Ref("a", "left"), " reaches ", Ref("b", "right")),
                        [pattern("reach", "a"), pattern("reach", "b", Test("left", "eq", Ref("a", "right")))],
                        head("reach", left=Ref("a", "left"), right=Ref("b", "right")),
                    ),
                ),
            ),
            stage(
                "pick",
                elects=(
                    Elect(
                        meta("pick.longest", "pick", 5, "the longest hit"),
                        tuple(measured),
                        (),
                        (),
                        order,
                        head("best", line=Ref("h", "line")),
                    ),
                ),
                takes=(
                    Take(
                        meta("pick.two", "pick", 6, "among the first two"),
                        (pattern("line", "l"), pattern("length", "n", Test("line", "eq", Ref("l", "id")))),
                        (),
                        (),
                        order,
                        2,
                        Apart("edge", "left", "right"),
                        head("ranked", line=Ref("l", "id"), place=Name("number")),
                        head("late", line=Ref("l", "id"), place=Name("number"), near=Name("nearest")),
                    ),
                ),
                groups=(
                    Group(
                        meta("pick.cluster", "pick", 7, Name("size"), " lines hang together"),
                        (pattern("edge", "e"),),
                        (),
                        Ref("e", "left"),
                        Ref("e", "right"),
                        pattern("line", "_members"),
                        head("cluster", name=Name("group"), size=Name("size")),
                        head("clustered", name=Name("group"), line=Name("member")),
                    ),
                ),
            ),
            stage(
                "sum",
                rules=(
                    rule(
                        meta("sum.all", "sum", 8, Name("hits"), " hits are ", Name("share"), " of four"),
                        [pattern("best", "b")],
                        head("total", hits=Name("hits"), share=Name("share")),
                        lets=[Let("hits", count, "int"), Let("share", Call("ratio", (Name("hits"), Const(4), Const(0))), "number")],
                    ),
                ),
            ),
        ),
        (
            Row("word", (("text", "error"), ("weight", 1_500_000)), Place("rules/words.yaml", 3), "demo"),
            Row("word", (("text", "fail"), ("weight", 500_000)), Place("rules/words.yaml", 4), "demo"),
        ),
        (),
        (),
    )


def line_id(number: int) -> str:
    return fact_id("line", number)


def drafts(lines: Sequence[str], edges: Iterable[tuple[int, int]] = (), quiet: Iterable[int] = ()) -> list[Draft]:
    """Facts as a parser would read them: every line with its span, edges and quiet lines by number."""
    found = [
        Draft("line", {"number": number, "text": text}, {"text": Span(number, 0, len(text))}, ("parser", "lines"))
        for number, text in enumerate(lines, 1)
    ]
    found += [Draft("edge", {"left": line_id(left), "right": line_id(right)}) for left, right in edges]
    return found + [Draft("quiet", {"line": line_id(number)}) for number in quiet]


@pytest.fixture
def run_demo() -> Callable[..., Session]:
    """`run_demo(lines, edges, quiet)`: the session of the demo rulebook over lines of text."""

    def run(lines: Sequence[str], edges: Iterable[tuple[int, int]] = (), quiet: Iterable[int] = ()) -> Session:
        measures = {"length": MeasureSignature("length", length_of)}
        return run_session(demo_rulebook(), drafts(lines, edges, quiet), Reference(), measures=measures)

    return run


@pytest.fixture
def make_data(run_demo: Callable[..., Session]) -> Callable[..., dict[str, Any]]:
    """The same as a record's data, the answers being what was found best and the totals."""

    def make(
        lines: Sequence[str], edges: Iterable[tuple[int, int]] = (), quiet: Iterable[int] = (), run_id: str = "run1"
    ) -> dict[str, Any]:
        session = run_demo(lines, edges, quiet)
        best, total = ([fact.id for fact in session.store.facts(kind)] for kind in ("best", "total"))
        return build(
            session,
            run_id=run_id,
            evaluator="reference",
            signal_name="build.log",
            signal_digest="abc",
            line=lambda number: lines[number - 1],
            result={"outcome": "diagnosis", "diagnosis": {"failure_class": "type", "confidence": 0.5, "symptom": "it broke"}},
            answers={"failure_class": best, "confidence": total, "symptom": []},
        )

    return make


@pytest.fixture
def make_record(make_data: Callable[..., dict[str, Any]]) -> Callable[..., Record]:
    """The same as a checked record."""

    def make(*args: Any, **options: Any) -> Record:
        data = make_data(*args, **options)
        assert fault(data) == ""
        return Record(data)

    return make


class Output(io.StringIO):
    """A stream that says how it is encoded."""

    encoding: str = "utf-8"


@pytest.fixture
def why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., tuple[int, str, str]]:
    """`why(ARGUMENT, ...)`: the exit code, output and errors of `tollens why` over the runs in tmp_path."""

    def ask(*arguments: str, encoding: str = "utf-8") -> tuple[int, str, str]:
        out, err = Output(), Output()
        out.encoding = err.encoding = encoding
        parser = ArgumentParser()
        why_command.add_arguments(parser)
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            code = why_command.run(parser.parse_args([*arguments, "--runs", str(tmp_path)]))
        return code, out.getvalue(), err.getvalue()

    return ask
