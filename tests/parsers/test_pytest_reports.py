from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

#: The frames of the shopping project's first failure, read off its sources.
LOOKUP = [
    ("tests/test_checkout.py", 11, "test_sku_in_capitals"),
    ("shop/checkout.py", 19, "amount_due"),
    ("shop/invoice.py", 24, "total"),
    ("shop/invoice.py", 20, "subtotal"),
    ("shop/invoice.py", 20, "<genexpr>"),
    ("shop/pricing.py", 15, "line_price"),
    ("shop/pricing.py", 10, "unit_price"),
]
SIGNALS = [
    ("test", None),
    ("exception", "AttributeError"),
    ("test", None),
    ("exception", "KeyError"),
    ("exception", "shop.settings.SettingsError"),
    ("test", None),
    ("assertion", "AssertionError"),
]
STYLES = ["shopping-long", "shopping-short", "shopping-full-long", "shopping-quiet", "shopping-color", "shopping-native"]


@pytest.mark.parametrize("style", STYLES)
def test_every_style_tells_the_same_failures(recorded: Callable[[str], Any], style: str) -> None:
    facts = recorded(style)
    assert facts.signals() == SIGNALS
    assert [facts.test_of(number) for number in range(1, 8)] == [None, 1, None, 3, 3, None, 6]
    assert facts.rows("test_case", "name", "node_id", "file", "phase") == [
        ("test_sku_in_capitals", "tests/test_checkout.py::test_sku_in_capitals", "tests/test_checkout.py", "call"),
        ("test_shipping_to_an_island", "tests/test_checkout.py::test_shipping_to_an_island", "tests/test_checkout.py", "call"),
        ("test_members_save_ten_percent", "tests/test_invoice.py::test_members_save_ten_percent", "tests/test_invoice.py", "call"),
    ]
    assert facts.rows("chain_member", "position", "relation") == [(0, "first"), (1, "direct_cause")]
    assert facts.rows("comparison", "left", "operator", "right", "expression") == [("8100", "==", "9000", "invoice.total() == 9000")]
    assert facts.rows("detail", "label", "text")[0] == ("where", "8100 = total()")
    assert facts.rows("test_run", "tool", "passed", "failed", "errors") == [("pytest", 2, 3, 0)]
    assert facts.rows("truncated", "reason") == []


@pytest.mark.parametrize("style", ["shopping-long", "shopping-short", "shopping-quiet", "shopping-color"])
def test_frames_are_in_order_with_their_functions(recorded: Callable[[str], Any], style: str) -> None:
    facts = recorded(style)
    assert facts.frames(2) == LOOKUP
    assert facts.frames(5) == [
        ("tests/test_checkout.py", 15, "test_shipping_to_an_island"),
        ("shop/checkout.py", 19, "amount_due"),
        ("shop/settings.py", 23, "shipping_cents"),
    ]
    deepest = facts.about("stack_frame", 2, "source", "marked")[-1]
    assert deepest == ("return product.price_cents", "product.price_cents")


def test_long_entries_name_no_function_for_a_generator(recorded: Callable[[str], Any]) -> None:
    facts = recorded("shopping-full-long")
    assert facts.frames(2) == [(*frame[:2], None if frame[2] == "<genexpr>" else frame[2]) for frame in LOOKUP]


def test_native_style_has_the_project_frames_at_its_end(recorded: Callable[[str], Any]) -> None:
    facts = recorded("shopping-native")
    assert facts.frames(2)[-7:] == [(f"/home/dev/shopping/{file}", line, function) for file, line, function in LOOKUP]


def test_line_style_has_all_failures_and_its_tests_from_the_summary(recorded: Callable[[str], Any]) -> None:
    facts = recorded("shopping-line")
    assert facts.signals() == [*(signal for signal in SIGNALS if signal[0] != "test"), *[("test", None)] * 3]
    assert [facts.test_of(number) for number in range(1, 5)] == [None] * 4
    assert facts.rows("stack_frame", "file", "line") == [
        ("/home/dev/shopping/shop/pricing.py", 10),
        ("/home/dev/shopping/shop/settings.py", 23),
        ("/home/dev/shopping/tests/test_invoice.py", 15),
    ]
    assert facts.rows("chain_member", "relation") == [("first",), ("direct_cause",)]


