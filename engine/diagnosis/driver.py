"""Why: the one way from raw text to a result: parse, state the facts, run the rules, lay out what they concluded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from tollens.engine.diagnosis.measures import MEASURES
from tollens.engine.diagnosis.redact import Masker
from tollens.engine.diagnosis.view import Json, View
from tollens.engine.rulebook.syntax import Rulebook
from tollens.engine.session.evaluator import Evaluator
from tollens.engine.session.session import DEFAULT_BUDGET, Session, run_session
from tollens.facts.fact import Draft
from tollens.facts.values import digest
from tollens.parsers import DEFAULT, Limits, Parsed, parse_stream


class Options(NamedTuple):
    """What the caller says about a signal. Paths are compared as texts; `timestamp` is used as given, never made up."""

    source: str = "signal"
    project_roots: tuple[str, ...] = ()
    timestamp: str | None = None
    budget: int = DEFAULT_BUDGET
    project_packages: tuple[str, ...] = ()


class Ended(NamedTuple):
    """Why reading a signal stopped before its end."""

    reason: str


class Pieces(Protocol):
    """The bytes of a signal, piece by piece; `ended` says after the last one why there are no more, where that is not their end."""

    ended: Ended | None

    def __iter__(self) -> Iterator[bytes]:
        """The pieces, each of any size."""
        ...


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
        """A raw line by its number from 1, or None where there is no such line, or it was not kept."""
        return self.parsed.text.all_raw.get(number)


def diagnose(data: bytes | Pieces, book: Rulebook, evaluator: Evaluator, options: Options = Options()) -> Diagnosed:  # noqa: B008 - immutable
    """Diagnose one raw signal (spec 13 section 3), given whole or piece by piece; a text of any size is read in bounded memory.

    Raises FactError, BudgetExceeded or EngineError, and what reading `data` raises; text that nothing can be read from is an outcome,
    not an error.
    """
    parsed, redacted = read(data, book)
    session = run_session(book, [*context(parsed, options), *redacted, *parsed.drafts], evaluator, measures=MEASURES, budget=options.budget)
    view = View(session, options.source)
    return Diagnosed(view.result(evaluator.name, run_name(parsed, book, options)), session, parsed, view.answers())


def read(data: bytes | Pieces, book: Rulebook, limits: Limits = DEFAULT) -> tuple[Parsed, list[Draft]]:
    """What a raw signal says, with secrets masked before anything is kept, and the facts about what was masked."""
    masker = Masker(book.redactions)
    parsed = parse_stream(iter([data]) if isinstance(data, bytes) else iter(data), mask=masker, limits=limits)
    facts = masker.facts()
    if not isinstance(data, bytes) and data.ended is not None:
        line = max(1, int(str(parsed.drafts[0].fields["lines"])))
        fields = {"line": line, "grammar": "input", "reason": data.ended.reason, "lost": 0}
        facts.append(Draft("truncated", fields, {}, ("parser", "input")))
    return parsed, facts


def run_name(parsed: Parsed, book: Rulebook, options: Options) -> str:
    """The name of a run: a digest of the masked text, what the caller said, and the rules."""
    raw = parsed.drafts[0].fields
    return digest(
        str(raw["digest"]),
        str(raw["characters"]),
        options.source,
        *options.project_roots,
        options.timestamp,
        options.project_packages,
        book.digest,
    )


def context(parsed: Parsed, options: Options) -> list[Draft]:
    """The facts that the caller states: which run it was, and where the project's roots are."""
    raw = next((draft for draft in parsed.drafts if draft.kind == "raw_text"), None)
    run = str(raw.fields["digest"]) if raw is not None else ""
    drafts = [Draft("provenance", {"run": run, "timestamp": options.timestamp, "source": options.source})]
    drafts += [Draft("project_package", {"name": name}) for name in options.project_packages]
    return drafts + [Draft("project_root", {"path": path}) for path in options.project_roots]
