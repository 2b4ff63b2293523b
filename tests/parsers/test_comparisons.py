from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tollens.parsers.call import read_statement
from tollens.parsers.comparison import split_assertion, without_message
from tollens.parsers.unittest_message import split_unittest

#: Random tests that are quick: 2,000 examples, and 100,000 with the full budget.
QUICK = settings(max_examples=34 * settings().max_examples)


@pytest.mark.parametrize(
    ("text", "left", "operator", "right"),
    [
        ("3 == 4", "3", "==", "4"),
        ("(2 == 1)", "2", "==", "1"),
        ("(1, 2) == (1, 3)", "(1, 2)", "==", "(1, 3)"),
        ("(1, 2)", "(1, 2)", None, None),
        ("'a in b' in ['c == d']", "'a in b'", "in", "['c == d']"),
        ("'it\\'s == so' != \"x\"", "'it\\'s == so'", "!=", '"x"'),
        ("None is not None", "None", "is not", "None"),
        ("x is None", "x", "is", "None"),
        ("1 not in [1]", "1", "not in", "[1]"),
        ("not 42", None, "not", "42"),
        ("not 1 == 2", None, "not", "1 == 2"),
        ("(False or (1 == 2))", "False", "or", "(1 == 2)"),
        ("0", "0", None, None),
        ("(3 * 2) < 6", "(3 * 2)", "<", "6"),
        ("a <= b", "a", "<=", "b"),
        ("<Task f is g> == <Task h>", "<Task f is g>", "==", "<Task h>"),
        ("<class 'a'> == <class 'b'>", "<class 'a'>", "==", "<class 'b'>"),
        ("f(x=1, y='==') == {'a': [1, {'b': 2}]}", "f(x=1, y='==')", "==", "{'a': [1, {'b': 2}]}"),
        ("['', '.. py:m...private', ...] == ['', '.. x', ...]", "['', '.. py:m...private', ...]", "==", "['', '.. x', ...]"),
        ("[Message(args='a', confid...EFINED', x=1)] == 3", "[Message(args='a', confid...EFINED', x=1)]", "==", "3"),
    ],
)
def test_sides_of_an_assertion(text: str, left: str | None, operator: str | None, right: str | None) -> None:
    sides = split_assertion(text)
    assert sides is not None
    assert sides[:3] == (left, operator, right)


@pytest.mark.parametrize("text", ["", "   ", "'a == b != c", "[x == y == z"])
def test_no_sides_where_nobody_can_tell(text: str) -> None:
    assert split_assertion(text) is None


@pytest.mark.parametrize(
    ("message", "left", "operator", "right", "form"),
    [
        ("1 != 2", "1", "!=", "2", "unittest_equal"),
        ("1 != 2 : counts differ", "1", "!=", "2", "unittest_equal"),
        ("Lists differ: [1] != [2]\n\nmore", "[1]", "!=", "[2]", "unittest_equal"),
        ("'a != b' != 'c'", "'a != b'", "!=", "'c'", "unittest_equal"),
        ("'x' not found in 'abc'", "'x'", "not found in", "'abc'", "unittest_member"),
        ("False is not true", "False", "is not", "true", "unittest_truth"),
        ("5 not less than 3", "5", "not less than", "3", "unittest_order"),
        ("True is not false : said why", "True", "is not", "false", "unittest_truth"),
        ("None is not 3", "None", "is not", "3", "unittest_identity"),
        ("1.0 != 1.1 within 7 places (0.1 difference)", "1.0", "!=", "1.1", "unittest_equal"),
        ("Regex didn't match: 'a+' not found in 'bbb'", "'a+'", "not found in", "'bbb'", "unittest_member"),
        ("[<A: x != y>] != ['b != c']", "[<A: x != y>]", "!=", "['b != c']", "unittest_equal"),
        ("{'a': 'x is not y'} is not None", "{'a': 'x is not y'}", "is not", "None", "unittest_identity"),
        ("Lists differ: [[u'a'], [u'b... != [['a', 'b...", "[[u'a'], [u'b...", "!=", "[['a', 'b...", "unittest_equal"),
        ("1 is not an instance of <class 'str'>", "1", "is not an instance of", "<class 'str'>", "unittest_instance"),
    ],
)
def test_sides_of_a_unittest_message(message: str, left: str, operator: str, right: str, form: str) -> None:
    split = split_unittest(message)
    assert split is not None
    assert (*split[0][:3], split[1]) == (left, operator, right, form)


