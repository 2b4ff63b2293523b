from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tollens.parsers.wording import read_wording

#: Random tests that are quick: 2,000 examples, and 100,000 with the full budget.
QUICK = settings(max_examples=34 * settings().max_examples)


def rows(text: str) -> list[tuple[int, int, str]]:
    return [(number, 0, line) for number, line in enumerate(text.split("\n"))]


@pytest.mark.parametrize(
    ("message", "form", "expected", "got"),
    [
        ("Expected 3, got 4", "expected_got", "3", "4"),
        ("expected 3 but got 4", "expected_got", "3", "4"),
        ("Expected: 3 Got: 4", "expected_got", "3", "4"),
        ("not enough values to unpack (expected 2, got 1)", "expected_got", "2", "1"),
        ("sequence item 0: expected str instance, int found", "expected_got", "str instance", "int"),
        ("expected [1.2.1] but found [1.2.0]", "expected_got", "[1.2.1]", "[1.2.0]"),
        ("expected status 200, was 404", "expected_got", "status 200", "404"),
        ("expected status 0, but got 20. Below is the output:", "expected_got", "status 0", "20"),
        ("got 3, expected 4", "got_expected", "4", "3"),
        ("the value is not 'obj': 'class'", "is_not_but", "'obj'", "'class'"),
        ("expected call not found.\nExpected: mock(1)\n  Actual: mock(2)", "expected_got", "mock(1)", "mock(2)"),
        ("Got:\n  a\n  b\n\nWant:\n  c", "got_expected", "c", "a\nb"),
        ("received = [1]\nexpected = [2]", "got_expected", "[2]", "[1]"),
    ],
)
def test_sides_that_words_name(message: str, form: str, expected: str, got: str) -> None:
    said = read_wording(rows(message))
    assert said is not None
    assert (said.form, said.expected.text, said.got.text) == (form, expected, got)


@pytest.mark.parametrize(
    "message",
    [
        "Expected messages did not match actual.",
        "the value was not what we expected",
        "expected call not found.",
        "Expected the call to be made, but it was not",
        "Expected 'f' to be called once. Called 0 times.",
        "f() takes 1 positional argument but 2 were given",
        "x is not what I want",
        "Invalid declaration: Expected end of definition. [error at 12]",
        "Expected:",
        "Expected: 1",
        "the node is not 'a'",
        "",
    ],
)
def test_prose_names_no_sides(message: str) -> None:
    assert read_wording(rows(message)) is None


@QUICK
@given(
    st.lists(
        st.sampled_from(["expected", "got", " ", ":", ",", "but ", "was ", "'a'", "3", "(", ")", "\n", " is not ", "want", ". X"]),
        max_size=24,
    )
)
def test_sides_in_words_stand_where_they_are_said_to_stand(parts: list[str]) -> None:
    lines = rows("".join(parts))
    said = read_wording(lines)
    if said is None:
        return
    for side in (said.expected, said.got):
        assert side.text
        assert lines[side.row][2][side.column :].startswith(side.text.partition("\n")[0])
