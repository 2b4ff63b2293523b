from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import dedent

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tollens.engine.explain.reading import Record
from tollens.engine.explain.terminal import Style, cells
from tollens.engine.explain.text import render, to_json
from tollens.engine.explain.tree import Limits, Node, build_tree, walk

Make = Callable[..., Record]
INPUTS = ("parser", "caller", "probe", "learned", "row")


def shown(record: Record, kind: str, style: Style | None = None, limits: Limits | None = None) -> str:
    trees = build_tree(record, [fact["id"] for fact in record.of_kind(kind)], limits)
    return "\n".join(render(record, trees, style or Style())) + "\n"


def expected(record: Record, text: str) -> str:
    """Expected text with `<kind:n>` for the short id of the nth fact of a kind."""
    text = dedent(text).lstrip("\n")
    for kind in record.kinds():
        for number, fact in enumerate(record.of_kind(kind)):
            text = text.replace(f"<{kind}:{number}>", record.short(fact["id"]))
    return text


def test_a_rule_is_told_by_its_sentence_down_to_the_raw_line(make_record: Make) -> None:
    record = make_record(["all is well", "\tan error here"])
    assert shown(record, "hit") == expected(
        record,
        """
        line 2 has error of weight 1.5
        │  <hit:0> line=<line:1> word="error"
        │  by rule hit.word at rules/demo.yaml:30
        ├─ g: the words `error`; word is "error"
        │  │  <match_group:0> match=<match:0> name="word" start=4 end=9 text="error"
        │  │  found by pattern see.word at rules/demo.yaml:10 in text
        │  │  regular expression (?P<word>error|fail)\\w*
        │  │  line 2 |     an error here
        │  │         |        ^^^^^
        │  └─ line number=2 text="\\tan error here"
        │        <line:1>, read by the parser lines
        │        line 2 |     an error here
        │               | ^^^^^^^^^^^^^^^^^
        ├─ m: the words `error`
        │  │  <match:0> pattern="see.word" fact=<line:1> field="text" start=4 end=9 text="error"
        │  │  found by pattern see.word at rules/demo.yaml:10 in text
        │  │  regular expression (?P<word>error|fail)\\w*
        │  │  line 2 |     an error here
        │  │         |        ^^^^^
        │  └─ line number=2 text="\\tan error here" [<line:1>, shown above]
        ├─ w: word text="error" weight=1.5
        │     <word:0>, stated in the pack demo at rules/words.yaml:3
        ├─ l: line number=2 text="\\tan error here" [<line:1>, shown above]
        └─ no quiet(line = $l)
        """,
    )


def test_an_election_names_its_key_and_who_was_passed_over(make_record: Make) -> None:
    record = make_record(["error", "a long error"])
    text = shown(record, "best", limits=Limits(depth=1))
    assert text == expected(
        record,
        """
        the longest hit
        │  <best:0> line=<line:1>
        │  chosen by pick.longest at rules/demo.yaml:60 among 2, desc $n.characters
        ├─ h: line 2 has error of weight 1.5
        │     <hit:1> line=<line:1> word="error"
        │     by rule hit.word at rules/demo.yaml:30
        │     4 facts below, not shown (--depth sets how many levels are)
        ├─ n: length line=<line:1> characters=12
        │     <length:1>, measured by see.length at rules/demo.yaml:20, function length
        │     1 fact below, not shown (--depth sets how many levels are)
        └─ passed over: line 1 has error of weight 1.5 [<hit:0>], desc $n.characters: 12 before 5
        """,
    )


def test_who_lost_is_told_with_the_winner(make_record: Make) -> None:
    record = make_record(["error", "a long error"])
    first = shown(record, "passed_over", limits=Limits(depth=1)).splitlines()
    assert first[0] == expected(
        record, "passed over: line 1 has error of weight 1.5 [<hit:0>] for line 2 has error of weight 1.5 [<hit:1>]"
    )
    assert first[2] == "│  lost in pick.longest at rules/demo.yaml:60, desc $n.characters"
    assert [line for line in first if "winner: line 2 has error" in line]


def test_a_tie_is_told(make_record: Make) -> None:
    record = make_record(["error 1", "error 2"])
    assert shown(record, "tied").startswith(
        expected(
            record, "a tie up to the last key: line 1 has error of weight 1.5 [<hit:0>] before line 2 has error of weight 1.5 [<hit:1>]"
        ).rstrip()
    )


def test_counts_are_in_their_own_unit_and_list_their_inputs(make_record: Make) -> None:
    record = make_record(["error", "a long error"])
    lines = shown(record, "total", limits=Limits(depth=1)).splitlines()
    assert lines[0] == "2 hits are 0.5 of four"
    assert "├─ hits = 2, over 2 facts" in lines
    assert "│  ├─ line 1 has error of weight 1.5" in lines
    assert lines[-1] == "└─ share = 0.5"


def test_selections_tell_the_place_and_what_stood_in_the_way(make_record: Make) -> None:
    record = make_record(["aaaa", "bbb", "cc", "d"], edges=[(1, 2)])
    assert "taken by pick.two at rules/demo.yaml:70, number 2" in shown(record, "ranked")
    late = shown(record, "late")
    assert expected(record, 'left out: line number=2 text="bbb" [<line:1>]').rstrip() in late
    assert "left out by pick.two at rules/demo.yaml:70, apart" in late
    assert 'nearest: line number=1 text="aaaa"' in late
    assert "left out by pick.two at rules/demo.yaml:70, keep 2" in late


def test_a_group_tells_its_size_and_what_connects_it(make_record: Make) -> None:
    record = make_record(["a", "b", "c"], edges=[(1, 2), (2, 3)])
    lines = shown(record, "cluster").splitlines()
    assert lines[0] == "3 lines hang together"
    assert lines[2] == "│  grouped by pick.cluster at rules/demo.yaml:80, 3 members"
    assert sum("edge left=" in line for line in lines) == 2