@pytest.mark.parametrize("message", ["the node is not 'a'", "x != y", "Things: 1 != 2", "'a' != b", "no phrase at all", ""])
def test_only_printed_values_are_sides_where_nobody_knows_who_wrote(message: str) -> None:
    assert split_unittest(message, strict=True) is None


@pytest.mark.parametrize(
    ("statement", "operator", "asked"),
    [
        ("assert total(x) == 3, 'why'", "==", ("total(x) == 3", None, "total(x)", "3")),
        ("assert total(x) == 3", "!=", ("total(x) == 3", None, None, None)),
        ("assert ready", None, ("ready", None, None, None)),
        ("self.assertEqual(expected, f(a, 'b, c'), msg='x')", None, (..., "assertEqual", "expected", "f(a, 'b, c')")),
        ("np.testing.assert_allclose(a, [1, 2], atol=1)", None, (..., "assert_allclose", "a", "[1, 2]")),
        ("return self.assertIn(", None, (..., "assertIn", None, None)),
        ("self.assertEqual(\n    1,\n    2,\n)", None, (..., "assertEqual", "1", "2")),
        ("with self.assertRaises(ValueError) as caught:", None, (..., "assertRaises", None, None)),
        ("self.assertEqual(first=a, second=b)", None, (..., "assertEqual", None, None)),
        ("self.assertTrue(ready(x), 'why')", None, (..., "assertTrue", "ready(x)", None)),
        ("self.assertRedirects(response, '/login/')", None, (..., "assertRedirects", None, None)),
        ("x = 1", None, None),
        ("raise ValueError(3)", None, None),
        (None, None, None),
    ],
)
def test_what_a_statement_asks(statement: str | None, operator: str | None, asked: tuple[object, ...] | None) -> None:
    found = read_statement(statement, operator)
    wanted = None if asked is None else (statement, *asked[1:]) if asked[0] is ... else asked
    assert (found if found is None else tuple(found)) == wanted


@QUICK
@given(st.text(alphabet="ab'\"\\()[]{}<> =!isnotrue,.:", max_size=60), st.booleans())
def test_sides_of_unittest_stand_where_they_are_said_to_stand(text: str, strict: bool) -> None:
    split = split_unittest(text, strict=strict)
    if split is None:
        return
    sides, _ = split
    assert sides.left is not None
    assert text[sides.at :].startswith(sides.left)
    assert text[sides.right_at :].startswith(sides.right or "")


@pytest.mark.parametrize(
    ("expression", "kept"),
    [("a == b, 'it, is'", "a == b"), ("f(a, b) == [1, 2]", "f(a, b) == [1, 2]"), ("x", "x"), ("f(a, b", "f(a, b")],
)
def test_the_message_is_no_part_of_the_expression(expression: str, kept: str) -> None:
    assert without_message(expression) == kept


values = st.recursive(
    st.integers() | st.text(max_size=12) | st.booleans() | st.none() | st.binary(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3) | st.tuples(inner),
    max_leaves=6,
)
operators = st.sampled_from(["==", "!=", "<", "<=", ">", ">=", "in", "not in", "is", "is not"])


@QUICK
@given(values, operators, values)
def test_any_two_values_are_split_at_their_operator(left: object, operator: str, right: object) -> None:
    sides = split_assertion(f"{left!r} {operator} {right!r}")
    assert sides is not None
    assert sides[:3] == (repr(left), operator, repr(right))


@QUICK
@given(st.text(alphabet="ab'\"\\()[]{}<> =!innot,.", max_size=60))
def test_sides_stand_where_they_are_said_to_stand(text: str) -> None:
    sides = split_assertion(text)
    if sides is None:
        return
    if sides.left is not None:
        assert text[sides.at :].startswith(sides.left)
    if sides.right is not None:
        assert text[sides.right_at :].startswith(sides.right)
