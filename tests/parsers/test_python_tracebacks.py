from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

VERSIONS = ("3.11", "3.13")
SCRIPTS = "/home/dev/scripts"


@pytest.mark.parametrize("version", VERSIONS)
def test_a_chain_has_three_exceptions_oldest_first(recorded: Callable[[str], Any], version: str) -> None:
    facts = recorded(f"python-{version}-chained")
    assert facts.signals() == [("exception", "ValueError"), ("exception", "inventory.StockError"), ("exception", "KeyError")]
    assert facts.rows("chain_member", "chain", "position", "relation") == [
        (1, 0, "first"),
        (1, 1, "direct_cause"),
        (1, 2, "context"),
    ]
    assert facts.frames(1) == [
        (f"{SCRIPTS}/inventory.py", 14, "count_of"),
        (f"{SCRIPTS}/inventory.py", 9, "read_count"),
    ]
    assert facts.frames(3)[0] == (f"{SCRIPTS}/chained.py", 4, "<module>")
    assert facts.frames(3)[-1] == (f"{SCRIPTS}/inventory.py", 30, "report")
    assert facts.rows("signal", "message") == [
        ("invalid literal for int() with base 10: 'three'",),
        ("bad row {'count': 'three'}",),
        ("'total'",),
    ]
    assert facts.rows("truncated", "reason") == []


@pytest.mark.parametrize("version", VERSIONS)
def test_carets_mark_a_part_of_the_source(recorded: Callable[[str], Any], version: str) -> None:
    facts = recorded(f"python-{version}-subscript")
    rows = facts.about("stack_frame", 1, "line", "source", "marked")
    assert rows[-1] == (
        5,
        'return order["lines"][0]["product"]["title"].upper() + "!"',
        'order["lines"][0]["product"]["title"]',
    )
    assert rows[0][1] == "title("
    assert facts.signals() == [("exception", "TypeError")]


@pytest.mark.parametrize(("version", "repeated"), [("3.11", None), ("3.13", None)])
def test_repeated_frames_are_counted(recorded: Callable[[str], Any], version: str, repeated: None) -> None:
    facts = recorded(f"python-{version}-recursion")
    counts = [row[0] for row in facts.about("stack_frame", 1, "repeated")]
    assert counts[:-1] == [None, None, None]
    assert counts[-1] > 900
    assert facts.rows("signal", "class_name", "message") == [("RecursionError", "maximum recursion depth exceeded")]


@pytest.mark.parametrize("version", VERSIONS)
def test_notes_are_part_of_the_message(recorded: Callable[[str], Any], version: str) -> None:
    message = recorded(f"python-{version}-noted").rows("signal", "message")[0][0]
    assert message.split("\n") == [
        "invalid literal for int() with base 10: 'x'",
        "in line 2",
        "of the file",
        "  stock.csv",
    ]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_syntax_error_needs_no_header(recorded: Callable[[str], Any], version: str) -> None:
    facts = recorded(f"python-{version}-bad_syntax")
    assert facts.rows("signal", "class_name", "message") == [("SyntaxError", "expected ':'")]
    assert facts.frames(1) == [(f"{SCRIPTS}/bad_syntax.py", 1, None)]
    assert facts.rows("truncated", "line") == []


@pytest.mark.parametrize("version", VERSIONS)
def test_a_syntax_error_in_an_import_has_the_importing_frame(recorded: Callable[[str], Any], version: str) -> None:
    facts = recorded(f"python-{version}-imports_bad_syntax")
    assert facts.signals() == [("exception", "SyntaxError")]
    assert facts.frames(1) == [(f"{SCRIPTS}/imports_bad_syntax.py", 1, "<module>"), (f"{SCRIPTS}/bad_syntax.py", 1, None)]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_group_and_its_members(recorded: Callable[[str], Any], version: str) -> None:
    facts = recorded(f"python-{version}-group")
    assert [name for _, name in facts.signals()] == [
        "ExceptionGroup",
        "ValueError",
        "ValueError",
        "ExceptionGroup",
        "inventory.StockError",
    ]
    outer, inner = facts.of_signal[1], facts.of_signal[4]
    assert facts.rows("group_member", "group", "number") == [(outer, 1), (outer, 2), (outer, 3), (inner, 1)]
    assert facts.rows("signal", "message")[3] == ("inner (1 sub-exception)",)
    assert facts.frames(3) == [(f"{SCRIPTS}/group.py", 8, "check"), (f"{SCRIPTS}/inventory.py", 9, "read_count")]
    assert facts.rows("truncated", "reason") == []


