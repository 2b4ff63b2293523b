from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollens.engine.explain.terminal import Style, cells, excerpt, wrapped

UTF8, ASCII = Style(), Style(encoding="ascii")


@pytest.mark.parametrize(
    ("text", "spans", "width", "line", "marks"),
    [
        ("abc def", [(4, 7)], 0, "abc def", "    ^^^"),
        ("abc def", [(0, 1), (4, 5)], 0, "abc def", "^   ^"),
        ("abc", [(3, 3)], 0, "abc", "   ^"),
        ("abc", [(1, 99)], 0, "abc", " ^^"),
        ("abc", [(-5, 2)], 0, "abc", "^^"),
        ("a\tb", [(2, 3)], 0, "a   b", "    ^"),
        ("a\tb", [(1, 2)], 0, "a   b", " ^^^"),
        ("\t\tb", [(2, 3)], 0, "        b", "        ^"),
        ("読む x", [(3, 4)], 0, "読む x", "     ^"),
        ("読む x", [(0, 2)], 0, "読む x", "^^^^"),
        ("e\u0301x", [(2, 3)], 0, "e\u0301x", " ^"),
        ("\x1b[0mx", [(4, 5)], 0, "\\x1b[0mx", "       ^"),
        ("\x1b", [(0, 1)], 0, "\\x1b", "^^^^"),
        ("\u202ex", [(1, 2)], 0, "\\u202ex", "      ^"),
        ("\ud800x", [(1, 2)], 0, "\\ud800x", "      ^"),
        ("\U0001f600x", [(1, 2)], 0, "\U0001f600x", "  ^"),
        ("", [(0, 0)], 0, "", "^"),
        ("0123456789" * 5, [(25, 28)], 20, "…890123456789012345…", "        ^^^"),
        ("0123456789" * 5, [(0, 3)], 20, "012345678901234567…", "^^^"),
        ("0123456789" * 5, [(48, 50)], 20, "…234567890123456789", "                 ^^"),
    ],
)
def test_carets_stand_under_the_span(text: str, spans: list[tuple[int, int]], width: int, line: str, marks: str) -> None:
    assert excerpt(UTF8, text, spans, width) == (line, marks)


@given(st.text(max_size=60), st.integers(0, 60), st.integers(0, 20), st.sampled_from([0, 20, 40]), st.booleans())
def test_any_text_is_shown_harmless_and_within_the_width(text: str, start: int, size: int, width: int, ascii_only: bool) -> None:
    style = ASCII if ascii_only else UTF8
    start = min(start, len(text))
    line, marks = excerpt(style, text, [(start, start + size)], width)
    assert line.isprintable()
    assert line.isascii() or not ascii_only
    assert marks.strip(" ").strip("^") == ""
    assert "^" in marks
    if width:
        assert cells(line) <= width + 8  # a character that appears as an escape is never cut in two
    if not width and size and start < len(text) and text[start] != "\t":
        at = cells(excerpt(style, text[:start], [], 0)[0])
        assert marks.index("^") == at


def test_text_that_acts_on_a_terminal_appears_as_escapes() -> None:
    assert UTF8.safe("a\x00\x07\x1b]0;t\x07\x7f\x85\n\r\t") == "a\\x00\\x07\\x1b]0;t\\x07\\x7f\\x85\\n\\r\\t"
    assert UTF8.safe("\u200e\u2066\u2029\ufeff\U000e0001") == "\\u200e\\u2066\\u2029\\ufeff\\U000e0001"
    assert UTF8.safe("שלום 読む é") == "שלום 読む é"
    assert ASCII.safe("é") == "\\xe9"


def test_guides_fall_back_where_the_encoding_has_none() -> None:
    assert (UTF8.guides.fork, UTF8.guides.last, UTF8.guides.bar) == ("├─ ", "└─ ", "│  ")
    assert (ASCII.guides.fork, ASCII.guides.last, ASCII.guides.bar) == ("|- ", "`- ", "|  ")
    assert Style(encoding="no-such-encoding").guides.fork == "|- "


def test_colour_is_plain_and_optional() -> None:
    assert UTF8.paint("x", "mark") == "x"
    assert Style(colour=True).paint("x", "mark") == "\x1b[91mx\x1b[0m"


def test_long_texts_break_at_spaces() -> None:
    assert wrapped("one two three", 7, 5) == ["one two", "three"]
    assert wrapped("onetwothree four", 5, 5) == ["onetwothree", "four"]
    assert wrapped("", 5, 5) == [""]
