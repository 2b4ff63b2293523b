from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tollens.parsers import Limits

HEAD = "Traceback (most recent call last):\n"
FRAME = '  File "a.py", line {}, in f\n    g()\n'


def test_long_messages_are_cut_and_counted(reading: Callable[..., Any]) -> None:
    facts = reading(f"{HEAD}{FRAME.format(1)}ValueError: {'x' * 9000}\n")
    assert len(facts.rows("signal", "message")[0][0]) == 8192
    assert facts.rows("truncated", "line", "reason", "lost") == [(4, "the message is too long", 9000 - 8192)]


def test_long_lines_are_cut_and_counted(reading: Callable[..., Any]) -> None:
    facts = reading("y" * 70_000 + f"\n\n{HEAD}{FRAME.format(1)}ValueError: x\n")
    assert facts.rows("truncated", "line", "grammar", "lost") == [(1, "text", 70_000 - 65_536)]
    assert facts.signals() == [("exception", "ValueError")]


def test_frames_in_the_middle_are_left_out(reading: Callable[..., Any]) -> None:
    frames = "".join(FRAME.format(number) for number in range(1, 1001))
    facts = reading(f"{HEAD}{frames}RecursionError: deep\n")
    depths = [depth for (depth,) in facts.rows("stack_frame", "depth")]
    assert depths == [*range(100), *range(900, 1000)]
    assert facts.rows("stack_frame", "line")[-1] == (1000,)
    assert [(row[0].partition(";")[0], row[1]) for row in facts.rows("truncated", "reason", "lost")] == [("too many frames", 800)]


def test_signals_over_the_bound_are_counted(reading: Callable[..., Any]) -> None:
    text = "".join(f"{HEAD}{FRAME.format(number)}ValueError: x\n\n" for number in range(1, 13))
    facts = reading(text, Limits(signals=10))
    assert len(facts.signals()) == 10
    assert facts.rows("truncated", "line", "reason", "lost") == [(41, "too many signals", 2)]
    assert [row[0] for row in facts.rows("stack_frame", "line")] == [1, 2, 3, 4, 5, 6, 7, 8, 11, 12]


def test_details_over_the_bound_are_counted(reading: Callable[..., Any]) -> None:
    lines = "".join(f"E         - line {number}\n" for number in range(30))
    facts = reading(f">       assert a == b\nE       assert 1 == 2\n{lines}\na.py:3: AssertionError\n", Limits(details=20))
    assert len(facts.rows("detail", "number")) == 20
    assert ("too many details", 10) in facts.rows("truncated", "reason", "lost")


def test_flags_over_the_bound_are_counted(reading: Callable[..., Any]) -> None:
    facts = reading(HEAD * 8, Limits(truncated=5))
    rows = facts.rows("truncated", "reason", "lost")
    assert len(rows) == 6
    assert rows[-1] == ("too many flags", 3)


def test_numbers_that_no_machine_can_hold(reading: Callable[..., Any]) -> None:
    facts = reading(f'{HEAD}  File "a.py", line {"9" * 5000}, in f\n    g()\nValueError: x\n')
    assert facts.frames(1) == [("a.py", None, "f")]


def test_groups_in_groups_end_somewhere(reading: Callable[..., Any]) -> None:
    def level(depth: int) -> str:
        margin = "  " * depth
        mark = "+" if depth == 0 else "|"
        return (
            f"{margin}  {mark} Exception Group {HEAD}{margin}  | ExceptionGroup: {depth}\n"
            f"{margin}  +-+---------------- 1 ----------------\n"
        )

    facts = reading("".join(level(depth) for depth in range(200)))
    assert 30 < len(facts.signals()) < 60
    assert any("too deep" in reason for (reason,) in facts.rows("truncated", "reason"))
