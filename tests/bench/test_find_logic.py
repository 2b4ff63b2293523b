"""Why: a check that is wrong once is switched off for ever, so what it concludes is compared with what trying all values or running shows."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tollens.engine.bench.logic import holds, impossible
from tollens.engine.bench.packs import subject_of
from tollens.engine.bench.sample import matching, readable
from tollens.engine.bench.subsume import covers
from tollens.engine.errors import InputError, PackErrors
from tollens.engine.rulebook.build.regex import BadRegex, compile_regex
from tollens.engine.rulebook.source.snapshot import Snapshot
from tollens.engine.rulebook.syntax import Const, Format, Head, Meta, Pattern, Place, Ref, Rule, Rulebook, Stage
from tollens.engine.rulebook.syntax import Test as Condition  # pytest takes what is called Test for tests
from tollens.engine.session.reference import Reference
from tollens.engine.session.session import run_session
from tollens.facts.fact import Draft
from tollens.facts.kind import Field, Kind

NUMBERS = st.integers(-3, 6)
ORDER = st.sampled_from(["eq", "ne", "gt", "gte", "lt", "lte"])
INT_TESTS = st.lists(
    st.one_of(
        st.builds(lambda op, n: Condition("f", op, Const(n)), ORDER, NUMBERS),
        st.builds(lambda ns: Condition("f", "in", Const(tuple(ns))), st.lists(NUMBERS, min_size=1, max_size=3)),
    ),
    min_size=1,
    max_size=4,
)


@given(INT_TESTS)
@settings(max_examples=400, deadline=None)
def test_ints_are_impossible_exactly_where_no_int_will_do(tests: list[Condition]) -> None:
    field = Field("f", "int")
    tried = any(all(holds(field, test, value) for test in tests) for value in range(-10, 14))
    assert impossible(field, tests) is not tried


MEMBERS = ("low", "mid", "high")
ENUM_TESTS = st.lists(
    st.one_of(
        st.builds(lambda op, m: Condition("f", op, Const(m)), ORDER, st.sampled_from(MEMBERS)),
        st.builds(
            lambda op, m: Condition("f", op, Const(m)),
            st.sampled_from(["starts", "ends", "contains", "matches"]),
            st.sampled_from(["l", "m", "i", "h"]),
        ),
        st.just(Condition("f", "exists", Const(True))),
        st.just(Condition("f", "exists", Const(False))),
    ),
    min_size=1,
    max_size=4,
)


@given(ENUM_TESTS)
@settings(max_examples=400, deadline=None)
def test_members_are_impossible_exactly_where_none_will_do(tests: list[Condition]) -> None:
    field = Field("f", "enum", True, MEMBERS, True)
    tried = any(all(holds(field, test, value) for test in tests) for value in (*MEMBERS, None))
    assert impossible(field, tests) is not tried


TEXT_TESTS = st.lists(
    st.builds(
        lambda op, t: Condition("f", op, Const(t)),
        st.sampled_from(["eq", "ne", "starts", "ends", "contains", "matches"]),
        st.text("ab", min_size=1, max_size=2),
    ),
    min_size=1,
    max_size=3,
)


@given(TEXT_TESTS)
@settings(max_examples=400, deadline=None)
def test_texts_that_are_called_impossible_are(tests: list[Condition]) -> None:
    field = Field("f", "text")
    texts = ["".join(chars) for size in range(7) for chars in product("ab", repeat=size)]
    if impossible(field, tests):
        assert not any(all(holds(field, test, text) for test in tests) for text in texts)


REGEX = st.recursive(
    st.sampled_from(["a", "b", ".", r"\d", "[a-c]", "[^a]", "x", " "]),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{0,3}"])).map(lambda pair: f"(?:{pair[0]}){pair[1]}"),
        st.tuples(inner, inner).map(lambda pair: f"(?:{pair[0]}|{pair[1]})"),
    ),
    max_leaves=6,
)


@given(REGEX)
@settings(max_examples=200, deadline=None)
def test_an_expression_without_anchors_always_has_a_text(regex: str) -> None:
    try:
        search = compile_regex(regex).search
    except BadRegex:
        return
    text = matching(regex)
    assert text is not None
    assert search(text) is not None


@pytest.mark.parametrize(
    "regex", [r"(?i)abc", r"^\s+File \"(?P<f>[^\"]+)\"$", "(?s:a.b)", r"\bword\b", "[[:alpha:]]+x", r"a\z", "(a|b){30}"]
)
def test_expressions_of_the_dialect_are_followed_or_left_alone(regex: str) -> None:
    assert not readable(regex) or matching(regex) is not None


KINDS = (
    Kind("a", [Field("n", "int"), Field("m", "int")]),
    Kind("b", [Field("n", "int")]),
    Kind("out", [Field("n", "int"), Field("c", "int")], verdict=True),
)
HERE = Place("f", 1)
PATTERN_TESTS = st.lists(
    st.builds(lambda f, op, n: Condition(f, op, Const(n)), st.sampled_from(["n"]), st.sampled_from(["eq", "gt", "lt"]), st.integers(0, 2)),
    max_size=2,
)


@st.composite
def rules(draw: st.DrawFn, name: str) -> Rule:
    kinds = draw(st.lists(st.sampled_from(["a", "b"]), min_size=1, max_size=2))
    patterns = []
    for number, kind in enumerate(kinds):
        tests = list(draw(PATTERN_TESTS))
        if number and draw(st.booleans()):
            tests.append(Condition("n", "eq", Ref(f"{name}0", "n")))
        patterns.append(Pattern(kind, f"{name}{number}", tuple(tests), HERE))
    unless = (Pattern("b", "_u", (Condition("n", "eq", Const(draw(st.integers(0, 1)))),), HERE),) if draw(st.booleans()) else ()
    source = f"{name}{draw(st.integers(0, len(kinds) - 1))}"
    head = Head("out", (("n", Ref(source, "n")), ("c", Const(draw(st.integers(0, 1))))), HERE)
    return Rule(Meta(name, "s", 0, HERE, "p", Format(())), (tuple(patterns),), unless, (), (), (head,))


FACTS = st.lists(
    st.one_of(
        st.builds(lambda n, m: Draft("a", {"n": n, "m": m}), st.integers(0, 2), st.integers(0, 1)),
        st.builds(lambda n: Draft("b", {"n": n}), st.integers(0, 2)),
    ),
    max_size=6,
)


@given(rules("x"), rules("y"), st.lists(FACTS, min_size=3, max_size=3))
@settings(max_examples=400, deadline=None)
def test_what_a_covered_rule_asserts_the_covering_one_asserts_too(general: Rule, special: Rule, bases: list[list[Draft]]) -> None:
    assert covers(general, general)
    if not covers(general, special):
        return
    for facts in bases:
        asserted = []
        for rule in (general, special):
            book = Rulebook((), "", KINDS, (Stage("s", (), (), (), (), (), (rule,)),), (), (), ())
            asserted.append({fact.id for fact in run_session(book, facts, Reference()).store.facts("out")})
        assert asserted[1] <= asserted[0]


def test_a_pack_that_keeps_changing_is_one_error(write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(rules="stage: grounds\nrules: []\n")
    real: Callable[[Path], Snapshot] = subject_of.__globals__["read_pack"]
    count = iter(range(1000))

    def changing(path: Path) -> Snapshot:
        return real(path)._replace(digest=str(next(count)))

    monkeypatch.setitem(subject_of.__globals__, "read_pack", changing)
    with pytest.raises(PackErrors, match="kept changing while they were read"):
        subject_of([folder])


def test_a_file_that_changes_while_it_is_formatted_is_left_alone(write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    from argparse import Namespace

    from tollens.engine.bench import fmt
    from tollens.engine.interfaces.rules_write import run_fmt

    folder = write(rules="stage:   grounds\nrules:   []\n")
    real = fmt.formatted

    def meanwhile(data: bytes, file: str) -> str:
        text = real(data, file)
        if file.endswith("rules.yaml"):
            Path(file).write_text("stage: grounds # somebody else\n", encoding="utf-8")
        return text

    monkeypatch.setattr(fmt, "formatted", meanwhile)
    with pytest.raises(InputError, match="changed while it was being formatted"):
        run_fmt(Namespace(paths=[str(folder)], check=False))
    assert (folder / "rules.yaml").read_text(encoding="utf-8") == "stage: grounds # somebody else\n"


def test_a_large_pack_is_checked_in_seconds(write: Callable[..., Path]) -> None:
    from tollens.engine.bench.findings import findings

    rule = (
        "  - {{id: big.r{0}, when: [signal: {{as: s, number: {0}}}, stack_frame: {{as: f, signal: $s}}], then: [question: {{text: x}}]}}\n"
    )
    subject = subject_of([write(rules="stage: grounds\nrules:\n" + "".join(rule.format(number) for number in range(300)))])
    told = findings(subject, {"rule-without-case": "off"}, frozenset(["mine"]))
    assert told == []
