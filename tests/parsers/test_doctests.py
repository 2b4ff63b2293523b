from __future__ import annotations

from collections.abc import Callable
from typing import Any

CUT = """\
File "docs/corefile.rst", line ?, in default
Failed example:
    libc = ELF(which('bash')).libc
Exception raised:
    Traceback (most recent call last):
"""


def test_the_doctest_module(recorded: Callable[[str], Any]) -> None:
    facts = recorded("doctested")
    assert facts.signals() == [
        ("test", None),
        ("assertion", None),
        ("test", None),
        ("exception", "IndexError"),
        ("test", None),
        ("assertion", None),
    ]
    assert facts.rows("test_case", "name", "file") == [
        ("__main__", "/home/dev/scripts/doctested.py"),
        ("__main__.in_words", "/home/dev/scripts/doctested.py"),
        ("__main__.in_words", "/home/dev/scripts/doctested.py"),
    ]
    assert [facts.test_of(number) for number in (2, 4, 6)] == [1, 3, 5]
    assert facts.rows("comparison", "form", "left", "right", "expression") == [
        ("doctest", "'two'", "'deux'", "in_words(2)"),
        ("doctest", "", "deux", "print(in_words(2))"),
    ]
    assert facts.frames(2) == [("/home/dev/scripts/doctested.py", 3, "__main__")]
    assert facts.frames(4)[-1] == ("/home/dev/scripts/doctested.py", 17, "in_words")
    assert facts.rows("truncated", "reason") == []


def test_doctests_in_pytest(recorded: Callable[[str], Any]) -> None:
    facts = recorded("runners-doctest")
    assert facts.signals() == [("test", None), ("exception", "IndexError"), ("test", None), ("assertion", None)]
    assert facts.rows("signal", "message")[1] == ("list index out of range",)
    assert facts.rows("test_case", "name", "node_id") == [
        ("words.in_words", "words.py::words.in_words"),
        ("words.shout", "words.py::words.shout"),
    ]
    assert facts.rows("comparison", "form", "left", "right") == [("doctest", "'a'", "'A'")]
    assert facts.frames(4) == [("/home/dev/runners/words.py", 15, None)]
    assert facts.about("stack_frame", 4, "source") == [('shout("a")',)]
    assert facts.rows("truncated", "reason") == []


def test_an_example_whose_exception_is_cut_off(reading: Callable[..., Any]) -> None:
    facts = reading(CUT)
    assert facts.signals() == [("test", None), ("exception", None)]
    assert facts.frames(2) == [("docs/corefile.rst", None, "default")]
    assert facts.rows("truncated", "reason") == [("an exception that an example raised is cut off",)]


def test_an_example_without_its_sides(reading: Callable[..., Any]) -> None:
    facts = reading('File "a.rst", line 3, in a.rst\nFailed example:\n    f(1)\nExpected:\n    2\n')
    assert facts.signals() == [("test", None)]
    assert facts.rows("truncated", "reason") == [("an example without what was expected and what came",)]


def test_a_side_may_begin_with_a_blank_line(reading: Callable[..., Any]) -> None:
    facts = reading('File "a.rst", line 3, in a.rst\nFailed example:\n    f(1)\nExpected:\n\n    2\nGot:\n    3\n')
    assert facts.rows("comparison", "left", "right") == [("\n2", "3")]
