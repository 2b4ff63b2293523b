"""Why: not only what a pack concludes may change unnoticed, but also why; an accepted explanation shows that in a review."""

from __future__ import annotations

import json
from difflib import unified_diff

from tollens.engine.explain.reading import Record
from tollens.engine.explain.record import build
from tollens.engine.explain.terminal import Style
from tollens.engine.explain.text import render
from tollens.engine.explain.tree import Limits, build_tree
from tollens.engine.session.session import Session
from tollens.parsers import Parsed

#: Levels of the proof that an explanation shows: enough to see which rules decided, short enough to be read in a review.
LIMITS = Limits(depth=3)
#: Lines of a difference that are shown.
MOST_LINES = 40


def explanation(session: Session, fact_id: str, parsed: Parsed | None) -> str:
    """The proof of a fact as text that an edit elsewhere in a rule file leaves alone: without files and lines of rules."""

    def line(number: int) -> str | None:
        return parsed.text.raw(number) if parsed is not None and 1 <= number <= parsed.text.raw_lines else None

    built = build(session, run_id="case", evaluator="any", signal_name="case", signal_digest="", line=line, result={})
    data = json.loads(json.dumps(built))
    for fact in data["facts"]:
        for way in fact["derivations"]:
            way.pop("place", None)
    record = Record(data)
    trees = build_tree(record, [fact_id], LIMITS)
    return "".join(row.rstrip() + "\n" for row in render(record, trees, Style(encoding="ascii")))


def difference(accepted: str, now: str) -> str:
    """What changed, as lines of a diff."""
    lines = [row.rstrip("\n") for row in unified_diff(accepted.splitlines(), now.splitlines(), "accepted", "now", lineterm="", n=1)]
    if len(lines) > MOST_LINES:
        lines = [*lines[:MOST_LINES], f"... {len(lines) - MOST_LINES} more lines"]
    return "\n".join(lines)
