"""Why: the checks ask the same questions of a rulebook: who makes a kind, who reads it, which cases there are; asked once, kept here."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from tollens.engine.bench.cases import inputs
from tollens.engine.bench.cases_file import Case, read_cases
from tollens.engine.bench.cases_source import read_file
from tollens.engine.bench.settings import Setting, settings_of
from tollens.engine.errors import TollensError
from tollens.engine.rulebook.build.entries import Entry
from tollens.engine.rulebook.measures import MeasureSignature
from tollens.engine.rulebook.source.snapshot import Snapshot
from tollens.engine.rulebook.syntax import Aggregate, Elect, Group, Head, Pattern, Place, Row, Rule, Rulebook, Take, TextPattern
from tollens.engine.rulebook.whole.strata import expressions, heads_of, outputs, positive
from tollens.engine.session.reference import Reference
from tollens.engine.session.session import Session, run_session
from tollens.facts.kind import Kind

#: Matches per stage of a case that is run to see which rules it reaches.
CASE_BUDGET = 20_000


class Subject:
    """A rulebook that loads, the packs that it was made of (name to snapshot), and what can be known of both without a run."""

    def __init__(
        self, book: Rulebook, packs: Mapping[str, Snapshot], measures: Mapping[str, MeasureSignature], asked: Sequence[str] = ()
    ) -> None:
        #: The packs that are asked about (all, where none is named): the cases of the others do not count.
        self.asked = tuple(asked) or tuple(packs)
        self.book = book
        self.packs = packs
        self.measures = measures
        self.kinds: Mapping[str, Kind] = {kind.name: kind for kind in book.kinds}
        self.settings: Mapping[str, Sequence[Setting]] = {name: settings_of(snapshot, name) for name, snapshot in packs.items()}
        self.entries: tuple[Entry, ...] = tuple([entry for stage in book.stages for entry in in_stage_order(stage)])
        self.rules: tuple[Rule, ...] = tuple([entry for entry in self.entries if isinstance(entry, Rule)])
        self.patterns: tuple[TextPattern, ...] = tuple([entry for entry in self.entries if isinstance(entry, TextPattern)])

    @cached_property
    def producers(self) -> Mapping[str, Sequence[Entry]]:
        """For each kind, the entries that can assert it."""
        found: dict[str, list[Entry]] = {}
        for entry in self.entries:
            for kind in dict.fromkeys([kind for kind, _ in outputs(entry)]):
                found.setdefault(kind, []).append(entry)
        return found

    @cached_property
    def heads(self) -> Mapping[str, Sequence[tuple[Entry, Head]]]:
        """For each kind, the heads that spell its facts out, with their entries."""
        found: dict[str, list[tuple[Entry, Head]]] = {}
        for entry in self.entries:
            for head in heads_of(entry):
                found.setdefault(head.kind, []).append((entry, head))
        return found

    @cached_property
    def rows(self) -> Mapping[str, Sequence[Row]]:
        """For each kind, the facts that packs state."""
        found: dict[str, list[Row]] = {}
        for row in self.book.rows:
            found.setdefault(row.kind, []).append(row)
        return found

    @cached_property
    def readers(self) -> Mapping[str, Sequence[Entry]]:
        """For each kind, the entries that look for it."""
        found: dict[str, list[Entry]] = {}
        for entry in self.entries:
            for kind in dict.fromkeys([pattern.kind for pattern in reads(entry)]):
                found.setdefault(kind, []).append(entry)
        return found

    def stated(self, kind: str) -> bool:
        """Whether parsers, callers or cases may state facts of a kind."""
        return (not self.kinds[kind].verdict and self.kinds[kind].origin == "facts") or kind in self.case_inputs

    @cached_property
    def case_files(self) -> tuple[tuple[str, Path], ...]:
        """The files of cases of each pack, by pack and path."""
        found: list[tuple[str, Path]] = []
        for name in self.asked:
            for folder, folders, files in os.walk(self.packs[name].root):
                folders[:] = sorted(one for one in folders if not one.startswith("."))
                found += [(name, Path(folder, file)) for file in sorted(files) if file.endswith(".cases.yaml") and not file.startswith(".")]
        return tuple(found)

    @cached_property
    def cases(self) -> tuple[tuple[str, Case], ...]:
        """The cases that can be read, each with its pack's name; files with faults are the business of `tollens rules test`."""
        found: list[tuple[str, Case]] = []
        for name, file in self.case_files:
            try:
                found += [(name, case) for case in read_cases(self.book, file, read_file(file))]
            except TollensError:
                continue
        return tuple(found)

    @cached_property
    def case_inputs(self) -> frozenset[str]:
        """Kinds of which cases state facts."""
        return frozenset([draft.kind for _, case in self.cases for draft in case.drafts])

    @cached_property
    def case_outputs(self) -> frozenset[str]:
        """Kinds of which cases expect facts, or none."""
        return frozenset(
            [one.kind.name for _, case in self.cases for one in (*case.expect, *case.not_expected)]
            + [kind for _, case in self.cases for kind in case.exactly]
        )

    def sessions(self) -> Iterator[tuple[str, Case, Session]]:
        """The cases after their runs, with their packs; a case whose session fails is left out."""
        for name, case in self.cases:
            try:
                yield (
                    name,
                    case,
                    run_session(self.book, inputs(case, self.book.redactions)[1], Reference(), measures=self.measures, budget=CASE_BUDGET),
                )
            except TollensError:
                continue


def in_stage_order(stage: object) -> Iterator[Entry]:
    """The entries of a stage as they run."""
    for part in ("patterns", "measures", "elects", "takes", "groups", "rules"):
        yield from getattr(stage, part)


def reads(entry: Entry) -> list[Pattern]:
    """All patterns of an entry: found, absent, counted, or named as members and links."""
    found = list(positive(entry))
    if isinstance(entry, Rule | Elect | Take | Group):
        found += entry.unless
    if isinstance(entry, Group) and entry.members is not None:
        found.append(entry.members)
    if isinstance(entry, Take) and entry.apart is not None:
        found.append(Pattern(entry.apart.kind, "", (), entry.meta.place))
    return found + [expr.pattern for expr, _ in expressions(entry) if isinstance(expr, Aggregate)]


def declared_at(subject: Subject, kind: Kind) -> Place:
    """Where a pack declares a kind, as closely as it is known: its pack.yaml."""
    from tollens.engine.rulebook.source.nodes import Map, read_documents
    from tollens.engine.rulebook.source.problems import Problems
    from tollens.engine.rulebook.source.snapshot import PACK_FILE

    name = f"{kind.origin}/{PACK_FILE}"
    snapshot = subject.packs.get(kind.origin)
    data = next((file.data for file in snapshot.files if file.path == PACK_FILE), b"") if snapshot is not None else b""
    kinds = read_documents(data, name, Problems())[0].get("kinds") if data else None
    entries = kinds.entries if isinstance(kinds, Map) else ()
    return next((key.place for key, _ in entries if key.text == kind.name), Place(name, 1))
