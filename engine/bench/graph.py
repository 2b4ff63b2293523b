"""Why: how stages, rules and kinds hang together is seen sooner than read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tollens.engine.bench.subject import in_stage_order, reads
from tollens.engine.rulebook.build.entries import Entry
from tollens.engine.rulebook.syntax import Elect, Group, Measure, Rule, Rulebook, Take, TextPattern
from tollens.engine.rulebook.whole.strata import outputs, positive

_WORDS = ((Rule, "rule"), (Elect, "elect"), (Take, "take"), (Group, "group"), (TextPattern, "pattern"), (Measure, "measure"))


def word(entry: Entry) -> str:
    """What an entry is: rule, elect, take, group, pattern or measure."""
    return next(name for kind, name in _WORDS if isinstance(entry, kind))


def graph(book: Rulebook, packs: frozenset[str] | None = None) -> dict[str, Any]:
    """Stages with their entries, and for each entry the kinds that it reads, needs absent or counts, and asserts; as JSON data.

    With `packs` only the entries of these packs are there.
    """
    stages: list[tuple[str, list[dict[str, Any]]]] = []
    for stage in book.stages:
        inside = [_entry(entry) for entry in in_stage_order(stage) if packs is None or entry.meta.pack in packs]
        if inside or packs is None:
            stages.append((stage.name, inside))
    entries = [entry for _, inside in stages for entry in inside]
    named = {kind for entry in entries for part in ("reads", "against", "asserts") for kind in entry[part]}
    kinds = [{"kind": kind.name, "verdict": kind.verdict, "origin": kind.origin} for kind in book.kinds if kind.name in named]
    return {"stages": [{"stage": name, "entries": inside} for name, inside in stages], "kinds": kinds}


def _entry(entry: Entry) -> dict[str, Any]:
    found = dict.fromkeys([pattern.kind for pattern in positive(entry)])
    other = dict.fromkeys([pattern.kind for pattern in reads(entry) if pattern.kind not in found])
    asserts = dict.fromkeys([kind for kind, _ in outputs(entry)])
    return {
        "id": entry.meta.id,
        "entry": word(entry),
        "pack": entry.meta.pack,
        "reads": list(found),
        "against": list(other),
        "asserts": list(asserts),
    }


def mermaid(data: dict[str, Any]) -> Iterator[str]:
    """The graph as a Mermaid flow chart: kinds are rounded, what is only counted or must be absent hangs on dotted lines."""
    yield "flowchart LR"
    for kind in data["kinds"]:
        name = kind["kind"]
        yield f'  k_{name}{"{{" if kind["verdict"] else "("}"{name}"{"}}" if kind["verdict"] else ")"}'
    for number, stage in enumerate(data["stages"]):
        yield f'  subgraph s{number}["{stage["stage"]}"]'
        for entry in stage["entries"]:
            yield f'    r_{_node(entry["id"])}["{entry["id"]}"]'
        yield "  end"
    for entry in [entry for stage in data["stages"] for entry in stage["entries"]]:
        rule = f"r_{_node(entry['id'])}"
        yield from [f"  k_{kind} --> {rule}" for kind in entry["reads"]]
        yield from [f"  k_{kind} -.-> {rule}" for kind in entry["against"]]
        yield from [f"  {rule} --> k_{kind}" for kind in entry["asserts"]]


def _node(name: str) -> str:
    """An id as Mermaid takes it: no two ids share one."""
    return "".join(char if char.isalnum() else f"_{ord(char):x}_" for char in name)
