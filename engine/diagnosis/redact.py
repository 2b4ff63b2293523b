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
    drafts = []
    for redaction in redactions:
        text, count = _masked(text, redaction.regex)
        if count:
            drafts.append(Draft("redacted", {"redaction": redaction.meta.id, "count": count}, {}, ("parser", "redaction")))
    return text, drafts


def _masked(text: str, expression: str) -> tuple[str, int]:
    compiled = compile_regex(expression)
    if compiled.search(text) is None:
        return text, 0
    group = compiled.groupindex.get(SECRET, 0)
    parts: list[str] = []
    last = count = 0
    for found in compiled.finditer(text):
        start, end = found.span(group)
        secret = text[start:end]
        if start < last or not secret.strip(MASK + "\r\n"):
            continue
        parts += [text[last:start], "".join([char if char in "\r\n" else MASK for char in secret])]
        last = end
        count += 1
    return "".join([*parts, text[last:]]), count
