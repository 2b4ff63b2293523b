"""Why: two rules that conclude opposite things of one key stop every run in which both fire; better the author meets it than a user."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from tollens.engine.bench.findings import Found, at, check
from tollens.engine.bench.subject import Subject
from tollens.engine.bench.witness import opposed, witness

#: Pairs of rules that are looked at, in their order: each costs up to a tenth of a second.
PAIRS = 200


@check("rules-disagree", "Two rules conclude the same key of a kind with different values, and facts were found on which both fire.")
def rules_disagree(subject: Subject) -> Iterator[Found]:
    """Pairs of rules with a witness on which the run ends as they contradict each other."""
    for first, second, kind in islice(opposed(subject), PAIRS):
        if not {first.meta.pack, second.meta.pack} & set(subject.asked):
            continue
        found = witness(subject, first, second, conflict=True)
        if found is not None:
            yield at(
                second.meta,
                f"{second.meta.id} and {first.meta.id} ({first.meta.place}) conclude different {kind.name} on {len(found.facts)} facts",
                f"let one of them ask for what the other has not; `tollens rules witness {first.meta.id} {second.meta.id}` shows the facts",
            )