def test_a_passing_run_has_counts_and_nothing_else(recorded: Callable[[str], Any]) -> None:
    facts = recorded("shopping-passing")
    assert [draft.kind for draft in facts.drafts] == ["raw_text", "test_run"]
    assert facts.rows("test_run", "passed", "failed", "errors", "other") == [(1, 0, 0, 0)]


def test_expected_failures_are_no_signals(recorded: Callable[[str], Any]) -> None:
    facts = recorded("outcomes-expected")
    assert facts.signals() == []
    assert facts.rows("test_run", "passed", "failed", "other") == [(1, 0, 1)]


@pytest.mark.parametrize("style", ["outcomes-long", "outcomes-short"])
def test_phases_of_errors(recorded: Callable[[str], Any], style: str) -> None:
    facts = recorded(style)
    assert facts.rows("test_case", "name", "phase")[:4] == [
        ("test_error_in_setup", "setup"),
        ("test_error_in_teardown", "teardown"),
        ("test_unknown_fixture", "setup"),
        ("TestShapes.test_words[a - b-2]", "call"),
    ]
    assert facts.rows("test_run", "passed", "failed", "errors", "skipped", "other") == [(4, 17, 3, 1, 1)]
    assert facts.signals()[1] == ("exception", "ConnectionError")
    assert facts.rows("truncated", "reason") == []


def test_a_missing_fixture_is_an_exception_without_a_class(recorded: Callable[[str], Any]) -> None:
    facts = recorded("outcomes-long")
    assert facts.rows("signal", "class_name", "message")[5] == (None, "fixture 'no_such_fixture' not found")
    assert facts.frames(6) == [("/home/dev/outcomes/test_outcomes.py", 33, None)]


COMPARISONS = [
    ("3", "==", "2", "len(text.split()) == count"),
    ("'alan'", "in", "{'ada': 1, 'grace': 2}", '"alan" in names'),
    ("'b'", "not in", "'abc'", '"b" not in "abc"'),
    ("None", "is not", "None", "result is not None"),
    ("((7 - 2) * 2)", "<=", "9", "(7 - 2) * 2 <= 9"),
    ("{'text': 'a == b'}", "==", "{'text': 'a != b'}", '{"text": "a == b"} == {"text": "a != b"}'),
    ("[1, 2, 3, 4]", "==", "[1, 2, 4]", "[1, 2, 3, 4] == [1, 2, 4]"),
    ("3", "==", "4", "total == 4"),
    (None, "not", "[1]", "not [1]"),
    ("2 == 2", "and", "3 == 4", "2 == 2 and 3 == 4"),
]


def test_comparisons_of_many_forms(recorded: Callable[[str], Any]) -> None:
    facts = recorded("outcomes-long")
    rows = facts.rows("comparison", "left", "operator", "right", "expression")
    assert rows[:10] == COMPARISONS
    assert rows[10] == ("['a', 'b']", "==", "['a', 'c']", 'sorted(\n    ["b", "a"],\n) == ["a", "c"]')
    assert [row[:3] for row in recorded("outcomes-short").rows("comparison", "left", "operator", "right")] == [row[:3] for row in rows]


def test_an_own_message_stands_before_the_comparison(recorded: Callable[[str], Any]) -> None:
    messages = [message for (message,) in recorded("outcomes-long").rows("signal", "message")]
    assert "the total is 3, which is wrong\nassert 3 == 4" in messages
    assert "first line\n\nsecond line: Error: not one\n  third line" in messages
    assert "[XPASS(strict)] known" in messages


