from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tollens.parsers.text import make_text
from tollens.parsers.xml_text import XmlText

#: Random tests that are quick: 2,000 examples, and 100,000 with the full budget.
QUICK = settings(max_examples=34 * settings().max_examples)

INDENTED = """\
<testsuite name="pytest" errors="0" failures="1" skipped="1" tests="3">
    <testcase classname="tests.test_lib" name="test_fails" file="tests/test_lib.py">
      <failure message="assert 1 &lt; 0">def test_fails():
        &gt; assert size("&amp;") &lt; 0
        E assert 1 &lt; 0
        E  +  where 1 = size('&amp;')

        tests/test_lib.py:25: AssertionError
      </failure>
    </testcase>
    <testcase classname="tests.test_lib" name="test_expected"><skipped type="pytest.xfail" message=""/></testcase>
    <testcase classname="tests.test_lib" name="test_fine"/>
</testsuite>
"""
OTHER = """\
<testsuite tests="1" failures="1">
  <testcase name="testVersion" classname="org.example.VersionTest">
    <failure type="java.lang.AssertionError" message="expected [1.2.1] but found [1.2.0]">
      <![CDATA[java.lang.AssertionError: expected [1.2.1] but found [1.2.0]
at org.example.Assert.fail(Assert.java:99)
]]></failure>
  </testcase>
</testsuite>
"""


def test_what_pytest_writes(recorded: Callable[[str], Any]) -> None:
    facts = recorded("runners-junit")
    assert facts.signals() == [
        ("test", None), ("assertion", "AssertionError"), ("test", None), ("assertion", "AssertionError"),
        ("test", None), ("exception", None), ("test", None), ("assertion", "AssertionError"), ("test", None), ("exception", "IndexError"),
        ("test", None), ("assertion", None),
    ]  # fmt: skip
    assert facts.rows("test_case", "name", "node_id", "phase") == [
        *[("test_even", "test_subtests.test_even", "call")] * 2,
        ("test_wrong_marker", "test_subtests.test_wrong_marker", "setup"),
        ("test_flaky", "test_flaky.test_flaky", "call"),
        ("words.in_words", "words.words.in_words", "call"),
        ("words.shout", "words.words.shout", "call"),
    ]
    assert facts.frames(4) == [("test_subtests.py", 4, "test_even")]
    assert facts.frames(10)[-1] == ("/home/dev/runners/words.py", 9, "in_words")
    assert facts.rows("comparison", "form", "left", "right")[-2:] == [
        ("pytest_assert", "['a', 'b']", "['b', 'a']"),
        ("doctest", "'a'", "'A'"),
    ]
    assert facts.rows("test_run", "tool", "passed", "failed", "errors") == [("junit", 3, 5, 1)]
    assert facts.rows("truncated", "reason") == []


def test_text_that_was_indented_and_squeezed(reading: Callable[..., Any]) -> None:
    facts = reading(INDENTED)
    assert facts.signals() == [("test", None), ("assertion", "AssertionError")]
    assert facts.rows("comparison", "left", "operator", "right", "expression") == [("1", "<", "0", 'size("&") < 0')]
    assert facts.rows("detail", "label", "text") == [("where", "1 = size('&')")]
    assert facts.frames(2) == [("tests/test_lib.py", 25, None)]
    assert facts.rows("test_case", "file") == [("tests/test_lib.py",)]
    assert facts.rows("test_run", "passed", "failed", "skipped") == [(1, 1, 1)]


def test_the_element_names_what_its_text_does_not(reading: Callable[..., Any]) -> None:
    facts = reading(OTHER)
    assert facts.signals() == [("test", None), ("assertion", "java.lang.AssertionError")]
    assert facts.rows("comparison", "form", "left", "right") == [("expected_got", "[1.2.1]", "[1.2.0]")]


def test_a_file_that_is_cut_off(reading: Callable[..., Any]) -> None:
    facts = reading(INDENTED.partition("tests/test_lib.py:25")[0])
    assert facts.signals() == [("test", None), ("assertion", "AssertionError")]
    assert ("a failure's element does not end",) in facts.rows("truncated", "reason")
    assert reading(INDENTED.partition('" skipped')[0]).signals() == []


@QUICK
@given(
    st.lists(st.sampled_from(["a", "&lt;", "&amp;", "&#10;", "&#x41;", "&", ";", " ", "&quot;", "\x1b[31m"]), max_size=12),
    st.integers(0, 3),
)
def test_decoded_characters_point_at_what_stands_for_them(parts: list[str], margin: int) -> None:
    raw = " " * margin + "".join(parts)
    text = make_text(raw)
    if not len(text):
        return
    decoded = XmlText(text, [(0, 0, len(text.lines[0]))], entities=True)
    decoded.cut(margin)
    known = {"<": "&lt;", "&": "&amp;", "A": "&#x41;", '"': "&quot;"}
    for index, line in enumerate(decoded.lines):
        for column, char in enumerate(line):
            span = decoded.span(index, column, column + 1)
            assert raw[span.start : span.end] in (char, known.get(char, char))
