"""Why: compiling regular expressions is most of a cold start, so each is compiled when it is first used."""

from __future__ import annotations

import re


class Pattern:
    """A regular expression that is compiled at its first use. No quantifier stands inside another one."""

    __slots__ = ("_compiled", "source")

    def __init__(self, source: str) -> None:
        self.source = source
        self._compiled: re.Pattern[str] | None = None

    @property
    def compiled(self) -> re.Pattern[str]:
        """The compiled expression."""
        if self._compiled is None:
            self._compiled = re.compile(self.source)
        return self._compiled

    def match(self, text: str) -> re.Match[str] | None:
        """The match at the beginning of the text."""
        return self.compiled.match(text)

    def full(self, text: str) -> re.Match[str] | None:
        """The match of the whole text."""
        return self.compiled.fullmatch(text)

    def finditer(self, text: str) -> list[re.Match[str]]:
        """All matches, left to right."""
        return list(self.compiled.finditer(text))


def number(digits: str | None) -> int | None:
    """The number that up to nine digits stand for; None for anything longer or else."""
    if digits is None or not digits.isdecimal() or len(digits) > 9:
        return None
    return int(digits)


def indent(line: str) -> int:
    """How many blanks a line begins with."""
    return len(line) - len(line.lstrip())
