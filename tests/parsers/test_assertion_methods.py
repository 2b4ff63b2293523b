from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

#: By test: form, left, right, the asserting call, and the sources of the sides.
METHODS = {
    "test_almost": ("unittest_equal", "1.0", "1.1", "assertAlmostEqual", "1.0", "1.1"),
    "test_count_equal": ("statement", None, None, "assertCountEqual", "[1, 2]", "[1, 3]"),
    "test_dicts": ("unittest_equal", "{'name': 'tea', 'price': 300}", "{'name': 'tea', 'price': 270}", "assertEqual", "expected", "actual"),
    "test_false": ("unittest_truth", "[1]", "false", "assertFalse", "[1]", None),
    "test_greater": ("unittest_order", "1", "2", "assertGreater", "1", "2"),
    "test_helper": ("expected_got", "status 200", "404", None, None, None),
    "test_identity": ("unittest_identity", "None", "3", "assertIs", "None", "3"),
    "test_instance": ("unittest_instance", "'3'", "<class 'int'>", "assertIsInstance", '"3"', "int"),
    "test_is_none": ("unittest_identity", "'x is not y'", "None", "assertIsNone", '"x is not y"', None),
    "test_lists": ("unittest_equal", "[[1], [2]]", "[[1], [3]]", "assertEqual", "[[1], [2]]", "[[1], [3]]"),
    "test_member": (
        "unittest_member", "'SELECT COUNT(*) '", "'SELECT COUNT( *) FROM tea'", "assertIn", '"SELECT COUNT(*) "', '"SELECT COUNT( *) FROM tea"'
    ),
    "test_message": ("unittest_truth", "False", "true", "assertTrue", "False", None),
    "test_mock": ("expected_got", "send('tea', 3)", "send('tea', 2)", None, None, None),
    "test_not_raised": ("statement", None, None, "assertRaises", None, None),
    "test_regex": ("unittest_member", "'price: \\\\d+'", "'price: x'", "assertRegex", None, None),
    "test_sets": ("statement", None, None, "assertEqual", "{1, 2}", "{2, 3}"),
}  # fmt: skip
FIELDS = ("form", "left", "right", "call", "left_source", "right_source")


def by_test(facts: Any) -> dict[str, Any]:
    """The comparison of each test's failure, by the test's name."""
    found = {}
    for number in facts.of_signal:
        test = facts.test_of(number)
        rows = facts.about("comparison", number, *FIELDS)
        if test is not None and rows:
            name = facts.about("test_case", test, "name")[0][0]
            found[name.rpartition(".")[2]] = rows[0]
    return found


def test_each_assertion_of_unittest(recorded: Callable[[str], Any]) -> None:
    found = by_test(recorded("assertions"))
    long = found.pop("test_long_texts")
    assert found == METHODS
    assert long[1] == "'select id, name from tea where price < 3select id, n[64 chars] < 3'"


def test_pytest_shows_the_same_sides(recorded: Callable[[str], Any]) -> None:
    found = by_test(recorded("assertions-pytest"))
    # The helper's frame and mock's are the last ones there too, and a message alone is no comparison anywhere.
    assert {name: row[:3] for name, row in found.items() if name in METHODS} == {name: row[:3] for name, row in METHODS.items()}
    assert "test_said" not in found
    assert "test_words" not in found


@pytest.mark.parametrize("name", ["assertions", "assertions-pytest"])
def test_explanations_have_sides(recorded: Callable[[str], Any], name: str) -> None:
    details = recorded(name).rows("detail", "label", "text")
    assert [pair for pair in details if pair[0].startswith(("index", "left", "right", "said"))] == [
        ("said_expected", "status 200"), ("said_got", "404"), ("index_left", "[2]"), ("index_right", "[3]"),
        ("said_expected", "send('tea', 3)"), ("said_got", "send('tea', 2)"), ("left_extra", "1"), ("right_extra", "3"),
    ]  # fmt: skip


def test_assertions_of_django(recorded: Callable[[str], Any]) -> None:
    facts = recorded("django")
    found = by_test(facts)
    assert found["test_prices (name='assam', price=250)"][:4] == ("unittest_equal", "300", "250", "assertEqual")
    assert found["test_queries"] == ("unittest_equal", "1", "2", "assertNumQueries", None, None)
    assert found["test_redirects"] == ("unittest_equal", "200", "302", "assertRedirects", None, None)
    assert found["test_queryset"][:3] == ("unittest_equal", "['assam']", "['darjeeling']")
    assert found["test_contains"][:3] == ("unittest_truth", "False", "true")
    assert ("exception", "shop.models.Tea.DoesNotExist") in facts.signals()
    assert facts.rows("test_run", "failed", "errors") == [(6, 1)]


