"""Why: a command that runs after every failed test must start fast; it is measured beside the import of one well-known library.

`python benchmarks/cold_start.py [--rounds N] [--modules]` prints the medians, the paired ratio and, if asked, what the start imports.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

from statistics_of import median, paired_ratio

SIGNAL = Path(__file__).parent.parent / "fixtures" / "signals" / "shopping-long.txt"
#: What is compared: the whole diagnosis with a warm pack cache, and the bare import.
COMMANDS = {
    "diagnose": [sys.executable, "-m", "tollens", "diagnose", "--format", "json", str(SIGNAL)],
    "import pydantic": [sys.executable, "-c", "import pydantic"],
}
#: The ratio that must hold.
ALLOWED = 2.5


def environment(folder: str) -> dict[str, str]:
    """The caller's environment, with the caches in a folder of their own and bytecode kept as in any normal installation."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH")}
    return kept | {"TOLLENS_CACHE": f"{folder}/packs", "TOLLENS_RUNS": f"{folder}/runs"}


def timed(command: list[str], variables: dict[str, str], folder: str) -> tuple[float, float]:
    """Seconds on the clock and seconds of processor time of one process; RuntimeError where it fails."""
    begin = perf_counter()
    process = subprocess.Popen(command, env=variables, cwd=folder, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    seconds = perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command[1:4])} ended with {process.returncode}")
    return seconds, used.ru_utime + used.ru_stime


def measure(rounds: int) -> dict[str, Any]:
    """Both commands in turns; medians in milliseconds, and the medians of the paired ratios."""
    wall: dict[str, list[float]] = {name: [] for name in COMMANDS}
    processor: dict[str, list[float]] = {name: [] for name in COMMANDS}
    with tempfile.TemporaryDirectory() as folder:
        variables = environment(folder)
        for command in [*COMMANDS.values()] * 2:
            timed(command, variables, folder)
        for number in range(rounds):
            names = list(COMMANDS)
            for name in names if number % 2 else names[::-1]:
                seconds, used = timed(COMMANDS[name], variables, folder)
                wall[name].append(seconds)
                processor[name].append(used)
    ours, theirs = COMMANDS
    return {
        "rounds": rounds,
        "milliseconds": {name: round(median(values) * 1000, 1) for name, values in wall.items()},
        "processor_milliseconds": {name: round(median(values) * 1000, 1) for name, values in processor.items()},
        "ratio": round(paired_ratio(wall[ours], wall[theirs]), 2),
        "processor_ratio": round(paired_ratio(processor[ours], processor[theirs]), 2),
        "allowed": ALLOWED,
    }


def modules(rounds: int = 5) -> dict[str, int]:
    """Microseconds that each module's own import takes at the start of a diagnosis, the least of some rounds, largest first."""
    least: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        variables = environment(folder)
        timed(COMMANDS["diagnose"], variables, folder)
        command = [sys.executable, "-X", "importtime", *COMMANDS["diagnose"][1:]]
        for _ in range(rounds):
            done = subprocess.run(command, env=variables, cwd=folder, capture_output=True, text=True, check=True)
            for line in done.stderr.splitlines():
                if line.startswith("import time:") and "cumulative" not in line:
                    own, _, name = line.removeprefix("import time:").split("|")
                    least[name.strip()] = min(int(own), least.get(name.strip(), 10**9))
    return dict(sorted(least.items(), key=lambda item: -item[1]))


def by_part(own: dict[str, int]) -> dict[str, float]:
    """Milliseconds of importing by part of the program."""
    parts: dict[str, float] = {}
    for name, microseconds in own.items():
        words = name.split(".")
        part = ".".join(words[: 3 if words[1:2] == ["engine"] else 2]) if words[0] == "tollens" else words[0]
        if words[0] not in ("tollens", "re2", "durable_rules_engine"):
            part = "standard library and site"
        parts[part] = round(parts.get(part, 0) + microseconds / 1000, 2)
    return dict(sorted(parts.items(), key=lambda item: -item[1]))


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description="How long a diagnosis takes from a cold start.")
    options.add_argument("--rounds", type=int, default=21)
    options.add_argument("--modules", action="store_true", help="show what the start imports")
    given = options.parse_args()
    print(json.dumps(measure(given.rounds), indent=1))
    if given.modules:
        own = modules()
        print(json.dumps(by_part(own), indent=1))
        for name, microseconds in list(own.items())[:40]:
            print(f"{microseconds:7} us  {name}")


if __name__ == "__main__":
    main()
