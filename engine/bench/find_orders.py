"""Why: an election whose keys say nothing chooses by accident of the text."""

from __future__ import annotations

from collections.abc import Iterator

from tollens.engine.bench.findings import Found, at, check
from tollens.engine.bench.subject import Subject
from tollens.engine.rulebook.syntax import Elect, Take


@check("election-without-order", "An election or selection is decided by position alone, or by ids, which are digests without a meaning.")
def election_without_order(subject: Subject) -> Iterator[Found]:
    """Elections without a key that says which row is better."""
    for entry in subject.entries:
        if not isinstance(entry, Elect | Take):
            continue
        if len(entry.by) == 1 and entry.by[0].value.field == "seq":
            yield at(
                entry.meta,
                f"{entry.meta.id} takes whatever comes first: its only key is the position",
                "put a key before the position that says what is better",
            )
        elif any(key.value.field == "id" for key in entry.by):
            yield at(
                entry.meta,
                f"{entry.meta.id} is ordered by ids, which are digests: the order means nothing",
                "order by a field that means something, and end in `seq`",
            )
