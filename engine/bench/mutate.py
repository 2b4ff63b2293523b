"""Why: a pack whose rules can be changed without a case noticing is not tested; this changes them one at a time and counts who notices.

Each mutant runs with the reference evaluator over the cases that its entry has to do with: those in which it took part or was kept from
it by one condition, and those that name it. A budget of firings bounds a mutant that loops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from tollens.engine.bench.cases import RIGHT, fired, inputs, judged
from tollens.engine.bench.cases_file import Case, Reviewed
from tollens.engine.bench.coverage_conditions import FALSE, asserted, conditions, entry_of
from tollens.engine.bench.coverage_sides import Observer
from tollens.engine.bench.mutate_entries import Mutant, mutants
from tollens.engine.bench.testing import Tested, read_all
from tollens.engine.diagnosis.measures import MEASURES
from tollens.engine.errors import BudgetExceeded, InputError, TollensError
from tollens.engine.rulebook.syntax import Rulebook
from tollens.engine.session.reference import Reference
from tollens.engine.session.session import Session, run_session
from tollens.facts.fact import Draft

#: A mutant may match this many times as often as the pack itself does in its busiest case, and this many times more.
BUDGET_FACTOR, BUDGET_FLOOR = 20, 2_000
#: Cases that are tried on one mutant, the most telling first; fewer on one that is listed as equivalent, to see that it still is.
MOST_CASES, MOST_CASES_LISTED = 150, 30
KILLED, BUDGET, ERROR, SURVIVED, EQUIVALENT, UNTESTED = (
    "killed",
    "killed by the budget",
    "killed by an error",
    "survived",
    "equivalent",
    "untested",
)


class Tried(NamedTuple):
    """A mutant after its cases: `how` is one of the words above; `case` is the one that noticed, `runs` how many ran."""

    mutant: Mutant
    how: str
    case: str
    runs: int


class Score(NamedTuple):
    """What became of the mutants of some packs. `wrong` cases are not right without any change and take no part."""

    packs: tuple[str, ...]
    tried: tuple[Tried, ...]
    made: int
    wrong: tuple[str, ...]
    stale: tuple[Reviewed, ...]

    def count(self, *how: str) -> int:
        """How many mutants came to one of these ends."""
        return sum(item.how in how for item in self.tried)

    @property
    def killed(self) -> int:
        """The mutants that a case noticed."""
        return self.count(KILLED, BUDGET, ERROR)

    @property
    def percent(self) -> float:
        """The killed ones of all that are not listed as equivalent, in percent; 100 where there are none."""
        every = len(self.tried) - self.count(EQUIVALENT)
        return 100.0 * self.killed / every if every else 100.0


class _Known(NamedTuple):
    """A case that is right without any change: its input, what took part, and by how many conditions alone each entry was kept from it."""

    case: Case
    drafts: Sequence[Draft]
    near: dict[str, int]
    rows: frozenset[str]
    kinds: frozenset[str]
    size: int


def mutate(tested: Tested, *, sample: int = 0, seed: int = 0, progress: Callable[[Tried], None] | None = None) -> Score:
    """Try all mutants of the packs under test, or a sample of that many; the same seed gives the same sample."""
    if sample < 0:
        raise InputError(f"a sample of {sample} mutants", expected="a positive number, or 0 for all of them")
    files = read_all(tested)
    equivalent = [entry for file in files for entry in file.equivalent]
    known, wrong, busiest = _known(tested, [case for file in files for case in file.cases])
    every = mutants(tested.book, tested.packs)
    chosen = every if not sample or sample >= len(every) else sorted(Random(seed).sample(range(len(every)), sample))  # noqa: S311 - no secret
    asserts = {entry.meta.id: asserted(entry) for stage in tested.book.stages for entry in entry_of(stage)}
    budget = busiest * BUDGET_FACTOR + BUDGET_FLOOR
    tried = []
    for item in chosen:
        mutant = every[item] if isinstance(item, int) else item
        listed = any(entry.fits(mutant.name) for entry in equivalent)
        cases = _concerned(mutant, known, asserts.get(mutant.entry, ()))
        done = _try(mutant, cases[: MOST_CASES_LISTED if listed else MOST_CASES], tested.book, budget)
        if listed and done.how in (SURVIVED, UNTESTED):
            done = done._replace(how=EQUIVALENT)
        tried.append(done)
        if progress is not None:
            progress(done)
    excused = [done.mutant.name for done in tried if done.how == EQUIVALENT]
    stale = [entry for entry in equivalent if not any(entry.fits(name) for name in excused)] if len(tried) == len(every) else []
    return Score(tested.packs, tuple(tried), len(every), tuple(wrong), tuple(stale))


def _known(tested: Tested, cases: Sequence[Case]) -> tuple[list[_Known], list[str], int]:
    """The cases that are right, the names of the others, and the most firings of a stage."""
    watched = conditions(tested.book, tested.packs)
    entry_of = {condition.name: condition.entry for condition in watched}
    row_of = {condition.name: str(condition.place) for condition in watched if condition.what == "row"}
    observer = Observer(tested.book, watched)
    known, wrong, busiest = [], [], 0
    for case in cases:
        _, drafts = inputs(case, tested.book.redactions)
        try:
            session = run_session(tested.book, drafts, Reference(), measures=MEASURES, after=observer.stage)
        except TollensError:
            observer.forget()
            wrong.append(case.name)
            continue
        sides = observer.finish(session, raw=case.raw is not None)
        if judged(case._replace(explains=()), session).outcome != RIGHT:
            wrong.append(case.name)
            continue
        near = dict.fromkeys([*sorted(fired(session)), *case.fires, *case.silent], 0)
        for name, side in sides:
            if side == FALSE:
                near[entry_of[name]] = near.get(entry_of[name], 0) + 1
        rows = {row_of[name] for name, _ in sides if name in row_of}
        kinds = {*case.exactly, *[item.kind.name for item in (*case.expect, *case.not_expected)]}
        known.append(_Known(case, drafts, near, frozenset(rows), frozenset(kinds), len(session.store)))
        busiest = max(busiest, *session.firings.values(), 0)
    return known, wrong, busiest


def _concerned(mutant: Mutant, known: Sequence[_Known], kinds: Sequence[str]) -> list[_Known]:
    """The cases that a mutant has to do with: first those that name its entry, then those that speak of a kind that it asserts.

    Among equals those that say most about the entry and the smallest take turns.
    """
    if mutant.rows:
        places = {str(place) for place in mutant.rows}
        told = {number: len(places & item.rows) for number, item in enumerate(known) if places & item.rows}
    else:
        told = {number: item.near[mutant.entry] for number, item in enumerate(known) if mutant.entry in item.near}

    def silence(number: int) -> int:
        item = known[number]
        return 0 if mutant.entry in (*item.case.fires, *item.case.silent) else 1 if item.kinds.intersection(kinds) else 2

    most = sorted(told, key=lambda number: (silence(number), -told[number], known[number].size, number))
    smallest = sorted(told, key=lambda number: (silence(number), known[number].size, number))
    return [known[number] for number in dict.fromkeys([number for pair in zip(most, smallest, strict=True) for number in pair])]


def _try(mutant: Mutant, cases: Sequence[_Known], book: Rulebook, budget: int) -> Tried:
    changed = mutant.make()
    masks = changed.redactions is not book.redactions
    runs = 0
    for item in cases:
        runs += 1
        drafts = inputs(item.case, changed.redactions)[1] if masks else item.drafts
        try:
            session = run_session(changed, drafts, Reference(), measures=MEASURES, budget=budget)
        except BudgetExceeded:
            return Tried(mutant, BUDGET, item.case.name, runs)
        except TollensError:
            return Tried(mutant, ERROR, item.case.name, runs)
        if _notices(item.case, session):
            return Tried(mutant, KILLED, item.case.name, runs)
    return Tried(mutant, SURVIVED if runs else UNTESTED, "", runs)


def _notices(case: Case, session: Session) -> bool:
    """Whether a case is not right any more. Explanations take no part: they would notice everything, and say little about meaning."""
    return judged(case._replace(explains=()), session).outcome != RIGHT
