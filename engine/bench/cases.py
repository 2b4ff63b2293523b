"""Why: a pack's judgements are tested where they are written: facts or raw text in, expected facts out, in a file beside the rules.

The format is docs/cases.md. Reading a file reports every fault at once; running it never raises for what a case finds out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from tollens.engine.bench.cases_explained import difference, explanation
from tollens.engine.bench.cases_facts import Expected, Label
from tollens.engine.bench.cases_file import Case, read_cases
from tollens.engine.bench.cases_source import Accepted
from tollens.engine.bench.cases_text import read
from tollens.engine.diagnosis.measures import MEASURES
from tollens.engine.errors import TollensError
from tollens.engine.rulebook.syntax import Place, Redaction, Rulebook
from tollens.engine.session.session import DEFAULT_BUDGET, Session, run_session
from tollens.facts.fact import Draft, Fact
from tollens.facts.kind import Kind
from tollens.facts.values import Value

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tollens.engine.rulebook.measures import MeasureSignature
    from tollens.engine.session.evaluator import Evaluator
    from tollens.parsers import Parsed

RIGHT, MISSING, UNEXPECTED, WRONG = "right", "missing", "unexpected", "wrong"


class Finding(NamedTuple):
    """One thing that a case found out: its outcome, where the expectation is written, and a sentence."""

    outcome: str
    place: Place
    text: str


class CaseResult(NamedTuple):
    """A case after its run. `outcome` is right, missing (something expected is not there), unexpected (something is there that must
    not be), or wrong (a fact is there with other contents, or both of these). `renewed` are explanations that may be accepted."""

    name: str
    place: Place
    outcome: str
    findings: tuple[Finding, ...]
    renewed: tuple[Accepted, ...] = ()


def run_cases(
    rulebook: Rulebook,
    cases_file: Path,
    evaluator: Evaluator,
    *,
    measures: Mapping[str, MeasureSignature] | None = None,
    budget: int = DEFAULT_BUDGET,
) -> list[CaseResult]:
    """Run every case of a file.

    Raises PackErrors where the file does not fit the format or the rulebook's kinds, OSError where it cannot be read.
    """
    return [run_case(rulebook, case, evaluator, measures=measures, budget=budget) for case in read_cases(rulebook, cases_file)]


def run_case(
    rulebook: Rulebook,
    case: Case,
    evaluator: Evaluator,
    *,
    measures: Mapping[str, MeasureSignature] | None = None,
    budget: int = DEFAULT_BUDGET,
) -> CaseResult:
    """Run one case. A session that fails is wrong, with the error as its finding."""
    parsed, drafts = inputs(case, rulebook.redactions)
    try:
        session = run_session(rulebook, drafts, evaluator, measures=MEASURES if measures is None else measures, budget=budget)
    except TollensError as error:
        return CaseResult(case.name, case.place, WRONG, (Finding(WRONG, case.place, f"the session failed: {error.message}"),))
    return judged(case, session, parsed)


def inputs(case: Case, redactions: Sequence[Redaction]) -> tuple[Parsed | None, list[Draft]]:
    """The facts that a case starts from, with the parsed text where it gives a raw signal."""
    if case.raw is None:
        return None, list(case.drafts)
    parsed, drafts = read(case.raw, redactions)
    return parsed, [*drafts, *case.drafts]


def judged(case: Case, session: Session, parsed: Parsed | None = None) -> CaseResult:
    """What a finished session makes of a case."""
    comparison = _Comparison(session, case)
    findings = [*comparison.findings(), *_fired(case, session)]
    renewed = []
    for label, text, place in case.explains:
        if (fact_id := comparison.found(label)) is None:
            findings.append(Finding(MISSING, place, f"missing: one fact that {label} stands for; it cannot be explained"))
            continue
        told = explanation(session, fact_id, parsed)
        if text is None:
            findings.append(Finding(MISSING, place, f"missing: an accepted explanation of {label} (--accept writes it)"))
        elif text.rstrip() != told.rstrip():
            findings.append(Finding(WRONG, place, f"wrong: the explanation of {label} is another one\n{difference(text, told)}"))
        else:
            continue
        renewed.append(Accepted(place, told))
    outcomes = {finding.outcome for finding in findings}
    outcome = RIGHT if not outcomes else outcomes.pop() if len(outcomes) == 1 else WRONG
    return CaseResult(case.name, case.place, outcome, tuple(findings), tuple(renewed))


def fired(session: Session) -> set[str]:
    """The ids of everything that took part: rules, operators, patterns, measures and redactions."""
    names = {way.name for _, ways in session.proof for way in ways if way.place is not None and way.by != "row"}
    if "redacted" in session.store.kinds:
        names.update(str(fact.get("redaction")) for fact in session.store.facts("redacted"))
    return names


def _fired(case: Case, session: Session) -> Iterator[Finding]:
    """What is not as `fires` and `does_not_fire` say."""
    if case.fires or case.silent:
        names = fired(session)
        for name in case.fires:
            if name not in names:
                yield Finding(MISSING, case.place, f"missing: {name} does not fire")
        for name in case.silent:
            if name in names:
                yield Finding(UNEXPECTED, case.place, f"unexpected: {name} fires")


class _Comparison:
    """What a session's facts make of a case's expectations."""

    def __init__(self, session: Session, case: Case) -> None:
        self._session = session
        self._case = case
        self._labels = dict(case.labels)
        self._claims: dict[str, Expected] = {}

    def findings(self) -> Iterable[Finding]:
        """Everything that is not as the case says."""
        unmet = [expected for expected in self._case.expect if not self._met(expected)]
        near: set[str] = set()
        for expected in unmet:
            fact = self._nearest(expected, near)
            if fact is None:
                yield Finding(MISSING, expected.place, f"missing: {self._text(expected)}")
            else:
                near.add(fact.id)
                yield Finding(WRONG, expected.place, f"wrong: expected {self._text(expected)}, found {fact_text(fact)}")
        for expected in self._case.not_expected:
            for fact in self._fitting(expected):
                yield Finding(UNEXPECTED, expected.place, f"unexpected: {fact_text(fact)}")
        for kind in self._case.exactly:
            for fact in self._session.store.facts(kind):
                if fact.id not in self._claims and fact.id not in near:
                    yield Finding(UNEXPECTED, self._case.place, f"unexpected: {fact_text(fact)}")

    def found(self, label: str) -> str | None:
        """The id of the one fact that an expectation with this label found."""
        return self._labels.get(label)

    def _met(self, expected: Expected) -> bool:
        """Whether a fact can be claimed for an expectation; each has one of its own (augmenting paths, as in bipartite matching)."""
        if not self._claim(expected, set()):
            return False
        if expected.label:
            fitting = self._fitting(expected)
            if len(fitting) == 1:
                self._labels[expected.label] = fitting[0].id
        return True

    def _claim(self, expected: Expected, tried: set[str]) -> bool:
        for fact in self._fitting(expected):
            if fact.id in tried:
                continue
            tried.add(fact.id)
            other = self._claims.get(fact.id)
            if other is None or self._claim(other, tried):
                self._claims[fact.id] = expected
                return True
        return False

    def _fitting(self, expected: Expected) -> list[Fact]:
        return [fact for fact in self._session.store.facts(expected.kind.name) if not self._differing(expected, fact)]

    def _differing(self, expected: Expected, fact: Fact) -> list[str]:
        return [name for name, value in expected.fields if fact.get(name) != self._value(value)]

    def _value(self, value: Value | Label) -> Value:
        return self._labels.get(value.name, f"${value.name}") if isinstance(value, Label) else value

    def _nearest(self, expected: Expected, taken: set[str]) -> Fact | None:
        """The unclaimed fact of the kind that shares most of the expected fields, if it shares any or is the only one."""
        free = [f for f in self._session.store.facts(expected.kind.name) if f.id not in self._claims and f.id not in taken]
        best = min(free, key=lambda fact: len(self._differing(expected, fact)), default=None)
        if best is None or (len(free) > 1 and len(self._differing(expected, best)) == len(expected.fields)):
            return None
        return best

    def _text(self, expected: Expected) -> str:
        parts = [f"{name}: {_shown(expected.kind, name, value)}" for name, value in expected.fields]
        return f"{expected.kind.name} {{{', '.join(parts)}}}"


def fact_text(fact: Fact) -> str:
    """A fact as a case would write it."""
    return f"{fact.kind.name} {{{', '.join(f'{name}: {value}' for name, value in fact.plain().items())}}}"


def _shown(kind: Kind, name: str, value: Value | Label) -> str:
    if isinstance(value, Label):
        return f"${value.name}"
    if value is None:
        return "nothing"
    if name in kind.index and kind.field(name).type == "number" and isinstance(value, int):
        return f"{value / 1_000_000:g}"
    return ", ".join(value) if isinstance(value, tuple) else str(value)
