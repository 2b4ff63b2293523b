"""Why: installers and runners fail with one line of their own and no exception; the line says what the environment lacks."""

from __future__ import annotations

from tollens.parsers.page import Page, Unit
from tollens.parsers.patterns import Pattern
from tollens.parsers.text import Text

#: The grammar's name and the lines that are its own: a part of them is fixed by the tool. What follows the prefix is the message.
_GRAMMARS = (
    (
        "python_installer",
        Pattern(
            r"\s*(?:ERROR: )?((?:Could not install packages due to |Could not find a version that satisfies the requirement "
            r"|No matching distribution found for |ResolutionImpossible\b|Failed building wheel for |Could not build wheels for "
            r"|Failed to build installable wheels |Package '?\S+'? requires a different Python"
            r"|Cannot install \S.* because these package versions "
            r"|Cannot uninstall |THESE PACKAGES DO NOT MATCH THE HASHES|Invalid requirement: ).*)$"
        ),
    ),
    ("python_installer", Pattern(r"\s*error: ((?:metadata-generation-failed|command '?\S+'? failed |externally-managed-environment).*)$")),
    ("python_installer", Pattern(r"\s*\u00d7 (No solution found when resolving dependencies.*|Failed to (?:build|download) .*)$")),
    ("conda", Pattern(r"\s*((?:PackagesNotFoundError|ResolvePackageNotFound|(?:LibMamba)?UnsatisfiableError): *.*)$")),
    ("poetry", Pattern(r"\s*(Because \S.* depends on .*)$")),
    (
        "pytest_usage",
        Pattern(
            r"ERROR: ((?:file or directory not found: |not found: |found no collectors for |Error importing plugin "
            r"|Unknown (?:pytest )?config |Wrong expression passed to |Directory argument |module or package not found: ).*)$"
        ),
    ),
    (
        "argparse",
        Pattern(r"\S.*: error: ((?:unrecognized arguments|the following arguments are required|argument \S+|ambiguous option): ?.*)$"),
    ),
)
_FOLLOWS = 12


class ToolErrors:
    """Errors of pip, uv, conda and poetry, and of pytest's and other command lines: exceptions without a class."""

    name = "tool_errors"

    def read(self, page: Page) -> None:
        """See `Grammar.read`."""
        text = page.text
        last: Unit | None = None
        for index, line in enumerate(text.lines):
            if not (
                "rror" in line or "NotFound" in line or "ERROR: " in line or "\u00d7 " in line or line.lstrip()[:8] == "Because "
            ) or not page.free(index):
                continue
            for grammar, pattern in _GRAMMARS:
                found = pattern.match(line.rstrip())
                if found is None:
                    continue
                if last is not None and last.grammar == grammar and index == last.last + 1:
                    _join(last, index, found.group(1))
                else:
                    last = _unit(text, grammar, index, *found.span(1))
                    page.units.append(last)
                last.last = _end(page, index)
                page.claim(index, last.last)
                break


def _unit(text: Text, grammar: str, index: int, start: int, end: int) -> Unit:
    unit = Unit("exception", grammar, index, index)
    unit.message = text.lines[index][start:end]
    unit.spans = {"": text.whole(index), "message": text.span(index, start, end)}
    if grammar == "conda":
        unit.class_name = unit.message.partition(":")[0]
        unit.spans["class_name"] = text.span(index, start, start + len(unit.class_name))
        unit.message = unit.message.partition(":")[2].strip() or None
        unit.spans.pop("message")
    return unit


def _join(unit: Unit, index: int, message: str) -> None:
    """Consecutive lines of one tool are one error."""
    unit.message = f"{unit.message}\n{message}"
    unit.last = index


def _end(page: Page, at: int) -> int:
    """The last of the indented lines that go on with an error."""
    lines = page.text.lines
    index = at + 1
    while index < min(at + _FOLLOWS, len(lines)) and page.free(index) and lines[index][:2] == "  " and lines[index].strip():
        index += 1
    return index - 1
