"""Why: a case can be a traceback: the raw text is masked and parsed as a diagnosis would, so that a case shows what a user will see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tollens.engine.diagnosis.driver import Options, context
from tollens.engine.diagnosis.redact import redact
from tollens.engine.rulebook.syntax import Redaction
from tollens.facts.fact import Draft
from tollens.parsers import Parsed, parse


class RawText(NamedTuple):
    """A raw signal of a case, the project roots and the time that its caller would name."""

    text: str
    roots: tuple[str, ...] = ()
    timestamp: str | None = None


def read(raw: RawText, redactions: Sequence[Redaction]) -> tuple[Parsed, list[Draft]]:
    """The parsed text and the facts that a diagnosis would start from."""
    text, redacted = redact(raw.text, redactions)
    parsed = parse(text)
    return parsed, [*context(parsed, Options("case", raw.roots, raw.timestamp)), *redacted, *parsed.drafts]