def test_captured_output_is_kept_apart(recorded: Callable[[str], Any]) -> None:
    facts = recorded("outcomes-long")
    captured = [number for number in facts.of_signal if facts.about("captured", number, "section")]
    assert [facts.signals()[number - 1] for number in captured] == [("exception", "ZeroDivisionError")]
    assert facts.about("captured", captured[0], "section") == [("Captured stderr call",)]
    assert facts.test_of(captured[0]) is None


def test_modules_that_cannot_be_collected(recorded: Callable[[str], Any]) -> None:
    facts = recorded("outcomes-uncollectable")
    assert facts.rows("test_case", "phase", "file") == [
        ("collect", "uncollectable/test_bad_syntax.py"),
        ("collect", "uncollectable/test_missing_module.py"),
    ]
    assert facts.signals()[1::2] == [("exception", "SyntaxError"), ("exception", "ModuleNotFoundError")]
    assert facts.frames(2)[-1] == ("/home/dev/outcomes/uncollectable/test_bad_syntax.py", 2, None)
    assert facts.frames(4)[-1] == ("uncollectable/test_missing_module.py", 1, "<module>")
    assert facts.rows("signal", "message")[1] == ("'[' was never closed",)


def test_summary_lines_with_dashes_in_parameters(recorded: Callable[[str], Any]) -> None:
    rows = recorded("outcomes-long").rows("summary_line", "word", "node_id", "text")
    assert ("FAILED", "test_outcomes.py::TestShapes::test_words[a - b-2]", "AssertionError: assert 3 == 2") in rows
    assert ("PASSED", "test_outcomes.py::TestShapes::test_words[[x]-1]", None) in rows
    assert ("ERROR", "test_outcomes.py::test_unknown_fixture", None) in rows


NESTED = """\
=================================== FAILURES ===================================
__________________________________ test_outer __________________________________

    def test_outer():
>       assert run() == 0
E       assert 1 == 0

test_a.py:3: AssertionError
----------------------------- Captured stdout call -----------------------------
============================= test session starts ==============================
collected 1 item

=================================== FAILURES ===================================
__________________________________ test_inner __________________________________

    def test_inner():
>       assert 5 == 6
E       assert 5 == 6

test_b.py:2: AssertionError
=========================== short test summary info ============================
FAILED test_b.py::test_inner - assert 5 == 6
============================== 1 failed in 0.01s ===============================
_________________________________ test_second __________________________________

    def test_second():
>       assert 7 == 8
E       assert 7 == 8

test_a.py:9: AssertionError
============================== 2 failed in 0.12s ===============================
"""


def test_a_report_inside_captured_output_is_output(reading: Callable[..., Any]) -> None:
    facts = reading(NESTED)
    assert [name for (name,) in facts.rows("test_case", "name")] == ["test_outer", "test_second"]
    assert facts.rows("comparison", "left", "right") == [("1", "0"), ("7", "8")]
    assert facts.rows("test_run", "failed") == [(2,)]
    assert facts.rows("summary_line", "node_id") == []


def test_a_quiet_report_inside_captured_output_is_output(reading: Callable[..., Any]) -> None:
    inner = "F.                                                        [100%]\n1 failed, 1 passed in 0.01s\n"
    head, middle, tail = NESTED.partition("============================= test session starts")
    facts = reading(head + inner + tail[tail.index("_________________________________ test_second") :])
    assert middle
    assert [name for (name,) in facts.rows("test_case", "name")] == ["test_outer", "test_second"]
    assert facts.rows("test_run", "failed") == [(2,)]
    assert facts.rows("truncated", "reason") == []


def test_a_unittest_report_inside_captured_output_is_output(reading: Callable[..., Any]) -> None:
    inner = (
        "=" * 70
        + "\nFAIL: test_deep (m.C)\n"
        + "-" * 70
        + '\nTraceback (most recent call last):\n  File "m.py", line 3, in test_deep\n'
        + "    self.assertEqual(1, 2)\nAssertionError: 1 != 2\n\n"
        + "-" * 70
        + "\nRan 1 test in 0.01s\n\nFAILED (failures=1)\n"
    )
    head, _, tail = NESTED.partition("============================= test session starts")
    facts = reading(head + inner + tail[tail.index("_________________________________ test_second") :])
    assert facts.signals()[2:4] == [("test", None), ("assertion", "AssertionError")]
    assert facts.about("captured", 3, "section") == [("Captured stdout call",)]
    assert facts.about("captured", 4, "section") == [("Captured stdout call",)]