@pytest.mark.parametrize("version", VERSIONS)
def test_a_thread_is_announced_above_its_traceback(recorded: Callable[[str], Any], version: str) -> None:
    facts = recorded(f"python-{version}-thread")
    assert facts.rows("detail", "label", "text") == [("before", "Exception in thread counter:")]
    assert facts.frames(1)[-1] == (f"{SCRIPTS}/inventory.py", 14, "count_of")


@pytest.mark.parametrize("version", VERSIONS)
def test_a_crash_is_printed_deepest_call_first(recorded: Callable[[str], Any], version: str) -> None:
    facts = recorded(f"python-{version}-crash")
    assert facts.rows("signal", "grammar", "class_name") == [("python_faulthandler", "Segmentation fault")]
    assert [frame[1:] for frame in facts.frames(1)] == [(16, "<module>"), (13, "outer"), (9, "inner")]


def test_a_header_glued_to_a_log_record(reading: Callable[..., Any]) -> None:
    facts = reading(
        "[2025-07-02 11:41:23,241] [ERROR] Uncaught exception: Traceback (most recent call last):\n"
        '   File "main.py", line 24, in <module>\n'
        "    start()\n"
        " PermissionError: [Errno 13] Permission denied: 'a.log'\n"
        " (loader.py:53)\n"
    )
    assert facts.signals() == [("exception", "PermissionError")]
    assert facts.frames(1) == [("main.py", 24, "<module>")]
    assert facts.rows("detail", "text") == [("[2025-07-02 11:41:23,241] [ERROR] Uncaught exception:",)]


def test_frames_whose_indentation_was_lost(reading: Callable[..., Any]) -> None:
    facts = reading(
        'File "sync.py", line 12, in <module>\nstore = Store()\nFile "store.py", line 11, in __init__\nopen(path)\n'
        "PermissionError: [Errno 13] Permission denied: 'run.log'\n"
    )
    assert facts.signals() == [("exception", "PermissionError")]
    assert facts.about("stack_frame", 1, "line", "source") == [(12, "store = Store()"), (11, "open(path)")]


def test_an_indented_traceback_keeps_its_columns(reading: Callable[..., Any]) -> None:
    facts = reading('    Traceback (most recent call last):\n      File "a.py", line 2, in f\n        g()\n    KeyError: 1\n')
    spans = next(draft.spans for draft in facts.drafts if draft.kind == "signal")
    assert (spans["class_name"].start, spans["class_name"].end) == (4, 12)


@pytest.mark.parametrize(
    ("last", "class_name", "record", "message"),
    [
        ("KeyboardInterrupt", "KeyboardInterrupt", "exception", None),
        ("AssertionError", "AssertionError", "assertion", None),
        ("a.b.AssertionError: no", "a.b.AssertionError", "assertion", "no"),
        ("m.f.<locals>.Odd: x: y", "m.f.<locals>.Odd", "exception", "x: y"),
        ("ValueError: first\nsecond\n\nlog line", "ValueError", "exception", "first\nsecond"),
        ("ValueError: \nbody", "ValueError", "exception", "\nbody"),
        ("ValueError: x\n2024-05-01 12:00:00 INFO go on", "ValueError", "exception", "x"),
    ],
)
def test_the_line_that_names_the_exception(
    reading: Callable[..., Any], last: str, class_name: str, record: str, message: str | None
) -> None:
    facts = reading(f'Traceback (most recent call last):\n  File "a.py", line 2, in f\n    g()\n{last}\n')
    assert facts.rows("signal", "class_name", "record_type", "message") == [(class_name, record, message)]


def test_a_message_before_a_link_may_have_blank_lines(reading: Callable[..., Any]) -> None:
    part = 'Traceback (most recent call last):\n  File "a.py", line 2, in f\n    g()\n'
    link = "\n\nDuring handling of the above exception, another exception occurred:\n\n"
    facts = reading(f"{part}ValueError: one\n\nthree{link}{part}KeyError: 1\n")
    assert facts.rows("signal", "message") == [("one\n\nthree",), ("1",)]
