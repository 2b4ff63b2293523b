"""Why: the one way from raw text to a result: parse, state the facts, run the rules, lay out what they concluded."""

from __future__ import annotations

from typing import NamedTuple

from tollens.engine.diagnosis.measures import MEASURES
from tollens.engine.diagnosis.redact import redact
from tollens.engine.diagnosis.view import Json, View
from tollens.engine.rulebook.syntax import Rulebook
from tollens.engine.session.evaluator import Evaluator
from tollens.engine.session.session import DEFAULT_BUDGET, Session, run_session
from tollens.facts.fact import Draft
from tollens.facts.values import digest
from tollens.parsers import Parsed, parse
from tollens.parsers.text import decode


class Options(NamedTuple):
    """What the caller says about a signal. Paths are compared as texts; `timestamp` is used as given, never made up."""

    source: str = "signal"
    project_roots: tuple[str, ...] = ()
    timestamp: str | None = None
    budget: int = DEFAULT_BUDGET


class Diagnosed(NamedTuple):
    """A finished diagnosis: the result object, the session with its proof, and the text it was read from."""

    result: Json
    session: Session
    parsed: Parsed
    answers: dict[str, list[str]]

    @property
    def run_id(self) -> str:
        """The name of the run: a digest of input, options and rules, so the same everything is the same run."""
        return str(self.result["run_id"])

    def line(self, number: int) -> str | None:
        """A raw line by its number from 1, or None where there is no such line."""
        text = self.parsed.text
        return text.raw(number) if 1 <= number <= text.raw_lines else None


def diagnose(data: bytes, book: Rulebook, evaluator: Evaluator, options: Options = Options()) -> Diagnosed:  # noqa: B008 - immutable
    """Diagnose one raw signal (spec 13 section 3).

    Raises FactError, BudgetExceeded or EngineError; text that nothing can be read from is an outcome, not an error.
    """
    text, redacted = redact(decode(data), book.redactions)
    parsed = parse(text)
    name = digest(text, options.source, *options.project_roots, options.timestamp, book.digest)
    session = run_session(book, [*context(parsed, options), *redacted, *parsed.drafts], evaluator, measures=MEASURES, budget=options.budget)
    view = View(session, options.source)
    return Diagnosed(view.result(evaluator.name, name), session, parsed, view.answers())


def context(parsed: Parsed, options: Options) -> list[Draft]:
    """The facts that the caller states: which run it was, and where the project's roots are."""
    raw = next((draft for draft in parsed.drafts if draft.kind == "raw_text"), None)
    run = str(raw.fields["digest"]) if raw is not None else ""
    drafts = [Draft("provenance", {"run": run, "timestamp": options.timestamp, "source": options.source})]
    return drafts + [Draft("project_root", {"path": path}) for path in options.project_roots]
