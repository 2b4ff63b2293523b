"""Why: the page of measurements is rendered from the measured data alone, so that no number on it was typed by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from engines import MAIN, SLOW, exponents
from parsing import parsing_text
from workloads import WORKLOADS

_INTRODUCTION = """\
# Benchmarks

Every number on this page was written by one command, and is repeated by it:

    make bench ARGS=--full

`make bench` alone takes less than two minutes, prints the same tables for fewer sizes and rounds, and changes no file. The data behind
the page is `benchmarks/results.json`.
"""

_METHOD = """\
## Rules on many facts

Each engine gets the same rows as Python values, and has to give back the derived facts as Python values; answers are compared as
sets, and a difference stops the benchmark. Measured is everything between: for Tollens drafts, checked facts, the session with its
proof, and the facts in canonical order; for the peers building the rules, asserting, running and reading back. The rule files of
Tollens are read, and all modules imported, before.

Each measurement is a process of its own, in seconds of processor time: no engine waits for anything, and other work on the machine
disturbs this least. The engines take turns, and *speed* is the median over rounds of the peer's seconds
divided by the engine's in the same round: 2 is twice as fast as the peer. *Growth* is the exponent between the two largest sizes
(1 is linear). *MB* is how much the process's peak memory grew.

Tollens keeps every derivation of every fact, numbers facts in an order that is the same for every evaluator, and checks each input
against its kind; the peers do not, and are not asked to.

The rules of all engines stand in `benchmarks/packs` and `benchmarks/experta_rules.py`.
"""


def page(data: dict[str, Any]) -> str:
    """The whole page."""
    parts = [_INTRODUCTION, *_machine(data["machine"]), _METHOD, *engines_text(data["engines"]), *cold_text(data["cold_start"])]
    return "\n".join([*parts, *(parsing_text(data["parsing"]) if "parsing" in data else [])])


def _machine(machine: dict[str, str]) -> Iterator[str]:
    yield "| measured on | |\n|---|---|"
    yield "\n".join(f"| {name} | {value} |" for name, value in machine.items()) + "\n"


def engines_text(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """A table per workload, then the slow peer."""
    grown = exponents(rows)
    for workload in WORKLOADS:
        own = [row for row in rows if row["workload"] == workload.name and row["against"] == MAIN[-1]]
        if not own:
            continue
        yield f"### {workload.name}: {workload.says}\n"
        yield "| facts | " + " | ".join(f"{engine}: facts/s | speed | MB" for engine in MAIN[:-1]) + f" | {MAIN[-1]}: facts/s | MB |"
        yield "|---|" + "---|" * (3 * len(MAIN) - 1)
        for row in own:
            yield _row(row)
        if workload.name in grown:
            growths = grown[workload.name]
            cells = " | ".join(f"{growths[engine]} | |" for engine in MAIN[:-1])
            yield f"| *growth* | {cells} {growths[MAIN[-1]]} | |"
        yield ""
    yield from _slow(rows)


def _row(row: dict[str, Any]) -> str:
    cells = [f"{row['facts']:,}"]
    for engine in MAIN:
        values = row["engines"][engine]
        cells.append(f"{values['facts_per_second']:,}")
        if engine != MAIN[-1]:
            cells.append(f"{values['speed']:.2f}")
        cells.append(f"{values['peak_mb']:.0f}")
    return "| " + " | ".join(cells) + " |"


def _slow(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    own = [row for row in rows if row["against"] == SLOW]
    if own:
        yield f"### Beside {SLOW}\n"
        yield f"{SLOW} has no elections and no groups, and takes minutes at larger sizes.\n"
        yield f"| workload | facts | {MAIN[0]}: facts/s | speed | {SLOW}: facts/s |\n|---|---|---|---|---|"
        for row in own:
            ours, theirs = row["engines"][MAIN[0]], row["engines"][SLOW]
            cells = f"{ours['facts_per_second']:,} | {ours['speed']:.1f} | {theirs['facts_per_second']:,}"
            yield f"| {row['workload']} | {row['facts']:,} | {cells} |"
        yield ""


def cold_text(cold: dict[str, Any]) -> Iterator[str]:
    """What a cold start costs."""
    yield "## Cold start\n"
    yield '`tollens diagnose --format json FILE` with a warm pack cache, in turns with `python -c "import pydantic"`.\n'
    yield "| command | milliseconds | of processor time |\n|---|---|---|"
    for name, value in cold["milliseconds"].items():
        yield f"| {name} | {value} | {cold['processor_milliseconds'][name]} |"
    yield ""
    yield (
        f"Median of {cold['rounds']} paired ratios: {cold['ratio']} on the clock, {cold['processor_ratio']} of processor time; "
        f"at most {cold['allowed']} is allowed.\n"
    )
    if "parts" in cold:
        yield "What importing takes, in milliseconds (`-X importtime`, which itself adds some):\n"
        yield "| part | ms |\n|---|---|"
        yield "\n".join(f"| {part} | {value} |" for part, value in cold["parts"].items()) + "\n"
