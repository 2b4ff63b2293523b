"""Why: one door for raw text of any kind: the pre-layer, then each grammar in a fixed order, then numbered facts."""

from __future__ import annotations

from typing import NamedTuple

from tollens.facts.fact import Draft
from tollens.facts.values import byte_digest
from tollens.parsers.boxed_traceback import BoxedTraceback
from tollens.parsers.crashed_run import CrashedRun
from tollens.parsers.custom_runner import CustomRunner
from tollens.parsers.doctest_report import DoctestReport
from tollens.parsers.emit import Emitter
from tollens.parsers.faulthandler_dump import FaulthandlerDump
from tollens.parsers.junit_report import JUnitReport
from tollens.parsers.limits import DEFAULT, Limits
from tollens.parsers.notebook_traceback import NotebookTraceback
from tollens.parsers.one_line_report import OneLineReport
from tollens.parsers.page import Grammar, Page
from tollens.parsers.prefixes import without_prefixes
from tollens.parsers.pytest_report import PytestReport
from tollens.parsers.pytest_timeout import PytestTimeout
from tollens.parsers.python_traceback import PythonTraceback
from tollens.parsers.text import Text, decode, make_text
from tollens.parsers.tool_errors import ToolErrors
from tollens.parsers.unittest_report import UnittestReport
from tollens.parsers.warning_lines import WarningLines

#: The grammars in the order in which they may claim lines: reports first, then what may stand inside them.
GRAMMARS: tuple[Grammar, ...] = (
    JUnitReport(),
    PytestReport(),
    UnittestReport(),
    DoctestReport(),
    CustomRunner(),
    FaulthandlerDump(),
    PytestTimeout(),
    CrashedRun(),
    NotebookTraceback(),
    BoxedTraceback(),
    PythonTraceback(),
    OneLineReport(),
    ToolErrors(),
    WarningLines(),
)


class Parsed(NamedTuple):
    """What a raw text says: drafts of facts in their canonical order, and the text with its raw lines by number."""

    drafts: tuple[Draft, ...]
    text: Text


def parse(data: bytes | str, *, limits: Limits = DEFAULT) -> Parsed:
    """The facts that stand in the output of a failed run (spec 13, 3.1 (a)). Never raises on any input.

    Signals are numbered by position from 1; spans give raw lines (from 1) and columns in characters (from 0). Text with
    NUL characters is binary and gives no signals. What began like a known grammar and did not go on, and what was cut
    by a limit, is a `truncated` fact.
    """
    source = decode(data)
    binary = "\x00" in source
    text = without_prefixes(make_text("" if binary else source, limits))
    page = Page(text, limits)
    for cut in text.cuts:
        page.truncated(cut.line, "text", cut.reason, cut.lost)
    for grammar in GRAMMARS:
        grammar.read(page)
    drafts = Emitter(page).emit()
    return Parsed((_raw_text(data, source, text, drafts, binary), *drafts), text)


def _raw_text(data: bytes | str, source: str, text: Text, drafts: list[Draft], binary: bool) -> Draft:
    content = data if isinstance(data, bytes) else source.encode("utf-8")
    fields = {
        "digest": byte_digest([content], size=10),
        "lines": text.raw_lines,
        "characters": len(source),
        "signals": sum(draft.kind == "signal" for draft in drafts),
        "binary": binary,
    }
    return Draft("raw_text", fields, {}, ("parser", "text"))
