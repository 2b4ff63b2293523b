"""Why: a failure that no rule explains is the best beginning of a new one; a stored run holds what the rule and its case need."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tollens.engine.bench.scaffold import Seen
from tollens.engine.bench.words import case_facts, scalar
from tollens.engine.errors import InputError
from tollens.engine.explain.reading import Record
from tollens.facts.fact import BadFact, Draft, Fact, make_fact
from tollens.facts.kind import Kind, KindTable

#: Facts of the run that a case takes over at most, the signal first.
MOST = 12
_WORDS = re.compile(r"[A-Za-z][A-Za-z ,_-]{3,}[A-Za-z]")


def seen_in(record: Record, kinds: KindTable, number: int | None = None) -> Seen:
    """What a new rule would look at: the run's primary signal, or the one with this number, and what parsers said of it.

    InputError where the run has no such signal.
    """
    signal = _signal(record, number)
    fields: Mapping[str, Any] = signal["fields"]
    tests: dict[str, str] = {}
    if fields.get("class_name"):
        tests["class_name"] = scalar(fields["class_name"])
    words = max(_WORDS.findall(str(fields.get("message") or "")), key=len, default="")
    if words:
        tests["message"] = f"{{contains: {scalar(words.strip())}}}"
    if not tests:
        tests["record_type"] = scalar(fields["record_type"])
    facts = [made for data in [signal, *_around(record, signal, kinds)] if (made := _fact(kinds, data)) is not None]
    lines = case_facts(facts)
    own = next(position for position, line in enumerate(lines) if line.startswith("signal:"))
    label = re.match(r"signal: \{as: (\w+), ", lines[own])
    if label:
        lines = [re.sub(rf"(as: |\$){label[1]}\b", r"\1s", line) for line in lines]
    else:
        lines[own] = lines[own].replace("signal: {", "signal: {as: s, ", 1)
    other = {**fields, "class_name": "SomethingElse", "message": "something else", "record_type": "exception"}
    miss = case_facts([made]) if (made := _fact(kinds, {"kind": "signal", "fields": other})) is not None else []
    return Seen(tests, lines, miss)


def _signal(record: Record, number: int | None) -> Mapping[str, Any]:
    signals = record.of_kind("signal")
    if number is not None:
        found = [one for one in signals if one["fields"]["number"] == number]
        if not found:
            numbers = [str(one["fields"]["number"]) for one in signals]
            raise InputError(f"the run has no signal {number}", expected="the number of a signal of the run", choices=numbers)
        return found[0]
    primary = [record.by_id[one["fields"]["signal"]] for one in record.of_kind("primary")]
    if not primary and not signals:
        raise InputError("nothing in the run is a signal, so no rule can be about it", next_step="a parser must know its grammar first")
    return (primary or signals)[0]


def _around(record: Record, signal: Mapping[str, Any], kinds: KindTable) -> list[Mapping[str, Any]]:
    """What was stated (not concluded) about the signal itself, in the order of the run."""
    found: list[Mapping[str, Any]] = []
    stated = {kind.name: kind for kind in kinds if not kind.verdict and kind.origin == "facts"}
    for fact in record.facts:
        kind = stated.get(fact["kind"])
        if kind is None or fact is signal:
            continue
        refs = [value for name, value in fact["fields"].items() if name in kind.index and kind.field(name).type == "ref"]
        if refs and all(value == signal["id"] for value in refs):
            found.append(fact)
    return found[: MOST - 1]


def _fact(kinds: KindTable, data: Mapping[str, Any]) -> Fact | None:
    kind: Kind = kinds[data["kind"]]
    fields = {name: value for name, value in data["fields"].items() if name in kind.index}
    try:
        return make_fact(kind, Draft(kind.name, fields))
    except BadFact:  # the run was stored with other kinds than there are now
        return None
