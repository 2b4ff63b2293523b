from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


def test_blocks_of_a_unittest_run(recorded: Callable[[str], Any]) -> None:
    facts = recorded("unittests")
    assert facts.rows("test_case", "name", "node_id", "phase") == [
        ("setUpClass", "test_shelf.BrokenClass.setUpClass", "setup"),
        ("test_first", "test_shelf.ShelfTest.test_first", "call"),
        ("test_count", "test_shelf.ShelfTest.test_count", "call"),
        ("test_each (letter='D')", "test_shelf.ShelfTest.test_each", "call"),
        ("test_has", "test_shelf.ShelfTest.test_has", "call"),
        ("test_order", "test_shelf.ShelfTest.test_order", "call"),
    ]
    assert [name for _, name in facts.signals()][1::2] == ["RuntimeError", "StopIteration", *["AssertionError"] * 4]
    assert [facts.test_of(number) for number in range(2, 13, 2)] == [1, 3, 5, 7, 9, 11]
    assert facts.frames(4)[-1] == ("/home/dev/unittests/library/shelf.py", 9, "first")
    assert facts.rows("test_run", "tool", "failed", "errors", "skipped") == [("unittest", 4, 2, 1)]
    assert facts.rows("truncated", "reason") == []


SIDES = [
    ("unittest_equal", "3", "!=", "4"),
    ("unittest_equal", "'Dune'", "!=", "'Dracula'"),
    ("unittest_member", "'Walden'", "not found in", "['Emma', 'Dune', 'Ulysses']"),
    ("unittest_equal", "['Ulysses', 'Emma', 'Dune']", "!=", "['Dune', 'Emma', 'Ulysses']"),
]


def test_sides_are_read_in_the_order_printed(recorded: Callable[[str], Any]) -> None:
    assert recorded("unittests").rows("comparison", "form", "left", "operator", "right") == SIDES


def test_pytest_prints_the_same_sides(recorded: Callable[[str], Any]) -> None:
    rows = recorded("unittests-pytest").rows("comparison", "form", "left", "operator", "right")
    assert sorted(rows) == sorted(SIDES)


def test_a_message_goes_on_to_the_end_of_its_block(recorded: Callable[[str], Any]) -> None:
    facts = recorded("unittests")
    message = facts.rows("signal", "message")[11][0]
    assert message.startswith("Lists differ: ")
    assert message.endswith("+ ['Dune', 'Emma', 'Ulysses']")
    assert ("minus", "['Ulysses', 'Emma', 'Dune']") in facts.about("detail", 12, "label", "text")


OLD = """\
======================================================================
ERROR: test_http (unittest.loader._FailedTest)
----------------------------------------------------------------------
ImportError: Failed to import test module: test_http
Traceback (most recent call last):
  File "tests/test_http.py", line 8, in <module>
    from http_tools import fetch
ImportError: cannot import name 'fetch'


----------------------------------------------------------------------
Ran 1 test in 0.000s

FAILED (errors=1)
"""


@pytest.mark.parametrize("owner", ["unittest.loader._FailedTest", "unittest.loader._FailedTest.test_http"])
def test_a_module_that_cannot_be_loaded(reading: Callable[..., Any], owner: str) -> None:
    facts = reading(OLD.replace("unittest.loader._FailedTest", owner))
    assert facts.rows("test_case", "name", "phase") == [("test_http", "collect")]
    assert facts.signals() == [("test", None), ("exception", "ImportError")]
    assert facts.rows("signal", "message")[1] == ("cannot import name 'fetch'",)


def test_a_passing_run(reading: Callable[..., Any]) -> None:
    facts = reading("....\n" + "-" * 70 + "\nRan 4 tests in 0.01s\n\nOK (skipped=1)\n")
    assert facts.rows("test_run", "passed", "failed", "errors", "skipped") == [(3, 0, 0, 1)]
    assert facts.signals() == []


def test_sides_on_labelled_lines(reading: Callable[..., Any]) -> None:
    numpy = reading(
        ">       assert_allclose(a, b)\nE       AssertionError: \nE       Not equal to tolerance rtol=1e-07, atol=0\nE       \n"
        "E        x: array([1, 2,\nE              3])\nE        y: array([4])\n\ntest_a.py:7: AssertionError\n"
    )
    assert numpy.rows("comparison", "form", "left", "right") == [("numpy", "array([1, 2,\n3])", "array([4])")]
    pandas = reading(
        'Traceback (most recent call last):\n  File "a.py", line 2, in f\n    assert_frame_equal(a, b)\n'
        "AssertionError: Attributes are different\n[left]:  int64\n[right]: float64\n"
    )
    assert pandas.rows("comparison", "form", "left", "right") == [("pandas", "int64", "float64")]
