"""Why: tools that draw tracebacks their own way still print Python's words between the exceptions of a chain."""

from __future__ import annotations

from collections.abc import Callable

from tollens.parsers.page import Unit
from tollens.parsers.traceback_one import LINKS


class PrintedChain:
    """The exceptions of one chain as they are found, oldest first."""

    __slots__ = ("_begins", "_relation", "_units")

    def __init__(self, begins: Callable[[str], bool]) -> None:
        self._begins = begins
        self._relation = "first"
        self._units: list[Unit] = []

    def add(self, unit: Unit) -> None:
        """Take the next exception."""
        unit.relation = self._relation if self._units else "first"
        self._units.append(unit)

    def follow(self, lines: list[str], at: int) -> int:
        """Look from line `at` on for the words that another exception followed; gives that one's line, or `at` where the chain ends."""
        index = _skip(lines, at, "")
        link = LINKS.get(lines[index].strip()) if index < len(lines) else None
        if link is not None:
            index = _skip(lines, index + 1, "-")
            if index < len(lines) and self._begins(lines[index]):
                self._relation = link
                return index
        if len(self._units) > 1:
            for unit in self._units:
                unit.chain = self._units
        self._units = []
        return at


def _skip(lines: list[str], at: int, drawn: str) -> int:
    while at < len(lines) and not lines[at].strip(" " + drawn):
        at += 1
    return at
