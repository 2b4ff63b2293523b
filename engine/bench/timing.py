"""Why: the time of a run is the sum of its rules; the author of a slow one should see it beside its firings."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter_ns
from typing import NamedTuple

from tollens.engine.bench.graph import word
from tollens.engine.bench.subject import in_stage_order
from tollens.engine.diagnosis.driver import Options, context
from tollens.engine.diagnosis.measures import MEASURES
from tollens.engine.diagnosis.redact import redact
from tollens.engine.rulebook.build.entries import Entry
from tollens.engine.rulebook.build.regex import compile_regex
from tollens.engine.rulebook.syntax import Measure, Rule, Rulebook, TextPattern
from tollens.engine.session.matching import Matcher, joined
from tollens.engine.session.reference import Reference
from tollens.engine.session.session import DEFAULT_BUDGET, Session, run_session
from tollens.facts.kind import KindTable
from tollens.parsers import parse
from tollens.parsers.text import decode

#: How often each rule's matches are looked for; the shortest time counts.
ROUNDS = 3


class Timed(NamedTuple):
    """One entry: the microseconds that finding its matches took, how many there were, and in how many proofs of facts it stands."""

    id: str
    entry: str
    stage: str
    micros: float
    matches: int
    firings: int


def timed(data: bytes, book: Rulebook) -> list[Timed]:
    """Every entry of a rulebook on one signal, the slowest first.

    Each is measured alone, on the facts that its stage ended with, by the reference evaluator's joins: what is compared are rules, not
    evaluators. Raises what a diagnosis raises.
    """
    text, redacted = redact(decode(data), book.redactions)
    parsed = parse(text)
    found: list[tuple[Entry, float, int]] = []

    def after(stage: str, session: Session) -> None:
        current = next(one for one in book.stages if one.name == stage)
        found.extend([(entry, *_best(_finder(entry, session))) for entry in in_stage_order(current)])

    drafts = [*context(parsed, Options()), *redacted, *parsed.drafts]
    session = run_session(book, drafts, Reference(), measures=MEASURES, budget=DEFAULT_BUDGET, after=after)
    firings: dict[str, int] = {}
    for _, ways in session.proof:
        for way in ways:
            firings[way.name] = firings.get(way.name, 0) + 1
    rows = [
        Timed(entry.meta.id, word(entry), entry.meta.stage, micros, matches, firings.get(entry.meta.id, 0))
        for entry, micros, matches in found
    ]
    return sorted(rows, key=lambda row: (-row.micros, row.id))


def _finder(entry: Entry, session: Session) -> Callable[[], int]:
    """A function that finds the entry's matches anew and counts them."""
    store = session.store
    if isinstance(entry, TextPattern):
        search = compile_regex(entry.regex).search
        texts = [str(value) for fact in store.facts(entry.kind) if (value := fact.get(entry.field)) is not None]
        return lambda: sum(search(text) is not None for text in texts)
    kinds = KindTable(session.rulebook.kinds)
    sources = entry.alternatives if isinstance(entry, Rule) else (entry.source,)
    negated = () if isinstance(entry, Measure) else entry.unless

    def find() -> int:
        count = 0
        for patterns in sources:
            outer = [Matcher([pattern], kinds, patterns) for pattern in negated]
            count += len(joined(store, Matcher(patterns, kinds), outer))
        return count

    return find


def _best(find: Callable[[], int]) -> tuple[float, int]:
    """The shortest time in microseconds, and the count; a first round builds the indexes and is not counted."""
    count = find()
    times = []
    for _ in range(ROUNDS):
        start = perf_counter_ns()
        find()
        times.append(perf_counter_ns() - start)
    return min(times) / 1000, count
