"""Why: a diagnosis can lie in known ways (spec 13 section 7.5); each audit looks for one of them, from the facts and not from the verdicts.

An audit gives sentences, one for each violation, and none for a sound diagnosis. Which rules ought to have prevented it plays no part: the
audits hold for any pack. The seventh way, theatre, shows only in whether a repair at the named site worked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from tollens.engine.diagnosis.driver import Diagnosed
from tollens.engine.diagnosis.view import Json
from tollens.engine.session.session import Session
from tollens.facts.fact import Fact
from tollens.facts.values import digest, scaled

#: The six fields of an observation, in the order in which its digest takes them.
OBSERVATION = ("source_type", "source", "timestamp", "entity", "observation", "confidence")
#: So many raw lines in a row, in one text of a result, are the raw signal and no parsed field of it.
PASTED = 3


def cascade(done: Diagnosed) -> Iterator[str]:
    """Cascade-drowning: the diagnosis is about what followed from the failure, or does not leave out what followed."""
    session = done.session
    signal = _primary(session)
    own = next((fact for fact in _of(session, "chain_member", signal)), None)
    if own is None:
        return
    if own.get("position") != 0 and not _facts(session, "group_member"):
        yield f"the diagnosis is about {signal}, which was raised after another exception of its chain"
    residue = done.result["residue"] or {"suppressed_cascade_tail": 0}
    tail = [fact for fact in _facts(session, "chain_member") if fact.get("chain") == own.get("chain") and fact.get("signal") != signal]
    if residue["suppressed_cascade_tail"] < len(tail):
        yield f"{len(tail)} exceptions followed and {residue['suppressed_cascade_tail']} are suppressed"


def frames(done: Diagnosed) -> Iterator[str]:
    """Frame-blindness: the pin is a library's frame, or not the deepest of the project, or a library's frame is kept in the residue."""
    session = done.session
    signal = _primary(session)
    library = {fact.get("frame") for fact in _facts(session, "library_frame")}
    project = _of(session, "project_frame", signal)
    for pin in _of(session, "pin", signal):
        if pin.get("frame") in library:
            yield "the pin is a library's frame"
        if not _is_deepest(session, pin.get("frame")):
            yield "the pin is not the deepest frame of the project"
    kept = [fact for fact in project if fact.get("frame") in library]
    stack = _of(session, "stack_frame", signal)
    if kept or (any(frame.id in library for frame in stack) and len(project) >= len(stack)):
        yield "frames of libraries are kept in the residue"
    if done.result["residue"] and not _of(session, "pin", signal) and done.result["residue"]["primary_entity"] is not None:
        yield "the diagnosis is pinned to what is no frame of the project"


def _is_deepest(session: Session, pinned: object) -> bool:
    """Whether a frame is the deepest of the project's in the stack that it stands in."""
    own = next((fact for fact in _facts(session, "project_frame") if fact.get("frame") == pinned), None)
    depths = [int(str(fact.get("depth"))) for fact in _of(session, "project_frame", own.get("signal"))] if own is not None else []
    return own is not None and own.get("depth") == max(depths)


def imagined(done: Diagnosed) -> Iterator[str]:
    """Imagined values: something cited is no observation, or an observation does not come from what was parsed or stated."""
    session, made = done.session, done.result["diagnosis"]
    known = {fact.get("digest") for fact in _facts(session, "evidence")}
    if made is not None:
        for fact in _facts(session, "cited"):
            if fact.get("digest") not in known:
                yield f"{fact.get('digest')} is cited and was never observed"
        for row in [*made["supporting_evidence"], *made["contradictory_evidence"]]:
            if row not in done.result["evidence"]:
                yield f"{row['observation']!r} is cited and is no observation"
    for fact in _facts(session, "evidence"):
        if not _grounded(session, fact):
            yield f"{fact.get('observation')!r} comes from nothing that was read"


def pasted(done: Diagnosed) -> Iterator[str]:
    """Message-as-truth: raw text stands in the result where only parsed fields may."""
    raw: list[str] = []
    messages = [_stripped(str(signal.get("message"))) for signal in _facts(done.session, "signal")]
    for signal in _facts(done.session, "signal"):
        first, last = int(str(signal.get("first_line"))), int(str(signal.get("last_line")))
        lines = [(done.line(number) or "").strip() for number in range(first, min(last, first + 40) + 1)]
        stretch = "\n".join(lines[:PASTED])
        if len(lines) >= PASTED and all(lines[:PASTED]) and not any(stretch in message for message in messages):
            raw.append(stretch)
    for text in _texts([done.result[name] for name in ("diagnosis", "classification", "residue", "evidence")]):
        if "\n" in text and any(stretch in _stripped(text) for stretch in raw):
            yield f"raw text stands in the result: {text[:60]!r}"


