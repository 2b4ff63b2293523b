"""Why: a diagnosis as people read it: the symptom, the place and the reason first, the class last, each with what speaks for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tollens.engine.diagnosis.driver import Diagnosed
from tollens.engine.explain.terminal import Style, cells, cut, excerpt, wrapped
from tollens.engine.interfaces.screen import runs_option

if TYPE_CHECKING:
    from tollens.engine.diagnosis.gate import RepairGate

LABEL = 17
#: Where the output is narrower than this, texts stand under their labels, this far in.
NARROW, NARROW_INDENT = 50, 2
#: How many observations, sites and open questions are shown; the JSON output has all of them.
MOST_ROWS = 6


def page(
    done: Diagnosed, style: Style, *, kept: str | None, gate: RepairGate | None = None, whole: bool = True, runs: str | None = None
) -> Iterator[str]:
    """The result as lines of text, and the verdict of the repair gate where there is one.

    `whole`: no row is cut, as on what is no terminal. `runs` is the folder that was named for the stored run, so that the command that
    is shown finds it.
    """
    result: dict[str, Any] = done.result
    if result["diagnosis"] is None:
        yield from _without(done, style)
    else:
        yield from _diagnosis(done, style, whole)
    if gate is not None:
        yield from _labelled(style, "repair gate", f"{gate.state}: {gate.why}", "strong")
    yield ""
    short = done.run_id[:10]
    if kept:
        one = "root_cause_hypothesis" if "root_cause_hypothesis" in done.answers else "outcome"
        where = runs_option(runs)
        told = [f"run {short}", f"proof: tollens why {short}{where}", f"one verdict: tollens why {short} {one}{where}"]
        for line in told if _narrow(style) or where else ["   ".join(told)]:
            yield style.paint(style.safe(line), "faint")
    else:
        yield style.paint(f"run {short} (not kept)", "faint")


def _without(done: Diagnosed, style: Style) -> Iterator[str]:
    outcomes = done.session.store.facts("outcome")
    yield style.paint(str(done.result["outcome"]).replace("_", " "), "strong")
    for fact in outcomes:
        yield from _labelled(style, "why", str(fact.get("why")))
        if fact.get("next_step") is not None:
            yield from _labelled(style, "next", str(fact.get("next_step")))


def _diagnosis(done: Diagnosed, style: Style, whole: bool) -> Iterator[str]:
    result: dict[str, Any] = done.result
    made = result["diagnosis"]
    yield from _labelled(style, "symptom", made["symptom"], "strong")
    yield from _repeated(done, style)
    yield from _labelled(style, "immediate cause", made["immediate_cause"])
    yield from _labelled(style, "root cause", made["root_cause_hypothesis"], "mark")
    residue = result["residue"] or {}
    if residue.get("actual") is not None:
        yield from _labelled(style, "found", residue["actual"])
    if residue.get("expected") is not None:
        yield from _labelled(style, "expected", residue["expected"])
    yield from _pinned(done, style)
    yield from _sites(result["root_cause_sites"], style, whole)
    yield ""
    yield from _rows(style, "observed", [_observed(row) for row in made["supporting_evidence"]], whole)
    yield from _rows(style, "not known", made["unresolved_questions"], True, len(made["unresolved_questions"]))
    others = result["other_failures"]
    yield from _rows(style, "also failing", [_times(other["count"]) + other["cause"] for other in others], whole)
    yield ""
    yield from _labelled(style, "class", _class(done))
    facts = done.session.store.facts("confidence")
    yield from _labelled(style, "confidence", f"{made['confidence']}: {facts[0].get('reason')}" if facts else str(made["confidence"]))
    pack = result["pack"]
    yield from _labelled(style, "decided by", f"{pack['name']} {pack['version']} ({pack['digest'][:10]}), {result['evaluator']}")


def _repeated(done: Diagnosed, style: Style) -> Iterator[str]:
    """How often the text tells of the same failure, where that is too often to keep each time."""
    store = done.session.store
    primary = store.facts("primary")
    for fact in store.facts("repeated"):
        if primary and fact.get("signal") == primary[0].get("signal"):
            count = int(str(fact.get("count")))
            yield from _labelled(style, "repeated", f"{count:,} times in this text, for the last time in line {fact.get('last_line')}")


def _class(done: Diagnosed) -> str:
    primary = done.session.store.facts("primary")
    for fact in done.session.store.facts("classified"):
        if primary and fact.get("signal") == primary[0].get("signal"):
            return f"{fact.get('failure_class')} (fit: {fact.get('fit')}; {fact.get('subreason')})"
    return ""


def _pinned(done: Diagnosed, style: Style) -> Iterator[str]:
    """The raw line that the pinned frame was read from, with a caret under it."""
    store = done.session.store
    primary = store.facts("primary")
    pins = [pin for pin in store.facts("pin") if primary and pin.get("signal") == primary[0].get("signal")]
    for pin in pins:
        frame = store.get(str(pin.get("frame")))
        if frame is None:
            continue
        span = frame.spans.get("source") or frame.spans.get("file") or frame.spans.get("")
        text = done.line(span.line) if span else None
        if span is None or text is None:
            continue
        entity = f"{frame.get('file')}:{frame.get('line')}" if frame.get("line") is not None else str(frame.get("file"))
        yield from _labelled(style, "place", entity, "place")
        indent = NARROW_INDENT if _narrow(style) else LABEL
        shown, carets = excerpt(style, text, [(span.start, span.end)], _room(style))
        yield " " * indent + style.paint(shown, "faint")
        yield " " * indent + style.paint(carets, "mark")


def _sites(sites: list[dict[str, Any]], style: Style, whole: bool) -> Iterator[str]:
    rows = [f"{site['function'] or 'module'}  {site['file']}:{site['line']}" for site in sites]
    yield from _rows(style, "look at", rows, whole)


def _observed(row: dict[str, Any]) -> str:
    return f"{row['source_type']}, {row['source']}: {row['observation']}"


def _times(count: int) -> str:
    return "" if count == 1 else f"{count} times: "


def _rows(style: Style, label: str, rows: list[str], whole: bool, most: int = MOST_ROWS) -> Iterator[str]:
    """Numbered rows: `whole`, wrapped under their number, or of one line each, cut where they are longer."""
    room = _room(style)
    for number, row in enumerate(rows[:most]):
        head = f"{number + 1}. "
        if whole:
            yield from _labelled(style, label if number == 0 else "", head + row, hang=len(head))
            continue
        line = head + style.safe(row.split(chr(10), 1)[0])
        if cells(line) > room or "\n" in row:
            line = cut(line, room - cells(style.guides.cut)) + style.guides.cut
        yield from _labelled(style, label if number == 0 else "", line)
    if len(rows) > most:
        yield from _labelled(style, "", f"and {len(rows) - most} more (see --format json)")


def _labelled(style: Style, label: str, text: str, colour: str = "", hang: int = 0) -> Iterator[str]:
    """A label and the text beside it, wrapped; its lines after the first stand `hang` cells further in. Under it, where room is scarce."""
    room = _room(style)
    indent = NARROW_INDENT if _narrow(style) else LABEL
    if label and _narrow(style):
        yield style.paint(label, "faint")
    first = True
    for part in text.split("\n"):
        for line in wrapped(style.safe(part), room if first else room - hang, room - hang):
            beside = first and label and not _narrow(style)
            head = style.paint(label.ljust(LABEL), "faint") if beside else " " * (indent if first else indent + hang)
            yield (head + (style.paint(line, colour) if colour else line)).rstrip()
            first = False


def _narrow(style: Style) -> bool:
    return 0 < style.width < NARROW


def _room(style: Style) -> int:
    """The cells beside the labels, or under them."""
    return max((style.width or 100) - (NARROW_INDENT if _narrow(style) else LABEL), 8)
