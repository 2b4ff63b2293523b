"""Work is counted in calls that the parsers make, not in seconds, so that the result is the same on every machine."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable
from typing import Any

import pytest

import tollens.parsers
from tollens.parsers import parse
from tollens.parsers.patterns import Pattern

HEAD = "Traceback (most recent call last):\n"
FRAME = '  File "a.py", line 1, in f\n    x\n'
LINK = "\nDuring handling of the above exception, another exception occurred:\n\n"
SECTION = "=================================== FAILURES ===================================\n"
TITLE = "____________________________________ test_a ____________________________________\n"

GROWING: dict[str, Callable[[int], str]] = {
    "headers": lambda size: HEAD * size,
    "frames": lambda size: HEAD + FRAME * size + "ValueError: x\n",
    "tracebacks": lambda size: (HEAD + FRAME + "ValueError: x\n\n") * size,
    "a chain": lambda size: (HEAD + FRAME + "ValueError: x\n" + LINK) * size,
    "a long message": lambda size: HEAD + FRAME + "ValueError: x\n" + "more\n" * size,
    "blank lines": lambda size: HEAD + FRAME + "ValueError: x\n" + "\n" * size,
    "bars": lambda size: "  + Exception Group " + HEAD + "  | x\n" * size,
    "error lines": lambda size: ">   x\n" + "E   assert 1 == 2\n" * size,
    "sections": lambda size: SECTION * size,
    "blocks": lambda size: SECTION + (TITLE + ">   x\nE   y\n\na.py:1: ValueError\n") * size,
    "captured reports": lambda size: (
        (SECTION + TITLE + "--- Captured stdout call ---\n=== test session starts ===\n1 passed in 0.1s\n") * size
    ),
    "closing lines": lambda size: "1 passed in 0.1s\n" * size,
    "unittest heads": lambda size: ("=" * 70 + "\nFAIL: test_a (m.C)\n" + "-" * 70 + "\n") * size,
    "locations": lambda size: "E   x\n" + "a.py:1: in f\n    x\n" * size,
    "parentheses": lambda size: ">   x\nE   assert " + "(" * size + "1 == 2\n",
    "quotes": lambda size: ">   x\nE   assert " + "'" * size + " 1 == 2\n",
    "operators": lambda size: ">   x\nE   assert " + "1 and " * size + "2\n",
    "control sequences": lambda size: "\x1b[31mx" * size,
    "redraws": lambda size: "x\r" * size + "\n",
    "dashes in a summary": lambda size: "FAILED a.py::x[" + " - " * size + "\n",
    "notebooks": lambda size: "KeyError    Traceback (most recent call last)\nCell In[1], line 6, in f(x)\n----> 6 f()\n" * size,
    "boxes": lambda size: "\u256d\u2500 Traceback (most recent call last) \u2500\u256e\n\u2502 a.py:1 in f \u2502\n" * size,
    "doctest heads": lambda size: 'File "a.py", line 1, in f\nFailed example:\n    f()\nExpected:\n    1\n' * size,
    "titled failures": lambda size: '___ a.py:test_a ___\n  File "a.py", line 1, in f\n' * size,
    "threads": lambda size: 'Thread 0x1 (most recent call first):\n  File "a.py", line 1 in f\n' * size,
    "fatal errors": lambda size: "Fatal Python error: Aborted\n" * size,
    "time limits": lambda size: "+++ Timeout +++\n~~~ Stack of MainThread (1) ~~~\n" * size,
    "workers": lambda size: "[gw1] node down: x\n" * size,
    "tool errors": lambda size: "ERROR: No matching distribution found for x\n" * size,
    "one line": lambda size: 'KeyError: x (file "a.py", line 1)\n' * size,
    "warnings": lambda size: "a.py:1: UserWarning: x\n    y\n" * size,
    "summaries": lambda size: "FAILED a.py::test_a - KeyError: x\n" * size,
    "links": lambda size: "KeyError\n" + LINK * size,
    "cases": lambda size: '<testcase name="a"><failure message="KeyError: x">E   KeyError: x\n</failure></testcase>\n' * size,
    "cases that do not end": lambda size: '<testcase name="a"><failure message="x">E   KeyError: x\n' * size,
    "open tags": lambda size: '<testcase name="' * size,
    "entities": lambda size: '<testcase name="a"><failure>' + "&lt;" * size + "</failure></testcase>\n",
    "words": lambda size: ">   x\nE   AssertionError: " + "expected got " * size + "\n",
    "labels": lambda size: ">   x\nE   AssertionError:\n" + "E   Expected:\n" * size,
    "phrases": lambda size: ">   self.assertEqual(a, b)\nE   AssertionError: " + "'\\' != " * size + "\n",
    "arguments": lambda size: ">   self.assertEqual(" + "a, " * size + ")\nE   AssertionError: 1 != 2\n",
    "internal errors": lambda size: "INTERNALERROR> " + "Traceback (most recent call last):\n" * size,
    "noise": lambda size: "2024-01-01 INFO something happened here\n" * size,
}


def steps(text: str) -> int:
    """How many calls, of Python or of C, it takes to parse a text."""
    count = 0

    def see(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    parse(text)  # compiles the expressions that this text needs
    sys.setprofile(see)
    try:
        parse(text)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("name", GROWING)
def test_four_times_the_text_is_four_times_the_work(name: str) -> None:
    small, large = steps(GROWING[name](400)), steps(GROWING[name](1600))
    assert large <= 5 * small + 400


def patterns() -> dict[str, str]:
    found: dict[str, str] = {}
    for module in pkgutil.iter_modules(tollens.parsers.__path__):
        namespace = vars(importlib.import_module(f"tollens.parsers.{module.name}"))
        for name, value in namespace.items():
            for position, item in enumerate(value if isinstance(value, tuple) else (value,)):
                pattern = item if isinstance(item, Pattern) else getattr(item, "pattern", None)
                if isinstance(pattern, Pattern):
                    found[f"{module.name}.{name}.{position}"] = pattern.source
    return found


def repeats(tree: Any, inside: bool = False) -> bool:
    """Whether an expression has an unbounded repetition inside a repetition."""
    for operator, argument in tree:
        kind = str(operator)
        if kind in ("MAX_REPEAT", "MIN_REPEAT"):
            most = argument[1]
            if (inside and str(most) == "MAXREPEAT") or repeats(argument[2], inside or int(most) > 1):
                return True
        inner = [argument[-1]] if kind == "SUBPATTERN" else argument[1] if kind == "BRANCH" else []
        if any(repeats(part, inside) for part in inner):
            return True
    return False


def test_no_repetition_stands_inside_a_repetition() -> None:
    parser: Any = importlib.import_module("re._parser")
    sources = patterns()
    assert len(sources) > 20
    assert [name for name, source in sources.items() if repeats(parser.parse(source))] == []
    assert repeats(parser.parse(r"(?:a+b)*"))
    assert not repeats(parser.parse(r"(?:a+)?"))
