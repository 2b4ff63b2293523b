from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollens.parsers import parse
from tollens.parsers.prefixes import without_prefixes
from tollens.parsers.text import decode, make_text


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("", []),
        ("a", ["a"]),
        ("a\nb\n", ["a", "b"]),
        ("a\r\nb\r\n", ["a", "b"]),
        ("a\rb\r", ["a", "b"]),
        ("a\n\nb", ["a", "", "b"]),
        ("a\x0bb\u2028c\n", ["a\x0bb\u2028c"]),
        ("\ufeffa\n", ["a"]),
    ],
)
def test_line_ends(source: str, lines: list[str]) -> None:
    assert make_text(source).lines == lines


def test_redraws_are_lines_of_their_own_with_the_raw_line_number() -> None:
    text = make_text("one\n10%\r20%\rdone\nlast\n")
    assert text.lines == ["one", "10%", "20%", "done", "last"]
    assert [text.number(index) for index in range(5)] == [1, 2, 2, 2, 3]
    assert text.raw(2) == "10%\r20%\rdone"
    assert text.span(3, 0, 4) == (2, 8, 12)


@pytest.mark.parametrize("code", ["\x1b[31m", "^[[31m", "\u2190[31m", "\x1b(B", "\x1b]0;title\x07"])
def test_control_sequences_go_and_columns_stay(code: str) -> None:
    raw = f"ab{code}cd{code}ef"
    text = make_text(raw + "\n")
    assert text.lines == ["abcdef"]
    for start in range(6):
        span = text.span(0, start, start + 1)
        assert raw[span.start : span.end] == "abcdef"[start]
    assert raw[text.column(0, 2) : text.column(0, 3) + 1].replace(code, "") == "cd"


def test_a_regular_expression_is_no_control_sequence() -> None:
    assert make_text('re.match("^[[a-z]", x)\n').lines == ['re.match("^[[a-z]", x)']


def test_views_count_from_the_raw_text() -> None:
    text = make_text("x\n  | \x1b[1mabc\n")
    view = text.view([(1, 4)])
    assert view.lines == ["abc"]
    assert view.span(0, 0, 3) == (2, 8, 11)
    assert view.base(0) == 1


@pytest.mark.parametrize(
    ("prefix", "kept"),
    [
        ("2026-05-04T06:35:53.1981671Z ", True),
        ("14:04:10  ", True),
        ("#7 12.31 ", True),
        ("backend  | ", True),
        ("INTERNALERROR> ", True),
        ("> ", True),
        ("note ", False),
    ],
)
def test_prefixes_before_most_lines(prefix: str, kept: bool) -> None:
    lines = ["Traceback (most recent call last):", '  File "a.py", line 1, in f', "    g()", "ValueError: x"]
    raw = "".join(f"{prefix}{line}\n" for line in lines)
    text = without_prefixes(make_text(raw))
    assert (text.lines == lines) is kept
    if kept:
        assert text.span(3, 0, 5) == (4, len(prefix), len(prefix) + 5)


def test_bytes_of_any_kind_are_decoded() -> None:
    assert decode(b"a\xffb") == "a\ufffdb"
    assert decode("a\udc80b") == "a?b"
    assert decode("\ufeffhello".encode("utf-16")).endswith("hello")


def test_binary_input_gives_no_signals() -> None:
    data = b'Traceback (most recent call last):\n  File "a", line 1, in f\nValueError\n\x00'
    parsed = parse(data)
    assert [draft.kind for draft in parsed.drafts] == ["raw_text"]
    assert parsed.drafts[0].fields["binary"] is True


def test_empty_input_is_a_text_without_lines() -> None:
    for empty in (b"", ""):
        fields = parse(empty).drafts[0].fields
        assert (fields["lines"], fields["characters"], fields["signals"], fields["binary"]) == (0, 0, 0, False)


def test_text_and_its_bytes_have_one_digest() -> None:
    assert parse("a é\n").drafts == parse("a é\n".encode()).drafts


@given(st.text(alphabet="ab\x1b[^m0;31\r\n ", max_size=200))
def test_every_clean_character_stands_where_the_span_says(source: str) -> None:
    text = make_text(source)
    for index, line in enumerate(text.lines):
        raw = text.raw(text.number(index))
        for column, character in enumerate(line):
            assert raw[text.column(index, column)] == character
