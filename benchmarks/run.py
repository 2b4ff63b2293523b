"""Why: one command measures, prints, and with `--full` writes the page of measurements."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import cold_start
import parsing
from engines import FULL, QUICK, check, measure
from machine import describe
from report import cold_text, engines_text, page
from workloads import BY_NAME

ROOT = Path(__file__).parent.parent
DATA, PAGE = ROOT / "benchmarks" / "results.json", ROOT / "docs" / "benchmarks.md"
PARTS = ("engines", "cold-start", "parsing")


def main() -> int:
    """Measure what was asked for; gives 0, or 2 where the cold start is too slow."""
    options = argparse.ArgumentParser(description="Measure Tollens beside other engines, and its cold start.")
    options.add_argument("--full", action="store_true", help="all sizes and rounds (about half an hour); writes docs/benchmarks.md")
    options.add_argument("--only", choices=PARTS, help="measure one part; with --full the last data of the others stays")
    options.add_argument("--workload", action="append", default=[], choices=list(BY_NAME), help="only this workload; changes no file")
    options.add_argument("--check", action="store_true", help="measure nothing: only see that the engines that are installed agree")
    given = options.parse_args()
    if given.check:
        print("\n".join(check(210)))
        return 0
    data: dict[str, Any] = json.loads(DATA.read_text(encoding="utf-8")) if DATA.exists() else {}
    data["machine"] = describe("durable_rules", "clipspy", "experta", "pydantic")
    if given.only in (None, "engines"):
        data["engines"] = []
        for row in measure(FULL if given.full else QUICK, given.workload):
            data["engines"].append(row)
            print(_line(row), file=sys.stderr, flush=True)
        print("\n".join(engines_text(data["engines"])))
    if given.only in (None, "cold-start") and not given.workload:
        data["cold_start"] = cold_start.measure(41 if given.full else 11)
        data["cold_start"]["parts"] = cold_start.by_part(cold_start.modules(5 if given.full else 2))
        print("\n".join(cold_text(data["cold_start"])))
    if given.only in (None, "parsing") and not given.workload:
        data["parsing"] = parsing.measure(parsing.SIZES if given.full else parsing.QUICK)
        print("\n".join(parsing.parsing_text(data["parsing"])))
    if given.full and not given.workload and {"engines", "cold_start"} <= data.keys():
        DATA.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
        PAGE.write_text(page(data), encoding="utf-8")
    too_slow = "cold_start" in data and data["cold_start"]["ratio"] > data["cold_start"]["allowed"]
    return 2 if too_slow else 0


def _line(row: dict[str, Any]) -> str:
    cells = [f"{engine} {values['seconds']:.3f} s ({values['speed']:.2f})" for engine, values in row["engines"].items()]
    return f"{row['workload']:9} {row['facts']:7,}  " + "  ".join(cells)


if __name__ == "__main__":
    sys.exit(main())
