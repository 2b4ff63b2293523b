"""Why: a condition that no case makes decide is a condition that nobody has shown to be needed; this says which, over a pack's cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tollens.engine.bench.cases import inputs
from tollens.engine.bench.cases_file import Case, Reviewed
from tollens.engine.bench.coverage_conditions import Condition, asserted, conditions, entry_of
from tollens.engine.bench.coverage_sides import Observer
from tollens.engine.bench.testing import Tested, read_all
from tollens.engine.diagnosis.measures import MEASURES
from tollens.engine.errors import TollensError
from tollens.engine.rulebook.syntax import Rulebook
from tollens.engine.session.reference import Reference
from tollens.engine.session.session import Session, run_session

#: For each (name of a condition, side), the numbers of the cases that reached it.
Reached = dict[tuple[str, str], list[int]]


class Verdict(NamedTuple):
    """A verdict kind: how many cases derive it, and how many say something about it."""

    kind: str
    derived: int
    expected: int


class Coverage(NamedTuple):
    """What the cases of some packs decide. `failed` are cases whose session ended with an error; `stale` entries excuse nothing."""

    packs: tuple[str, ...]
    conditions: tuple[Condition, ...]
    cases: tuple[Case, ...]
    reached: Reached
    verdicts: tuple[Verdict, ...]
    unreachable: tuple[Reviewed, ...]
    failed: tuple[tuple[str, str], ...]
    stale: tuple[Reviewed, ...]

    def missing(self) -> Iterator[tuple[Condition, str]]:
        """The sides that no case reaches and nobody has excused."""
        for condition in self.conditions:
            for side in condition.sides:
                if (condition.name, side) not in self.reached and not self.excused(condition, side):
                    yield condition, side

    def excused(self, condition: Condition, side: str) -> Reviewed | None:
        """Why no case can reach a side."""
        name = side_name(condition, side)
        return next((entry for entry in self.unreachable if entry.fits(name)), None)

    def counted(self) -> tuple[int, int]:
        """Sides that are reached, and all that can be."""
        missing = len(list(self.missing()))
        reached = sum((condition.name, side) in self.reached for condition in self.conditions for side in condition.sides)
        return reached, reached + missing

    @property
    def percent(self) -> float:
        """The share of sides that are reached, in percent; 100 where there is nothing to decide."""
        reached, every = self.counted()
        return 100.0 * reached / every if every else 100.0


def side_name(condition: Condition, side: str) -> str:
    """A side as an `unreachable` entry names it."""
    return f"{condition.name}: {side}"


def measure(tested: Tested) -> Coverage:
    """Run all cases with the reference evaluator and see what each of them decides."""
    files = read_all(tested)
    cases = tuple([case for file in files for case in file.cases])
    watched = conditions(tested.book, tested.packs)
    observer = Observer(tested.book, watched)
    reached: Reached = {}
    derived: dict[str, int] = {}
    failed = []
    for number, case in enumerate(cases):
        try:
            session = watch(tested.book, case, observer)
        except TollensError as error:
            failed.append((case.name, error.message))
            observer.forget()
            continue
        for side in sorted(observer.finish(session, raw=case.raw is not None)):
            reached.setdefault(side, []).append(number)
        for kind in {fact.kind.name for fact in session.store}:
            derived[kind] = derived.get(kind, 0) + 1
    unreachable = tuple([entry for file in files for entry in file.unreachable])
    open_sides = [side_name(c, side) for c in watched for side in c.sides if (c.name, side) not in reached]
    stale = tuple([entry for entry in unreachable if not any(entry.fits(name) for name in open_sides)])
    verdicts = tuple(_verdicts(tested.book, cases, derived))
    return Coverage(tested.packs, tuple(watched), cases, reached, verdicts, unreachable, tuple(failed), stale)


def watch(book: Rulebook, case: Case, observer: Observer) -> Session:
    """Run one case and let the observer see every finished stage."""
    _, drafts = inputs(case, book.redactions)
    return run_session(book, drafts, Reference(), measures=MEASURES, after=observer.stage)


def _verdicts(book: Rulebook, cases: Sequence[Case], derived: dict[str, int]) -> Iterator[Verdict]:
    """The verdict kinds that something in the rulebook asserts."""
    made = {kind for stage in book.stages for entry in entry_of(stage) for kind in asserted(entry)}
    for kind in book.kinds:
        if kind.verdict and kind.name in made:
            named = [
                case
                for case in cases
                if kind.name in case.exactly or any(item.kind.name == kind.name for item in (*case.expect, *case.not_expected))
            ]
            yield Verdict(kind.name, derived.get(kind.name, 0), len(named))
