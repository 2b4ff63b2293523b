"""Why: a rule that no case reaches is an opinion that nothing holds to its word."""

from __future__ import annotations

from collections.abc import Iterator

from tollens.engine.bench.cases import fired
from tollens.engine.bench.findings import Found, at, check
from tollens.engine.bench.settings import OFF, setting_for
from tollens.engine.bench.subject import Subject
from tollens.engine.rulebook.syntax import Measure, TextPattern


@check("rule-without-case", "No case of its pack makes a rule, election, selection or grouping assert anything.")
def rule_without_case(subject: Subject) -> Iterator[Found]:
    """Entries that no case of their pack names in `fires` and that take no part in the proof of any case's session."""
    waiting = {
        (entry.meta.pack, entry.meta.id): entry
        for entry in subject.entries
        if entry.meta.pack in subject.asked and not isinstance(entry, TextPattern | Measure)
    }
    for pack, name in list(waiting):
        setting = setting_for(subject.settings.get(pack, ()), "rule-without-case", name)
        if setting is not None and setting.level == OFF:
            del waiting[pack, name]  # running all cases to find what nobody is told takes seconds
    for pack, case in subject.cases:
        for name in case.fires:
            waiting.pop((pack, name), None)
    for pack, _, session in subject.sessions() if waiting else ():
        for name in fired(session):
            waiting.pop((pack, name), None)
        if not waiting:
            return
    for entry in waiting.values():
        yield at(entry.meta, f"no case reaches {entry.meta.id}", "write a case in a `*.cases.yaml` file beside it (docs/cases.md)")
