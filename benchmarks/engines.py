"""Why: Tollens beside other engines: the same work, in processes of their own, in turns, with answers that must be equal."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from adapters import run
from statistics_of import growth, median, paired_ratio
from workloads import WORKLOADS, Answer, Workload

ONCE = Path(__file__).with_name("once.py")
#: The engines that are measured at every size, the peer last: ratios are taken against it.
MAIN = ("durable_rules", "reference", "clips")
#: A peer that is measured at small sizes only, since it takes minutes at larger ones.
SLOW = "experta"
#: The workloads that `experta_rules` expresses.
SLOW_WORKLOADS = ("alpha", "equality", "pairs", "unless", "three")
#: Seconds after which a run is given up.
LIMIT = 600


class Plan(NamedTuple):
    """How much is measured: sizes, rounds at each, and sizes and rounds for the slow peer."""

    sizes: tuple[int, ...]
    rounds: int
    slow_sizes: tuple[int, ...]
    slow_rounds: int


QUICK = Plan((1_000, 10_000), 3, (1_000,), 1)
FULL = Plan((1_000, 3_000, 10_000, 30_000, 100_000), 5, (1_000, 3_000), 3)


class Disagreement(RuntimeError):
    """Two engines gave different answers, so that their times say nothing."""


def once(engine: str, workload: Workload, n: int) -> dict[str, Any]:
    """One measurement in a process of its own."""
    command = [sys.executable, str(ONCE), engine, workload.name, str(n)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[2:])} failed:\n{done.stderr}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def side_by_side(engines: Sequence[str], workload: Workload, n: int, rounds: int) -> dict[str, list[dict[str, Any]]]:
    """The engines in turns, each round in the next order (A B, B A, ...); Disagreement where answers differ."""
    found: dict[str, list[dict[str, Any]]] = {engine: [] for engine in engines}
    for number in range(rounds):
        turn = number % len(engines)
        for engine in [*engines[turn:], *engines[:turn]]:
            found[engine].append(once(engine, workload, n))
    answers = {(run["answers"], run["digest"]) for runs in found.values() for run in runs}
    if len(answers) != 1 or next(iter(answers))[0] != workload.expected(n):
        raise Disagreement(f"{workload.name} with {n} facts: {answers}, expected {workload.expected(n)} answers")
    return found


def summary(workload: Workload, n: int, found: dict[str, list[dict[str, Any]]], against: str) -> dict[str, Any]:
    """What the report shows of one workload at one size. `speed` is the peer's seconds over the engine's, in pairs."""
    row: dict[str, Any] = {"workload": workload.name, "facts": n, "against": against, "engines": {}}
    peer = [run["seconds"] for run in found[against]]
    for engine, runs in found.items():
        seconds = [run["seconds"] for run in runs]
        row["engines"][engine] = {
            "seconds": round(median(seconds), 4),
            "facts_per_second": round(n / median(seconds)),
            "speed": round(paired_ratio(peer, seconds), 3),
            "peak_mb": round(median([run["peak_kb"] for run in runs]) / 1024, 1),
        }
    return row


def measure(plan: Plan, only: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """One row per workload and size, first beside the fast peer, then beside the slow one."""
    for workload in WORKLOADS:
        if only and workload.name not in only:
            continue
        for n in plan.sizes:
            if n in workload.sizes:
                yield summary(workload, n, side_by_side(MAIN, workload, n, plan.rounds), MAIN[-1])
        for n in plan.slow_sizes:
            if workload.name in SLOW_WORKLOADS:
                yield summary(workload, n, side_by_side((MAIN[0], SLOW), workload, n, plan.slow_rounds), SLOW)


def installed() -> list[str]:
    """The engines that can be imported here."""
    modules = {"durable_rules": "durable_rules_engine", "clips": "clips", SLOW: SLOW}
    return [engine for engine in (*MAIN, SLOW) if find_spec(modules.get(engine, "tollens")) is not None]


def check(n: int) -> Iterator[str]:
    """Run every workload once with every engine that is here; one line each, Disagreement where answers differ or their number is wrong."""
    for workload in WORKLOADS:
        known: dict[str, set[Answer]] = {}
        for engine in installed():
            if engine != SLOW or workload.name in SLOW_WORKLOADS:
                known[engine] = workload.normal(run(engine, workload, n).answers)
        first = next(iter(known.values()))
        if len(first) != workload.expected(n) or any(answers != first for answers in known.values()):
            raise Disagreement(f"{workload.name} with {n} facts: { {engine: len(answers) for engine, answers in known.items()} }")
        yield f"{workload.name}: {len(first)} answers, the same from {', '.join(known)}"


def exponents(rows: Sequence[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """For each workload and engine, how time grows between the last two sizes."""
    found: dict[str, dict[str, float]] = {}
    for workload in WORKLOADS:
        own = [row for row in rows if row["workload"] == workload.name and row["against"] == MAIN[-1]]
        if len(own) < 2:
            continue
        small, large = own[-2], own[-1]
        found[workload.name] = {
            engine: round(growth(small["facts"], large["facts"], small["engines"][engine]["seconds"], values["seconds"]), 2)
            for engine, values in large["engines"].items()
        }
    return found
