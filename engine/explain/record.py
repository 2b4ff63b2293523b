"""Why: a verdict must stay explainable when the rules have moved on, so a run is kept whole: facts, proof, sentences, cited raw lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tollens.engine.explain.shape import FORMAT
from tollens.engine.rulebook.syntax import Elect, Format, Group, Head, Measure, Meta, Name, Ref, Rule, Rulebook, Take, TextPattern
from tollens.engine.session.operators import key_text
from tollens.engine.session.render import ref_text
from tollens.engine.session.session import Session, canonical

#: How many characters of a raw line are kept around each cited span.
LINE_LIMIT = 400

Entry = Rule | Elect | Take | Group | TextPattern | Measure
_ENTRIES = ("patterns", "measures", "elects", "takes", "groups", "rules")
_WORDS = {"patterns": "pattern", "measures": "measure", "elects": "elect", "takes": "take", "groups": "group", "rules": "rule"}


def build(
    session: Session,
    *,
    run_id: str,
    evaluator: str,
    signal_name: str,
    signal_digest: str,
    line: Callable[[int], str | None],
    result: Mapping[str, object],
    answers: Mapping[str, Iterable[str]] | None = None,
) -> dict[str, object]:
    """The record of a finished run as JSON data (see docs/why.md for its fields).

    `line` gives the raw line of a number counted from 1, or None; `result` is what `tollens diagnose --format json` printed;
    `answers` maps a field's name in the result to the ids of the facts that it was read from.
    """
    facts: Any = canonical(session)["facts"]
    return {
        "format": FORMAT,
        "run_id": run_id,
        "outcome": result.get("outcome"),
        "pack": _pack(session.rulebook, result),
        "packs": [{"name": pack.name, "version": pack.version, "digest": pack.digest} for pack in session.rulebook.packs],
        "evaluator": evaluator,
        "signal": {"name": signal_name, "digest": signal_digest, "lines": _cited(facts, line)},
        "rules": _rules(session.rulebook, facts),
        "answers": {name: list(ids) for name, ids in (answers or {}).items()},
        "result": dict(result),
        "facts": facts,
    }


def _pack(rulebook: Rulebook, result: Mapping[str, object]) -> object:
    given = result.get("pack")
    if isinstance(given, Mapping):
        return dict(given)
    names, versions = [pack.name for pack in rulebook.packs], [pack.version for pack in rulebook.packs]
    return {"name": "+".join(names), "version": "+".join(versions), "digest": rulebook.digest}


def _cited(facts: Sequence[Mapping[str, Mapping[str, Sequence[int]]]], line: Callable[[int], str | None]) -> dict[str, object]:
    spans: dict[int, set[tuple[int, int]]] = {}
    for fact in facts:
        for number, start, end in fact["spans"].values():
            spans.setdefault(number, set()).add((start, end))
    return {str(number): kept(text, sorted(spans[number])) for number in sorted(spans) if (text := line(number)) is not None}


def kept(text: str, spans: Sequence[tuple[int, int]]) -> str | list[list[object]]:
    """A raw line as a record keeps it: whole where it is short, else pieces around the spans as [column of its first character, text]."""
    if len(text) <= LINE_LIMIT:
        return text
    windows: list[list[int]] = []
    for start, end in spans:
        before = max(0, LINE_LIMIT - (end - start)) // 2 if end - start < LINE_LIMIT else LINE_LIMIT // 10
        low = max(0, min(start - before, len(text) - LINE_LIMIT))
        high = min(len(text), low + LINE_LIMIT)
        if windows and low <= windows[-1][1]:
            windows[-1][1] = max(high, windows[-1][1])
        else:
            windows.append([low, high])
    return [[low, text[low:high]] for low, high in windows]


def _rules(rulebook: Rulebook, facts: Sequence[Mapping[str, Sequence[Mapping[str, str]]]]) -> dict[str, object]:
    named = {derivation["name"] for fact in facts for derivation in fact["derivations"] if "place" in derivation}
    found: dict[str, object] = {}
    for stage in rulebook.stages:
        for entries in _ENTRIES:
            for entry in getattr(stage, entries):
                if entry.meta.id in named:
                    found[entry.meta.id] = _entry(entry, _WORDS[entries])
    return found


def _entry(entry: Entry, word: str) -> dict[str, object]:
    """What an explanation says of a rule, operator, pattern or measure; parts that are empty are left out."""
    meta: Meta = entry.meta
    data: dict[str, object] = {"entry": word, "says": says_json(meta.says), "place": str(meta.place), "pack": meta.pack}
    if meta.refs:
        data["refs"] = list(meta.refs)
    if meta.status != "stable":
        data["status"] = meta.status
    if isinstance(entry, Rule):
        numbers = [let.name for let in entry.lets if let.type == "number"]
        if numbers:
            data["numbers"] = numbers
    elif isinstance(entry, TextPattern):
        data["over"], data["regex"] = f"{entry.kind}.{entry.field}", entry.regex
    elif isinstance(entry, Elect | Take):
        data["per"], data["by"] = [ref_text(ref) for ref in entry.per], [key_text(key) for key in entry.by]
    if isinstance(entry, Take | Group):
        data["names"] = _names([entry.into, entry.rest] if isinstance(entry, Take) else [entry.into, entry.member])
    return data


def _names(heads: Iterable[Head | None]) -> dict[str, dict[str, str]]:
    """For each kind that an operator asserts, which field holds which of the names that it hands to its heads."""
    found: dict[str, dict[str, str]] = {}
    for head in heads:
        if head is not None:
            found[head.kind] = {expr.name: field for field, expr in head.fields if isinstance(expr, Name)}
    return found


def says_json(says: Format) -> list[object]:
    """A template as JSON data: literal texts, [alias, field] and [name]."""
    parts: list[object] = []
    for part in says.parts:
        if isinstance(part, Ref):
            parts.append([part.alias, part.field])
        else:
            parts.append([part.name] if isinstance(part, Name) else part)
    return parts
