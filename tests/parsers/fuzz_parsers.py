"""Why: coverage-guided fuzzing of all grammars, for as many runs as are asked for; every text must give sound facts and stay within bounds.

`python tests/parsers/fuzz_parsers.py CORPUS... -runs=N` needs atheris (`pip install atheris`); it writes new inputs into the first folder.
"""

from __future__ import annotations

import sys

import atheris  # type: ignore[import-untyped, import-not-found, unused-ignore]  # optional, without types

with atheris.instrument_imports(include=["tollens.parsers"]):
    from tollens.facts.fact import make_fact
    from tollens.facts.table import base_kinds
    from tollens.parsers import Limits, parse

KINDS = base_kinds()
#: Small, so that every bound is met by a text of a few kilobytes.
SMALL = Limits(window=700, line=200, value=60, signals=12, tail=3, repeats=2, facts=80, kept=4_000, frames=6, details=6, truncated=9)


def look(data: bytes) -> None:
    """Parse one input with usual and with small limits, and check every fact."""
    for limits in (Limits(), SMALL):
        parsed = parse(data, limits=limits)
        known: dict[str, object] = {}
        for draft in parsed.drafts:
            fact = make_fact(KINDS[draft.kind], draft)
            if known.setdefault(fact.id, fact.values) != fact.values:
                raise AssertionError(f"two facts of one key: {draft}")
            for span in draft.spans.values():
                if not 0 <= span.start <= span.end:
                    raise AssertionError(f"a span that is none: {draft}")
        for draft in parsed.drafts:
            for field in KINDS[draft.kind].fields:
                if field.type == "ref" and draft.fields.get(field.name) not in (None, *known):
                    raise AssertionError(f"a reference to nothing: {draft}")


if __name__ == "__main__":
    atheris.Setup(sys.argv, look)
    atheris.Fuzz()
