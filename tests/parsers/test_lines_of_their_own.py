from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SUMMARY = """\
=========================== short test summary info ============================
FAILED tests/test_a.py::test_one - AssertionError: assert 3 == 4
FAILED tests/test_a.py::TestB::test_two[x-1] - assert 1 == 2
FAILED tests/test_a.py::test_three - KeyE...
ERROR tests/test_c.py - ModuleNotFoundError: No module named 'tea'
FAILED tests/test_a.py::test_five
3 failed, 1 error in 0.12s
"""
TITLED = """\
_______ shop/tests/test_pretty.py:test_title _______
  File "/home/dev/shop/tests/test_pretty.py", line 5, in test_title
    title(3)
  File "/home/dev/shop/pretty.py", line 8, in title
    raise ValueError(number)
ValueError: 3
____________________________________________________
___ shop/tests/test_pretty.py:test_other ___
  File "/home/dev/shop/tests/test_pretty.py", line 9, in test_other
    assert pretty(1) == "one"
AssertionError

 tests finished: 112 passed, 1 failed
"""


def test_an_exception_on_one_line(reading: Callable[..., Any]) -> None:
    facts = reading(
        """AttributeError: 'NoneType' object has no attribute 'split' (file "/home/dev/bot/github.py", line 103, in add_traceback)\n"""
    )
    assert facts.rows("signal", "grammar", "class_name", "message") == [
        ("python_one_line", "AttributeError", "'NoneType' object has no attribute 'split'")
    ]
    assert facts.frames(1) == [("/home/dev/bot/github.py", 103, "add_traceback")]
    assert reading('see the manual (file "a.txt", line 3)\n').signals() == []


@pytest.mark.parametrize("before", ["", "Sorry: ", "E   "])
def test_a_syntax_error_without_a_traceback(reading: Callable[..., Any], before: str) -> None:
    facts = reading(f"{before}IndentationError: unexpected indent (shop/a b.py, line 3)\n")
    assert facts.rows("signal", "class_name", "message") == [("IndentationError", "unexpected indent")]
    assert facts.frames(1) == [("shop/a b.py", 3, None)]
    assert reading("NameError: x (a.py, line 3)\n").signals() == []


def test_two_processes_that_write_at_once(reading: Callable[..., Any]) -> None:
    facts = reading('RuntimeError  File "spawn.py", line 225, in prepare\n:\n        An attempt has been made\n')
    assert facts.rows("signal", "class_name", "message") == [("RuntimeError", None)]
    assert facts.rows("truncated", "reason") == [("an exception's line that another process wrote on",)]


@pytest.mark.parametrize("version", ["3.11", "3.13"])
def test_a_task_whose_exception_nobody_asked_for(signals: Path, reading: Callable[..., Any], version: str) -> None:
    text = (signals / f"python-{version}-never_retrieved.txt").read_text(encoding="utf-8")
    facts = reading(text)
    assert facts.signals() == [("exception", "KeyError")]
    assert facts.rows("detail", "label", "text")[0] == ("before", "Task exception was never retrieved")
    cut = reading(text.partition("KeyError: ")[0])
    assert cut.signals() == [("exception", "KeyError")]
    assert cut.rows("truncated", "reason") == [("a traceback without the exception at its end",)]


@pytest.mark.parametrize("version", ["3.11", "3.13"])
def test_a_chain_that_begins_with_an_exception_never_raised(recorded: Callable[[str], Any], version: str) -> None:
    facts = recorded(f"python-{version}-nested_group")
    assert [name for _, name in facts.signals()] == [
        "OSError",
        "ExceptionGroup",
        "ExceptionGroup",
        "ZeroDivisionError",
        "KeyError",
        "ValueError",
    ]
    assert facts.rows("chain_member", "position", "relation") == [(0, "first"), (1, "direct_cause")]
    assert facts.frames(1) == []
    assert [(number, facts.of_signal[2] == group) for number, group in facts.rows("group_member", "number", "group")] == [
        (1, True), (1, False), (2, False), (2, True)
    ]  # fmt: skip
    assert facts.rows("truncated", "reason") == []


@pytest.mark.parametrize("version", ["3.11", "3.13"])
def test_a_coroutine_that_was_never_awaited_is_a_warning(recorded: Callable[[str], Any], version: str) -> None:
    facts = recorded(f"python-{version}-never_awaited")
    assert facts.signals() == [("exception", "AttributeError")]
    assert facts.rows("signal", "message") == [("'coroutine' object has no attribute 'upper'",)]
    assert facts.rows("warning_line", "category", "message") == [("RuntimeWarning", "coroutine 'fetch' was never awaited")]