def test_explanations_are_labelled(recorded: Callable[[str], Any]) -> None:
    rows = recorded("outcomes-long").rows("detail", "label", "text")
    assert ("index_diff", "3 != 4") in rows
    assert ("left_extra", "4") in rows
    assert ("differing", "{'text': 'a == b'} != {'text': 'a != b'}") in rows
    assert ("note", "Differing items:") in rows


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("assert node.ok, text", "the node is not what 'a' != 'b' says"),
        ("assert check(x), text", "a == b"),
        ('raise AssertionError("1 != 2")', "1 != 2"),
        ('self.fail("1 is not 2")', "1 is not 2"),
        ("helper(a, b)", "'x' not found in 'y'"),
    ],
)
def test_the_words_of_an_author_are_no_comparison(reading: Callable[..., Any], statement: str, message: str) -> None:
    facts = reading(f">       {statement}\nE       AssertionError: {message}\n\nutil.py:86: AssertionError\n")
    assert [left for (left,) in facts.rows("comparison", "left") if left is not None] == []


def test_sides_that_an_author_names_in_words(reading: Callable[..., Any]) -> None:
    facts = reading(
        ">       assert node[key] == value, \\\nE       AssertionError: The node[reftype] is not 'obj': 'class'\n\n"
        "util.py:86: AssertionError\n"
    )
    assert facts.rows("comparison", "form", "left", "operator", "right") == [("is_not_but", "'obj'", None, "'class'")]
    assert facts.rows("detail", "label", "text") == [("said_expected", "'obj'"), ("said_got", "'class'")]


def test_sides_in_words_stand_beside_those_of_the_assertion(reading: Callable[..., Any]) -> None:
    facts = reading(
        ">       assert len(a) == len(b), message\nE       AssertionError: They differ.\nE         \nE         Expected:\nE         nothing at all\n"
        "E         \nE         Got:\nE         Message(1)\nE         Message(2)\nE         \nE       assert 0 == 2\n\nutil.py:66: AssertionError\n"
    )
    assert facts.rows("comparison", "form", "left", "right", "left_source", "right_source") == [
        ("pytest_assert", "0", "2", "len(a)", "len(b)")
    ]
    assert facts.rows("detail", "label", "text") == [("said_expected", "nothing at all"), ("said_got", "Message(1)\nMessage(2)")]


def test_pasted_blocks_without_their_section(reading: Callable[..., Any]) -> None:
    block = NESTED.partition("FAILURES")[2].partition("\n")[2].partition("--- Captured")[0].rpartition("\n")[0]
    facts = reading(block)
    assert facts.signals() == [("test", None), ("assertion", "AssertionError")]
    assert facts.rows("truncated", "reason") == [("a block outside of a section of failures",)]
    untitled = reading(block.partition("\n")[2])
    assert untitled.signals() == [("test", None), ("assertion", "AssertionError")]
    assert untitled.rows("test_case", "name") == []
    assert untitled.rows("truncated", "reason") == [("a block without its title",)]


def test_a_time_stamp_before_every_line(reading: Callable[..., Any]) -> None:
    stamped = "".join(f"2026-05-04T06:35:53.19{number:05}Z {line}\n" for number, line in enumerate(NESTED.splitlines()))
    facts, plain = reading(stamped), reading(NESTED)
    assert facts.signals() == plain.signals()
    assert facts.rows("stack_frame", "file", "line") == plain.rows("stack_frame", "file", "line")
    assert facts.rows("raw_text", "lines") == plain.rows("raw_text", "lines")
