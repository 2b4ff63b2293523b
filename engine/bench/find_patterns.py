"""Why: an expression that matches everything, or nothing, looks the same as a good one until a verdict is wrong."""

from __future__ import annotations

from collections.abc import Iterator

from tollens.engine.bench.findings import Found, check
from tollens.engine.bench.sample import matching, readable
from tollens.engine.bench.subject import Subject, reads
from tollens.engine.rulebook.build.regex import compile_regex
from tollens.engine.rulebook.syntax import Const, Meta, Place


def _expressions(subject: Subject) -> Iterator[tuple[Meta, Place, str]]:
    """Every regular expression: of patterns, redactions, and tests with `matches`."""
    for pattern in subject.patterns:
        yield pattern.meta, pattern.meta.place, pattern.regex
    for redaction in subject.book.redactions:
        yield redaction.meta, redaction.meta.place, redaction.regex
    for entry in subject.entries:
        for read in reads(entry):
            for test in read.tests:
                if test.op == "matches" and isinstance(test.operand, Const):
                    yield entry.meta, read.place, str(test.operand.value)


@check("matches-everything", "A regular expression matches the empty text, and so is found in every text.")
def matches_everything(subject: Subject) -> Iterator[Found]:
    """Expressions that say nothing about a text."""
    for meta, place, regex in _expressions(subject):
        search = compile_regex(regex).search
        # An anchored expression may ask for the empty text itself.
        if search("") is not None and all(search(text) is not None for text in ("x", "\n", "7 (", "é|")):
            yield Found(
                place, meta.id, f"the expression {regex!r:.60} of {meta.id} is found in every text", "let it demand at least one character"
            )


@check("matches-nothing", "No text was found that a regular expression matches, such as one with an anchor in its middle.")
def matches_nothing(subject: Subject) -> Iterator[Found]:
    """Expressions that matched none of the texts made by following them."""
    for meta, place, regex in _expressions(subject):
        if readable(regex) and matching(regex) is None:
            yield Found(place, meta.id, f"no text was found that the expression {regex!r:.60} of {meta.id} matches", "look at its anchors")
