"""Why: a kind that nobody makes or reads, or a table with a gap, is mostly a name that was mistyped or forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from tollens.engine.bench.findings import Found, check
from tollens.engine.bench.subject import Subject, declared_at
from tollens.engine.rulebook.syntax import Elect, Group, Take
from tollens.facts.kind import Kind


def _own(subject: Subject) -> Iterator[Kind]:
    """The kinds that packs declare."""
    for kind in subject.book.kinds:
        if kind.origin in subject.packs:
            yield kind


@check("kind-not-produced", "A kind that a pack declares is produced by no rule, operator, measure or table, and no case states it.")
def kind_not_produced(subject: Subject) -> Iterator[Found]:
    """Declared kinds of which there can be no facts."""
    for kind in _own(subject):
        if not subject.producers.get(kind.name) and not subject.rows.get(kind.name) and not subject.stated(kind.name):
            step = "let a rule assert it, state it in a case if callers do, or remove the kind"
            yield Found(declared_at(subject, kind), kind.name, f"nothing produces {kind.name}", step)


@check("kind-not-read", "A kind that a pack declares is read by no rule or operator, and no case expects it.")
def kind_not_read(subject: Subject) -> Iterator[Found]:
    """Declared kinds whose facts nobody looks for."""
    for kind in _own(subject):
        if not subject.readers.get(kind.name) and kind.name not in subject.case_outputs:
            step = "read it in a rule, expect it in a case if it is a result, or remove the kind"
            yield Found(declared_at(subject, kind), kind.name, f"nothing reads {kind.name}", step)


@check("rival-without-election", "Facts of a kind may rival each other, and no `elect` or `take` chooses among them.")
def rival_without_election(subject: Subject) -> Iterator[Found]:
    """Declared kinds with `rival: true` that no operator ranks."""
    for kind in _own(subject):
        if kind.rival and not any(isinstance(entry, Elect | Take | Group) for entry in subject.readers.get(kind.name, ())):
            message = f"facts of {kind.name} with one key may differ, and nothing ranks them"
            yield Found(declared_at(subject, kind), kind.name, message, "add an `elect` over them, or remove `rival: true`")


@check("missing-member", "A table with one row for each member of an enumeration lacks the row of a member.")
def missing_member(subject: Subject) -> Iterator[Found]:
    """Tables whose key is made of enumerations and truth values, and which have rows for some of their members only."""
    for name, rows in subject.rows.items():
        kind = subject.kinds[name]
        keys = [kind.field(key) for key in kind.key]
        if kind.whole or not keys or any(field.type not in ("enum", "bool") for field in keys) or subject.producers.get(name):
            continue
        members = [field.choices if field.type == "enum" else (False, True) for field in keys]
        there = {tuple([dict(row.fields).get(key) for key in kind.key]) for row in rows}
        missing = [" ".join(str(part) for part in wanted) for wanted in product(*members) if wanted not in there]
        if missing:
            message = f"the table {name} has no row for {', '.join(missing[:8])}" + (" and others" if len(missing) > 8 else "")
            yield Found(rows[0].place, name, message, "add the rows, or say with `off` and a reason why they are not needed")
