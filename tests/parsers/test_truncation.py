from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

HEAD = "Traceback (most recent call last):\n"
FRAME = '  File "a.py", line 1, in f\n    g()\n'
RULE = "=" * 70


@pytest.mark.parametrize(
    ("text", "line", "reason", "signals"),
    [
        (f"x\n{HEAD}", 2, "a traceback's header without its frames", 0),
        (f"{HEAD}{FRAME}", 1, "a traceback without the exception at its end", 1),
        (f"{HEAD}{FRAME}\nlog line\n", 1, "a traceback without the exception at its end", 1),
        (f"{FRAME}{FRAME}ValueError: x\n", 1, "frames without the header above them", 1),
        (f"{FRAME}", 1, "frames without a header and without an exception", 0),
        (f"{FRAME}{FRAME}", 1, "frames without a header and without an exception", 1),
        (
            f"{HEAD}{FRAME}ValueError: x\n\nDuring handling of the above exception, another exception occurred:\n\n",
            6,
            "the chain goes on and nothing follows",
            1,
        ),
        (f"{RULE}\nFAIL: test_a (m.C)\n", 2, "a failure's head without its body", 0),
        (f"{RULE}\nFAIL: test_a (m.C)\n{'-' * 70}\n{HEAD}{FRAME}ValueError\n", 2, "the block does not end", 2),
        ("Fatal Python error: Segmentation fault\n", 1, "a fatal error without the stack of its thread", 1),
    ],
)
def test_what_began_and_did_not_go_on_is_flagged(reading: Callable[..., Any], text: str, line: int, reason: str, signals: int) -> None:
    facts = reading(text)
    assert facts.rows("truncated", "line", "reason") == [(line, reason)]
    assert len(facts.signals()) == signals


def test_a_report_that_is_cut_off_at_any_line_says_so(signals: Any, reading: Callable[..., Any]) -> None:
    lines = (signals / "shopping-long.txt").read_text().splitlines(keepends=True)
    head = next(index for index, line in enumerate(lines) if " FAILURES " in line)
    end = next(index for index, line in enumerate(lines) if " short test summary " in line)
    for cut in range(head + 1, end):
        facts = reading("".join(lines[:cut]))
        assert "the section FAILURES does not end" in [reason for (reason,) in facts.rows("truncated", "reason")], cut
    assert reading("".join(lines)).rows("truncated", "reason") == []


def test_a_block_whose_error_is_missing(reading: Callable[..., Any]) -> None:
    head = "=================================== FAILURES ==================================="
    title = "____________________________________ test_a ____________________________________"
    facts = reading(f"{head}\n{title}\n\n    def test_a():\n>       f()\n\n{title}\n{head}\n")
    assert facts.rows("truncated", "line", "reason") == [
        (4, "a block without the lines that name its error"),
        (7, "a block without a body"),
        (8, "the section FAILURES does not end"),
    ]
