"""Why: `make full` runs everything without limits of time and leaves a report that names its date and commit.

Arguments are handed to pytest (`make full ARGS=tests/language`); the report then says that only these tests ran.
"""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
REPORT = ROOT / "docs" / "full-report.md"
BIN = Path(sys.executable).parent


class Step(NamedTuple):
    """One command: its exit code, how long it took in seconds, and its last lines."""

    name: str
    code: int
    seconds: float
    closing: list[str]


def run(name: str, command: list[str], **environment: str) -> Step:
    """Run a command, showing what it prints, and keep its end."""
    print(f"== {name}", flush=True)
    start = time.monotonic()
    lines: list[str] = []
    with subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            lines.append(line.rstrip())
    return Step(name, process.returncode, time.monotonic() - start, [line for line in lines if line][-3:])


def git(*arguments: str) -> str:
    """What git prints."""
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def page(steps: list[Step]) -> str:
    """The report."""
    changed = " with uncommitted changes" if git("status", "--porcelain", "--untracked-files=no") else ""
    lines = [
        "# The full run",
        "",
        "All checks, and tests with unlimited budgets (`make full`); the table says which tests. Made by machine, do not edit.",
        "",
        f"- date: {datetime.datetime.now(tz=datetime.UTC).date().isoformat()}",
        f"- commit: {git('rev-parse', 'HEAD')}{changed}",
        f"- Python {platform.python_version()}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "",
        "| step | result | seconds |",
        "|---|---|---|",
        *(f"| {step.name} | {'passed' if step.code == 0 else f'failed (exit {step.code})'} | {step.seconds:.0f} |" for step in steps),
    ]
    for step in steps:
        lines += ["", f"## {step.name}", "", "```text", *step.closing, "```"]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Run the steps and write the report; 1 when a step failed."""
    make = ["make", "--no-print-directory", f"PYTHON={sys.executable}", f"VENV={BIN.parent}"]
    steps = [run(name, [*make, name]) for name in ("lint", "types", "imports")]
    steps.append(run("rules", [*make, "rules", "MUTANTS=0"]))
    steps.append(run("doctor", [sys.executable, "-m", "tollens", "doctor"]))
    pytest = [str(BIN / "pytest"), "-q", "-n", "auto", "--dist", "loadgroup", "-o", "faulthandler_timeout=7200"]
    chosen = sys.argv[1:]
    steps.append(run("tests" + (f" of {' '.join(chosen)} only" if chosen else ""), [*pytest, *chosen], TOLLENS_BUDGET="full"))
    REPORT.write_text(page(steps).replace(str(ROOT) + "/", "").replace(str(Path.home()), "~"), encoding="utf-8")
    print(f"wrote {REPORT.relative_to(ROOT)}")
    return 0 if all(step.code == 0 for step in steps) else 1


if __name__ == "__main__":
    sys.exit(main())
