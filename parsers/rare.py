"""Why: most texts hold few grammars; one whose signs stand nowhere in a text is not even loaded."""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

from tollens.parsers.page import Page


class Rare(NamedTuple):
    """A grammar by its module and class, and signs of which one must stand in the text for it to have anything to read.

    The text is looked at as its clean lines, each with a line feed before and after it.
    """

    module: str
    grammar: str
    signs: tuple[str, ...]


class RareGrammars:
    """Grammars that are read one after the other, those whose signs are there."""

    __slots__ = ("_rare", "name")

    def __init__(self, *rare: Rare) -> None:
        self._rare = rare
        self.name = rare[0].module

    def read(self, page: Page) -> None:
        """See `Grammar.read`."""
        text = "\n".join(["", *page.text.lines, ""])
        for module, grammar, signs in self._rare:
            if any(sign in text for sign in signs):
                getattr(import_module(f"tollens.parsers.{module}"), grammar)().read(page)


FIRST = RareGrammars(Rare("junit_report", "JUnitReport", ("<testcase",)))
#: What claims lines that would else be read as tracebacks.
BEFORE_TRACEBACKS = RareGrammars(
    Rare("doctest_report", "DoctestReport", ("Failed example:",)),
    Rare("custom_runner", "CustomRunner", ('_\n  File "',)),
    Rare("faulthandler_dump", "FaulthandlerDump", ("(most recent call first):", "Fatal Python error: ", "Windows fatal exception: ")),
    Rare("pytest_timeout", "PytestTimeout", ("+ Timeout +", "~ Stack of ")),
    Rare("crashed_run", "CrashedRun", ("node down: ", "+ Timeout +", "Fatal Python error: ", "Windows fatal exception: ", "Timeout (")),
    Rare("notebook_traceback", "NotebookTraceback", ("  Traceback (most recent call last)", "Cell In", "Input In")),
    Rare("boxed_traceback", "BoxedTraceback", ("\u2500 Traceback (most", "- Traceback (most")),
)
AFTER_TRACEBACKS = RareGrammars(
    Rare(
        "one_line_report",
        "OneLineReport",
        ('(file "', '(File "', "SyntaxError: ", "IndentationError: ", "TabError: ", 'Error  File "', 'Exception  File "', 'Error:  File "'),
    ),
    Rare(
        "tool_errors",
        "ToolErrors",
        ("ERROR: ", " error: ", "\nerror: ", "\u00d7 ", "NotFoundError", "ResolvePackageNotFound", "UnsatisfiableError", "Because "),
    ),
    Rare("warning_lines", "WarningLines", ("Warning",)),
)