def _stripped(text: str) -> str:
    return "\n".join([line.strip() for line in text.split("\n")])


def stale(result: Json, run: str) -> Iterator[str]:
    """Stale diagnosis: it cites another run than the one named `run` (the digest of its masked text), or a pack that is not its own."""
    rows = sorted({observation_digest(row) for row in result["evidence"]})
    if result["evidence_pack_id"] is not None and result["evidence_pack_id"] != digest(tuple(rows), run):
        yield "the diagnosis cites the evidence of another run"
    for row in result["evidence"]:
        if row["timestamp"].startswith("run ") and row["timestamp"] != f"run {run}":
            yield f"{row['observation']!r} was observed in another run"


def observation_digest(row: Mapping[str, object]) -> str:
    """The digest of an observation's six fields."""
    return digest(*[scaled(float(str(row[name]))) if name == "confidence" else str(row[name]) for name in OBSERVATION])


def unflagged(done: Diagnosed) -> Iterator[str]:
    """Truncated signal: something is cut off, and no event says so."""
    flagged = [(int(row["line"]), row["lost"]) for row in done.result["truncated_signals"]]
    for signal in _facts(done.session, "signal"):
        first, last = int(str(signal.get("first_line"))), int(str(signal.get("last_line")))
        cut = signal.get("record_type") == "exception" and signal.get("class_name") is None and signal.get("message") is None
        if cut and not any(first <= line <= last for line, _ in flagged):
            yield f"the exception in line {first} has no class and no message, and is not flagged"


def unnamed(done: Diagnosed) -> Iterator[str]:
    """Invariant 3: a level of the hierarchy is missing, or says what another one says."""
    made = done.result["diagnosis"]
    if made is not None:
        levels = [made[name].strip() for name in ("symptom", "immediate_cause", "root_cause_hypothesis")]
        if not all(levels) or len(set(levels)) < 3:
            yield "symptom, immediate cause and root cause are not three different things"
        said = {fact.get("level"): fact.get("text") for fact in _facts(done.session, "claim")}
        for name in ("symptom", "immediate_cause", "root_cause_hypothesis"):
            if said.get(name) != made[name]:
                yield f"the {name.replace('_', ' ')} is not what was claimed at its level"


def unclassified(done: Diagnosed) -> Iterator[str]:
    """Invariant 8: there is a diagnosis whose signal was not classified before, or whose class is another one."""
    made = next(iter(_facts(done.session, "diagnosis")), None)
    if made is None:
        return
    before = [fact for fact in _of(done.session, "classified", _primary(done.session)) if fact.seq < made.seq]
    bound = {fact_id for derivation in done.session.proof.of(made.id) for _, fact_id in derivation.bound}
    if not any(fact.id in bound and fact.get("failure_class") == made.get("failure_class") for fact in before):
        yield "the diagnosis does not rest on a classification of its signal"


AUDITS: Mapping[str, Callable[[Diagnosed], Iterator[str]]] = {
    "cascade-drowning": cascade,
    "frame-blindness": frames,
    "imagined values": imagined,
    "message as truth": pasted,
    "truncated signal": unflagged,
    "hierarchy": unnamed,
    "classified first": unclassified,
}


def audit(done: Diagnosed, run: str | None = None) -> list[str]:
    """All violations of a finished diagnosis, each behind the name of its audit; `run` is the run that it should be about (its own)."""
    found = [f"{name}: {text}" for name, look in AUDITS.items() for text in look(done)]
    own = str(done.parsed.drafts[0].fields["digest"])
    return found + [f"stale diagnosis: {text}" for text in stale(done.result, own if run is None else run)]


def _facts(session: Session, kind: str) -> Sequence[Fact]:
    return session.store.facts(kind)


def _of(session: Session, kind: str, signal: object) -> list[Fact]:
    return [fact for fact in _facts(session, kind) if fact.get("signal") == signal]


def _primary(session: Session) -> object:
    return next((fact.get("signal") for fact in _facts(session, "primary")), None)


def _grounded(session: Session, fact: Fact) -> bool:
    """Whether a fact's proof reaches something that a parser or the caller stated about the text, other than the run's name."""
    seen: set[str] = set()
    todo = [fact.id]
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        for derivation in session.proof.of(name):
            if derivation.by == "parser":
                return True
            todo += [other for _, other in derivation.bound]
            todo += derivation.inputs
    return False


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