def test_a_warning_has_its_place_and_its_source(reading: Callable[..., Any]) -> None:
    facts = reading(
        "=============================== warnings summary ===============================\ntest_a.py::test_a\n"
        "  /home/dev/shop.py:5: DeprecationWarning: use price()\n    cost(3)\n\n1 passed, 1 warning in 0.12s\n"
    )
    assert facts.rows("warning_line", "line", "file", "at", "category", "message", "source") == [
        (3, "/home/dev/shop.py", 5, "DeprecationWarning", "use price()", "cost(3)")
    ]
    assert facts.signals() == []


@pytest.mark.parametrize("version", ["3.11", "3.13"])
def test_an_exception_in_a_finaliser_and_one_in_a_log(recorded: Callable[[str], Any], version: str) -> None:
    ignored = recorded(f"python-{version}-unraisable")
    assert ignored.signals() == [("exception", "AttributeError")]
    assert ignored.rows("detail", "text")[0][0].startswith("Exception ignored in: <function Connection.__del__")
    logged = recorded(f"python-{version}-logged")
    assert logged.rows("signal", "message") == [
        ("[Errno 2] No such file or directory: 'prices.txt'",),
        ("[Errno 2] No such file or directory: 'stock.txt'",),
    ]
    assert logged.rows("detail", "label", "text")[0] == ("before", "[2026-03-01 12:00:00,000] [ERROR] cannot load prices.txt")


def test_a_run_of_which_only_the_summary_is_left(reading: Callable[..., Any]) -> None:
    facts = reading(SUMMARY)
    assert facts.rows("test_case", "name", "node_id") == [
        ("test_one", "tests/test_a.py::test_one"),
        ("TestB.test_two[x-1]", "tests/test_a.py::TestB::test_two[x-1]"),
        ("test_three", "tests/test_a.py::test_three"),
        ("tests/test_c.py", "tests/test_c.py"),
        ("test_five", "tests/test_a.py::test_five"),
    ]
    assert [signal for signal in facts.signals() if signal[0] != "test"] == [
        ("assertion", "AssertionError"), ("assertion", "AssertionError"), ("exception", "ModuleNotFoundError")
    ]  # fmt: skip
    assert facts.rows("truncated", "reason") == [("the end of a summary line is cut off",)]


def test_values_are_not_read_from_a_summary_when_blocks_are_printed(recorded: Callable[[str], Any]) -> None:
    facts = recorded("runners-reruns")
    assert facts.signals() == [("test", None), ("assertion", "AssertionError")]
    assert facts.rows("summary_line", "word") == [("RERUN",), ("RERUN",), ("FAILED",)]
    assert facts.rows("test_run", "failed", "other") == [(1, 2)]


def test_a_runner_that_titles_failures_with_file_and_test(reading: Callable[..., Any]) -> None:
    facts = reading(TITLED)
    assert facts.signals() == [("test", None), ("exception", "ValueError"), ("test", None), ("assertion", "AssertionError")]
    assert facts.rows("test_case", "name", "file") == [
        ("test_title", "shop/tests/test_pretty.py"),
        ("test_other", "shop/tests/test_pretty.py"),
    ]
    assert [facts.test_of(number) for number in (2, 4)] == [1, 3]
    assert facts.rows("signal", "message")[1] == ("3",)
    assert facts.rows("truncated", "reason") == []


def test_a_pasted_block_ends_at_its_last_line(signals: Path, reading: Callable[..., Any]) -> None:
    conftest = (signals / "runners-conftest.txt").read_text(encoding="utf-8")
    facts = reading(conftest + "\nmake: *** [test] Error 4\n    and so on\n" + conftest)
    assert facts.rows("signal", "record_type", "first_line", "last_line") == [
        ("test", 1, 4), ("exception", 2, 4), ("test", 8, 11), ("exception", 9, 11)
    ]  # fmt: skip


def test_two_runs_of_the_same_tests_each_have_their_summary(signals: Path, reading: Callable[..., Any]) -> None:
    line, long = ((signals / f"shopping-{style}.txt").read_text(encoding="utf-8") for style in ("line", "long"))
    facts = reading(line + "\n" + long)
    tests = [first for record, first in facts.rows("signal", "record_type", "first_line") if record == "test"]
    ids = [draft.spans["node_id"].line for draft in facts.drafts if draft.kind == "test_case"]
    bottom = len(line.splitlines())
    assert [(first > bottom, cited > bottom) for first, cited in zip(tests, ids, strict=True)] == [(False, False)] * 3 + [(True, True)] * 3