LIBRARIES = [
    ("numpy", "array([1.1, 2.2, 3.3])", "array([1., 2., 3.])"),
    ("numpy", "array([[0., 0., 0.],\n[0., 0., 0.]])", "array([[0., 0., 0.],\n[0., 0., 0.],\n[0., 0., 0.]])"),
    ("numpy", "2", "3"),
    ("numpy", "1.0", "1.1"),
    ("pandas", "int64", "float64"),
    ("pandas", "[1, 2, 3]", "[1, 2, 4]"),
    ("pandas", "Index(['a', 'b'], dtype='str')", "Index(['a', 'c'], dtype='str')"),
    ("pytest_assert", "0", "-1"),
]


@pytest.mark.parametrize("name", ["libraries", "libraries-native"])
def test_sides_of_numpy_and_pandas(recorded: Callable[[str], Any], name: str) -> None:
    facts = recorded(name)
    assert [row for row in facts.rows("comparison", "form", "left", "right") if row[0] != "statement"] == LIBRARIES
    assert ("left_shape", "(2, 3)") in facts.rows("detail", "label", "text")
    assert ("right_shape", "(3, 3)") in facts.rows("detail", "label", "text")


def test_the_call_that_compared_is_named_where_it_is_printed(recorded: Callable[[str], Any]) -> None:
    calls = recorded("libraries").rows("comparison", "call", "left_source", "right_source")
    assert calls[:3] == [
        ("assert_allclose", "np.array([1.0, 2.0, 3.0]) * 1.1", "np.array([1.0, 2.0, 3.0])"),
        ("assert_array_equal", "np.zeros((2, 3))", "np.zeros((3, 3))"),
        ("assert_equal", "2", "3"),
    ]
    assert calls[5] == (None, None, None)


def test_labels_of_an_author_are_no_sides_of_a_library(reading: Callable[..., Any]) -> None:
    facts = reading(">       check(a)\nE       AssertionError: wrong point\nE        x: 3\nE        y: 4\n\ntest_a.py:7: AssertionError\n")
    assert facts.rows("comparison", "left") == []


def test_subtests_and_a_fixture_that_is_missing(recorded: Callable[[str], Any]) -> None:
    facts = recorded("runners-subtests")
    assert facts.rows("test_case", "name", "phase") == [
        ("test_wrong_marker", "setup"), ("test_even [parity] (number=1)", "call"), ("test_even [parity] (number=3)", "call"), ("test_even", "call")
    ]  # fmt: skip
    assert facts.rows("comparison", "left", "right") == [("(1 % 2)", "0"), ("(3 % 2)", "0")]
    assert facts.rows("truncated", "reason") == []


def test_without_the_statement_only_printed_values_are_sides(reading: Callable[..., Any]) -> None:
    block = "tests/test_a.py:7: in test_a\nE   AssertionError: {}\n"
    assert reading(block.format("'a' != 'b'")).rows("comparison", "form", "left", "right") == [("unittest_equal", "'a'", "'b'")]
    assert reading(block.format("the node is not 'a'")).rows("comparison", "left") == []


def test_lists_that_differ(recorded: Callable[[str], Any], reading: Callable[..., Any]) -> None:
    shorter = reading(
        ">   self.assertEqual(a, b)\nE   AssertionError: Lists differ: [1, 2] != [1, 3, 4, 5]\nE   \nE   First differing element 1:\nE   2\nE   3\n"
        "E   \nE   Second list contains 2 additional elements.\nE   First extra element 2:\nE   4\n\ntest_a.py:3: AssertionError\n"
    )
    details = [pair for pair in shorter.rows("detail", "label", "text") if pair[0] != "note"]
    assert details == [("index_left", "2"), ("index_right", "3"), ("right_extra", "4")]
    flaky = recorded("runners-reruns").rows("detail", "label", "text")
    assert flaky[:3] == [("index_diff", "'a' != 'b'"), ("index_left", "'a'"), ("index_right", "'b'")]
