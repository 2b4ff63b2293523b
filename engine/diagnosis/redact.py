"""Why: secrets are masked before any fact exists, in place, so that every later line and column is still the raw text's."""

from __future__ import annotations

from collections.abc import Sequence

from tollens.engine.rulebook.build.regex import compile_regex
from tollens.engine.rulebook.syntax import Redaction
from tollens.facts.fact import Draft

MASK = "*"
SECRET = "secret"  # noqa: S105 - the name of a group, not a password


def redact(text: str, redactions: Sequence[Redaction]) -> tuple[str, list[Draft]]:
    """The text with every match masked, line ends kept, and a `redacted` fact for each redaction that found something.

    Each redaction sees what the ones before it left; a match that is masked already is not counted again.
    """
    masker = Masker(redactions)
    masked, _ = masker.mask(text)
    masker.count(len(text))
    return masked, masker.facts()


class Masker:
    """Masks a text that comes in stretches; of each stretch only the beginning is settled, the rest comes again with what follows it."""

    def __init__(self, redactions: Sequence[Redaction]) -> None:
        self._redactions = redactions
        self._counts = [0] * len(redactions)
        self._found: list[tuple[int, int]] = []

    def mask(self, text: str) -> tuple[str, Sequence[tuple[int, int]]]:
        """The masked text, and from where to where something matched, in rising order."""
        spans: list[tuple[int, int]] = []
        self._found = []
        for position, redaction in enumerate(self._redactions):
            text, own = _masked(text, redaction.regex)
            spans += own
            self._found += [(start, position) for start, _ in own]
        return text, sorted(spans)

    def count(self, before: int) -> None:
        """Count what the last call masked before this character."""
        for start, position in self._found:
            self._counts[position] += start < before

    def facts(self) -> list[Draft]:
        """A `redacted` fact for each redaction that found something."""
        return [
            Draft("redacted", {"redaction": redaction.meta.id, "count": count}, {}, ("parser", "redaction"))
            for redaction, count in zip(self._redactions, self._counts, strict=True)
            if count
        ]


def _masked(text: str, expression: str) -> tuple[str, list[tuple[int, int]]]:
    compiled = compile_regex(expression)
    if compiled.search(text) is None:
        return text, []
    group = compiled.groupindex.get(SECRET, 0)
    parts: list[str] = []
    spans: list[tuple[int, int]] = []
    last = 0
    for found in compiled.finditer(text):
        start, end = found.span(group)
        secret = text[start:end]
        if start < last or not secret.strip(MASK + "\r\n"):
            continue
        parts += [text[last:start], "".join([char if char in "\r\n" else MASK for char in secret])]
        last = end
        spans.append(found.span())
    return "".join([*parts, text[last:]]), spans
