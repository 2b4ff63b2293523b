"""Why: a rule that no case reaches is an opinion that nothing holds to its word."""

from __future__ import annotations

from collections.abc import Iterator

from tollens.engine.bench.cases import fired
from tollens.engine.bench.findings import Found, at, check
from tollens.engine.bench.subject import Subject
from tollens.engine.rulebook.syntax import Measure, TextPattern


@check("rule-without-case", "No case of its pack makes a rule, election, selection or grouping assert anything.")
def rule_without_case(subject: Subject) -> Iterator[Found]:
    """Entries that take no part in the proof of any case's session."""
    reached = {(pack, name) for pack, _, session in subject.sessions() for name in fired(session)}
    for entry in subject.entries:
        if not isinstance(entry, TextPattern | Measure) and (entry.meta.pack, entry.meta.id) not in reached:
            yield at(entry.meta, f"no case reaches {entry.meta.id}", "write a case in a `*.cases.yaml` file beside it (docs/cases.md)")
