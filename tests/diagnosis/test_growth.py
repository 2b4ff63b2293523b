"""Twice the signals, twice the work: counted in calls, for every shape in which signals can hang together, so that no clock is needed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from tollens.engine.diagnosis.driver import diagnose
from tollens.engine.diagnosis.packs import rulebook
from tollens.engine.session.choose import choose

BOOK = rulebook(cached=False)
HEAD = "Traceback (most recent call last):\n"
LINK = "\nDuring handling of the above exception, another exception occurred:\n\n"
SECTION = "=================================== FAILURES ===================================\n"


def one(number: int, name: str = "ValueError", message: str = "bad thing") -> str:
    return (
        f'{HEAD}  File "src/a{number % 97}.py", line {number}, in f{number}\n    g({number})\n'
        f'  File "/usr/lib/python3.11/x.py", line 3, in g\n    raise\n{name}: {message}\n'
    )


def block(number: int) -> str:
    return (
        f"__________________________________ test_a{number:04} ___________________________________\n\n    def test_a{number}():\n"
        f">       assert f({number}) == 0\nE       assert {number} == 0\n\ntests/test_a.py:{number}: AssertionError\n"
    )


def group(size: int) -> str:
    text = f'  + Exception Group {HEAD}  |   File "a.py", line 1, in f\n  |     g()\n  | ExceptionGroup: many ({size} sub-exceptions)\n'
    for number in range(1, size + 1):
        text += f"  {'+-' if number == 1 else '  '}+---------------- {number} ----------------\n"
        text += "".join(f"    | {line}\n" for line in one(number).rstrip().split("\n"))
    return text + "    +------------------------------------\n"


def leaves(size: int) -> str:
    frames = "".join(f'  |   File "a{number}.py", line 1, in f\n  |     g()\n' for number in range(100))
    text = f"  + Exception Group {HEAD}{frames}  | ExceptionGroup: many ({size} sub-exceptions)\n"
    for number in range(1, size + 1):
        text += f"  {'+-' if number == 1 else '  '}+---------------- {number} ----------------\n    | ValueError: leaf {number}\n"
    return text + "    +------------------------------------\n"


SHAPES: dict[str, Callable[[int], str]] = {
    "tracebacks": lambda size: "\n".join(one(number) for number in range(size)),
    "classes": lambda size: "\n".join(one(number, f"E{number}Error") for number in range(size)),
    "missing modules": lambda size: "\n".join(one(number, "ModuleNotFoundError", f"No module named 'a{number}'") for number in range(size)),
    "tests": lambda size: SECTION + "".join(block(number) for number in range(size)) + f"=== {size} failed in 0.1s ===\n",
    "one chain": lambda size: LINK.join(one(number) for number in range(size)),
    "a chain of library code": lambda size: LINK.join(one(number).replace('"src/', '"/usr/lib/python3.11/') for number in range(size)),
    "one group": group,
    "leaves of a group": leaves,
    "output of one test": lambda size: (
        SECTION
        + block(1)
        + "----------------------------- Captured stdout call -----------------------------\n"
        + "\n".join(one(number) for number in range(size))
        + "=== 1 failed in 0.1s ===\n"
    ),
    "frames": lambda size: (
        HEAD + "".join(f'  File "src/a.py", line {number}, in f\n    g()\n' for number in range(size)) + "RecursionError: x\n"
    ),
    "the same": lambda size: "\n".join(one(1) for _ in range(size)),
    "headers": lambda size: ("x\n" + HEAD) * size,
}


def work(text: str, evaluator: Any) -> int:
    """How many calls a diagnosis takes, of Python and of C."""
    count = 0

    def see(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    data = text.encode()
    diagnose(data, BOOK, evaluator)
    sys.setprofile(see)
    try:
        diagnose(data, BOOK, evaluator)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("evaluator", ["reference", "auto"])
@pytest.mark.parametrize("name", SHAPES)
def test_the_work_grows_with_the_signals(name: str, evaluator: str) -> None:
    chosen = choose(evaluator)[0]
    small, large = work(SHAPES[name](60), chosen), work(SHAPES[name](240), chosen)
    assert large <= 5 * small


@pytest.mark.parametrize("name", SHAPES)
def test_far_too_many_signals_are_a_diagnosis_that_says_so(name: str) -> None:
    result = diagnose(SHAPES[name](2_600).encode(), BOOK, choose("auto")[0]).result
    assert result["outcome"] in ("diagnosis", "insufficient_evidence")
    assert len(result["records"]) <= 2_000
    assert sum(row["lost"] for row in result["truncated_signals"]) > 500
