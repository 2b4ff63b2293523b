"""Why: edits have to be earned (spec 13 section 8, invariant 6): attempts go in, rules decide, and the verdict is kept for others to read.

Python carries attempts to the rules of `rules/gate` and their verdict to a file; it decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tollens.engine.diagnosis.packs import gate_rulebook
from tollens.engine.diagnosis.work import Json, StoredAttempt, WorkStore
from tollens.engine.errors import InputError
from tollens.engine.rulebook.syntax import Rulebook
from tollens.engine.session.evaluator import Evaluator
from tollens.engine.session.session import Session, run_session
from tollens.facts.fact import BadFact, Draft, make_fact

UNLOCKED = "unlocked"


class RepairGate(NamedTuple):
    """The verdict on a work item: `state` is locked, unlocked or escalated, `attempts` how many it was decided over.

    `run` is the run of the latest diagnosis, `pack` the digest of the rules, `stamped` whether an ablation had part in it. Edits are
    allowed where the state is unlocked and `stamped` is false.
    """

    work: str
    state: str
    why: str
    attempts: int
    run: str | None
    pack: str
    stamped: bool

    @property
    def allows_edits(self) -> bool:
        """Whether edit tools may be given out."""
        return self.state == UNLOCKED and not self.stamped

    def shown(self) -> dict[str, object]:
        """What a printed result says of it."""
        return {"work": self.work, "state": self.state, "why": self.why, "attempts": self.attempts}


def diagnosed(result: Mapping[str, Any], *, instrumented: bool = False) -> Json:
    """What an attempt keeps of a finished diagnosis, given the object that `tollens diagnose --format json` prints."""
    return {
        "what": "diagnosis",
        "run": result["run_id"],
        "outcome": result["outcome"],
        "citation_gate": result["citation_gate"],
        "hierarchy_populated": result["hierarchy_populated"],
        "instrumented": instrumented,
        "stamped": bool(result.get("stamped", False)),
    }


def record_diagnosis(
    store: WorkStore, work: str, result: Mapping[str, Any], evaluator: Evaluator, *, instrumented: bool = False
) -> RepairGate:
    """Keep a diagnosis as an attempt on the item, and give the verdict after it."""
    store.add(work, diagnosed(result, instrumented=instrumented))
    return settle(store, work, evaluator)


def record_repair(store: WorkStore, work: str, resolved: bool, evaluator: Evaluator, *, run: str | None = None) -> RepairGate:
    """Keep a repair as an attempt on the item, and give the verdict after it.

    The repair followed the item's latest diagnosis. Where `run` (a run id or a beginning of it) says that it followed another one, the
    report is stale: InputError, and nothing is kept.
    """
    latest = latest_run(store.attempts(work))
    if run is not None and (not run or latest is None or not latest.startswith(run)):
        raise InputError(
            f"the repair followed the diagnosis of run {run!r:.80}, which is not the latest of the work item {work}",
            expected=f"the run {latest}" if latest else "a diagnosis before the repair",
            next_step="diagnose the run that shows what the repair came to",
        )
    store.add(work, {"what": "repair", "run": latest, "resolved": resolved})
    return settle(store, work, evaluator)


def settle(store: WorkStore, work: str, evaluator: Evaluator) -> RepairGate:
    """The verdict on all attempts of the item, kept where it is new.

    The verdict is written before the attempts are counted once more, so of several processes the last to write has seen everything.
    """
    while True:
        kept = store.verdict(work)
        attempts = store.attempts(work)
        if kept is not None and kept["attempts"] > len(attempts):
            raise InputError(
                f"the work item {work} has {len(attempts)} attempts, and its last verdict was about {kept['attempts']}",
                next_step=f"put back what was removed, or begin anew by removing {store.path(work)}",
            )
        verdict, _ = decide(work, attempts, evaluator)
        if kept != verdict._asdict() and (attempts or kept is not None):
            store.keep(work, verdict._asdict())
        if store.count(work) == verdict.attempts:
            return verdict


def decide(work: str, attempts: Sequence[StoredAttempt], evaluator: Evaluator, book: Rulebook | None = None) -> tuple[RepairGate, Session]:
    """What the rules say of these attempts, and the session with the proof."""
    book = book or gate_rulebook()
    session = run_session(book, [Draft("work_item", {"work": work}), *_drafts(attempts, book)], evaluator)
    (state,) = session.store.facts("gate_state")
    stamped = bool(attempts and attempts[-1].fields.get("stamped", False))
    said = (str(state.get("state")), str(state.get("why")))
    return RepairGate(work, *said, len(attempts), latest_run(attempts), book.digest, stamped), session


def latest_run(attempts: Sequence[StoredAttempt]) -> str | None:
    """The run of the latest diagnosis among these attempts."""
    return next((attempt.fields.get("run") for attempt in reversed(attempts) if attempt.fields.get("what") == "diagnosis"), None)


def _drafts(attempts: Sequence[StoredAttempt], book: Rulebook) -> list[Draft]:
    kind = next(kind for kind in book.kinds if kind.name == "attempt")
    drafts = []
    for attempt in attempts:
        draft = Draft("attempt", attempt.fields, {}, ("caller", f"attempt {attempt.number}"))
        try:
            make_fact(kind, draft)
        except BadFact as error:
            raise InputError(f"the file {attempt.path} holds no attempt: {error}", next_step="put back what was there") from None
        drafts.append(draft)
    return drafts