def test_other_ways_are_counted_and_shown_when_asked_for(make_record: Make) -> None:
    record = make_record(["a", "b", "c"], edges=[(1, 2), (2, 3), (1, 3)])
    short = shown(record, "reach")
    assert "also by rule reach.join at rules/demo.yaml:50" in short
    full = shown(record, "reach", limits=Limits(all_ways=True))
    assert expected(record, "└─ also by rule reach.join at rules/demo.yaml:50: <line:0> reaches <line:2>").rstrip() in full


def test_a_cycle_of_derivations_ends(make_record: Make) -> None:
    record = make_record(["a", "b", "c"], edges=[(1, 2), (2, 3), (3, 1)])
    full = shown(record, "reach", limits=Limits(depth=0, width=0, all_ways=True))
    assert "shown above" in full


def test_ascii_output_has_no_other_characters_and_carets_still_fit(make_record: Make) -> None:
    text = shown(make_record(["読む error"]), "match", Style(encoding="ascii"))
    assert text.isascii()
    assert "|  line 1 | \\u8aad\\u3080 error\n" in text
    assert "|         |              ^^^^^\n" in text
    assert "`- line number=1" in text


def test_wide_characters_move_the_carets(make_record: Make) -> None:
    lines = shown(make_record(["読む error"]), "match").splitlines()
    raw, carets = next((line, lines[i + 1]) for i, line in enumerate(lines) if "line 1 |" in line)
    assert cells(raw.partition("error")[0]) == cells(carets.partition("^")[0])


def test_what_is_left_out_for_width_is_counted(make_record: Make) -> None:
    record = make_record([f"error {number}" for number in range(20)])
    assert "11 more passed over, not shown (--all shows them)" in shown(record, "best")
    assert "12 more, not shown (--all shows them)" in shown(record, "total")
    everything = shown(record, "best", limits=Limits(width=0))
    assert everything.count("passed over: line") == 19


@pytest.mark.parametrize("depth", [0, 12])
def test_a_chain_of_thousands_does_not_crash_and_stays_readable(depth: int) -> None:
    record = chain(5000)
    trees = build_tree(record, ["n:4999"], Limits(depth=depth))
    lines = list(render(record, trees, Style(width=80)))
    nodes = to_json(record, trees)
    if depth:
        assert len(nodes) == depth + 1
        assert any("100 or more facts below, not shown" in line for line in lines)
    else:
        assert len(nodes) == 5000
        assert any("[level 4999] " in line for line in lines)
        assert max(map(len, lines)) < 200


def chain(length: int) -> Record:
    """A record in which each fact follows from the one before."""
    facts: list[dict[str, object]] = []
    for number in range(length):
        way: dict[str, object] = {"by": "rule", "name": "next", "place": "r.yaml:1:1", "bound": [["x", f"n:{number - 1}"]]}
        if not number:
            way = {"by": "caller", "name": ""}
        facts.append({"id": f"n:{number}", "kind": "n", "seq": number, "fields": {}, "spans": {}, "derivations": [way]})
    return Record(
        {
            "run_id": "r",
            "facts": facts,
            "answers": {},
            "signal": {"lines": {}},
            "rules": {"next": {"entry": "rule", "says": ["one more"], "place": "r.yaml:1:1"}},
        }
    )


def test_hostile_text_is_shown_harmless(make_record: Make) -> None:
    hostile = "error \x1b[31m\x00\u202eevil\x9b\r\u2028\u200b\t" + "x" * 3000 + " fail"
    for encoding in ("utf-8", "ascii", "latin-1"):
        text = shown(make_record([hostile]), "total", Style(encoding=encoding, width=80))
        text.encode(encoding)
        for bad in "\x1b\x00\u202e\x9b\r\u2028\u200b\t":
            assert bad not in text
        assert "\\x1b[31m\\x00\\u202eevil\\x9b\\r\\u2028\\u200b" in text
        assert max(map(len, text.split("\n"))) < 200


TEXT = st.text(st.characters(codec="utf-8"), max_size=40)
LINES = st.lists(st.one_of(TEXT, TEXT.map(lambda text: f"{text}error{text}"), st.just("fail")), min_size=1, max_size=6)
PAIRS = st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)), max_size=8)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(lines=LINES, pairs=PAIRS, quiet=st.sets(st.integers(1, 6)), all_ways=st.booleans(), width=st.sampled_from([0, 60, 100]))
def test_every_fact_renders_and_rests_on_inputs_alone(
    make_record: Make, lines: list[str], pairs: list[tuple[int, int]], quiet: set[int], all_ways: bool, width: int
) -> None:
    count = len(lines)
    edges = [(left, right) for left, right in pairs if left != right and left <= count and right <= count]
    record = make_record(lines, edges, [number for number in sorted(quiet) if number <= count])
    for fact in record.facts:
        trees = build_tree(record, [fact["id"]], Limits(0, 0, all_ways))
        for node, _ in walk(trees):
            assert node.role != "text"
            if node.is_fact and node.note != "above" and not fact_children(node):
                assert node.way is not None
                assert node.way["by"] in INPUTS
        text = "\n".join(render(record, trees, Style(width=width)))
        assert text.replace("\n", "").isprintable()
        nodes = to_json(record, trees)
        assert all(number["parent"] is None or number["parent"] < position for position, number in enumerate(nodes))  # type: ignore[operator]


def fact_children(node: Node) -> Sequence[Node]:
    """The facts that a node rests on, also through what was computed."""
    direct = [child for child in node.children if child.is_fact]
    return direct + [inner for child in node.children if child.role == "computed" for inner in child.children]
