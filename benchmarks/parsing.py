"""Why: a log can be small or larger than memory; what reading it costs is measured beside the least that any reader must do.

`python benchmarks/parsing.py [--sizes 10000 1000000]` prints the table; each measurement is a process of its own, in turns with the loop.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

from statistics_of import median, paired_ratio

ROOT = Path(__file__).parent.parent
SIGNALS = ROOT / "fixtures" / "signals"
SIZES = (10_000, 1_000_000, 100_000_000)
QUICK = (10_000, 1_000_000)
ROUNDS = {10_000: 9, 1_000_000: 5, 100_000_000: 1}
#: What the texts hold; "loop" reads the lines of the first and does nothing with them.
TEXTS = {
    "log": "lines of a log, and one failed run in every 50 kB",
    "failures": "failed runs only, the same few again and again",
    "distinct": "tracebacks of which no two are alike",
}


def pieces(text: str, size: int) -> Iterator[bytes]:
    """About so many bytes of a text."""
    report = (SIGNALS / "shopping-long.txt").read_bytes() + (SIGNALS / "python-3.11-chained.txt").read_bytes() + b"\n"
    made = number = 0
    while made < size:
        if text == "log":
            lines = [
                b"2026-01-02 10:00:00,%03d INFO worker.%d took request %d\n" % (n % 1000, n % 7, n) for n in range(number, number + 900)
            ]
            piece = b"".join([*lines, report])
        elif text == "failures":
            piece = report
        else:
            piece = b'Traceback (most recent call last):\n  File "src/a%d.py", line %d, in f\n    g(%d)\nValueError: x\n\n' % (
                (number,) * 3
            )
        number += 900
        made += len(piece)
        yield piece if made <= size else piece[: len(piece) - made + size]


def once(what: str, text: str, size: int) -> dict[str, Any]:
    """Seconds and peak memory of one reading of a text that comes piece by piece; making the text is not counted."""
    import resource

    blocks = list(pieces(text, min(size, 4_000_000)))
    stream = [block for _ in range(max(1, size // 4_000_000)) for block in blocks]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = perf_counter()
    signals = 0
    if what == "loop":
        rest = b""
        for block in stream:
            lines = (rest + block).decode("utf-8", "replace").split("\n")
            rest = lines.pop().encode()
            signals += len(lines)
    else:
        from tollens.engine.diagnosis.packs import rulebook
        from tollens.engine.diagnosis.redact import Masker
        from tollens.parsers import parse_stream

        masker = Masker(rulebook().redactions)
        if what == "warm":
            parse_stream([*blocks[:1]], mask=Masker(rulebook().redactions))
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            start = perf_counter()
        signals = int(str(parse_stream(stream, mask=masker).drafts[0].fields["signals"]))
    seconds = perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"seconds": seconds, "signals": signals, "peak_kb": peak, "grown_kb": peak - before}


def measured(what: str, text: str, size: int) -> dict[str, Any]:
    """`once`, in a process of its own."""
    command = [sys.executable, __file__, "--once", what, text, str(size)]
    data: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    return data


def measure(sizes: tuple[int, ...] = SIZES) -> list[dict[str, Any]]:
    """A row for each text and size: both readers in turns."""
    rows = []
    for text in TEXTS:
        for size in sizes:
            loop: list[dict[str, Any]] = []
            ours: list[dict[str, Any]] = []
            for number in range(ROUNDS[size]):
                for what, found in (("loop", loop), ("warm", ours))[:: 1 if number % 2 else -1]:
                    found.append(measured(what, text, size))
            seconds = [row["seconds"] for row in ours]
            rows.append(
                {
                    "text": text,
                    "bytes": size,
                    "seconds": round(median(seconds), 4),
                    "megabytes_per_second": round(size / 1e6 / median(seconds), 2),
                    "of_loop": round(paired_ratio(seconds, [row["seconds"] for row in loop]), 1),
                    "peak_mb": round(median([row["peak_kb"] for row in ours]) / 1024),
                    "loop_peak_mb": round(median([row["peak_kb"] for row in loop]) / 1024),
                    "signals": ours[0]["signals"],
                }
            )
            print(f"{text:9} {size:11,} {rows[-1]['megabytes_per_second']} MB/s", file=sys.stderr, flush=True)
    return rows


def parsing_text(rows: list[dict[str, Any]]) -> Iterator[str]:
    """The section of the page."""
    yield "## Reading raw text\n"
    yield (
        "From bytes that come piece by piece to masked, parsed facts, beside a loop that decodes the same bytes and splits them in lines. "
        "*Peak* is the whole process's memory; a few megabytes of it hold the text that is read again and again. "
        "Of a text above some megabytes, what repeats and what no signal can stand in is counted and not kept.\n"
    )
    for text, says in TEXTS.items():
        yield f"### {text}: {says}\n"
        yield "| bytes | seconds | MB/s | of the loop's time | peak MB | loop: peak MB | signals kept |\n|---|---|---|---|---|---|---|"
        for row in rows:
            if row["text"] == text:
                cells = [f"{row['bytes']:,}", row["seconds"], row["megabytes_per_second"], f"{row['of_loop']}x", row["peak_mb"]]
                yield "| " + " | ".join(map(str, [*cells, row["loop_peak_mb"], f"{row['signals']:,}"])) + " |"
        yield ""


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description="What reading raw text costs, beside a loop over its lines.")
    options.add_argument("--sizes", nargs="+", type=int, choices=SIZES, default=list(QUICK))
    options.add_argument("--once", nargs=3, metavar=("WHAT", "TEXT", "BYTES"), help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.once:
        print(json.dumps(once(given.once[0], given.once[1], int(given.once[2]))))
    else:
        print("\n".join(parsing_text(measure(tuple(given.sizes)))))


if __name__ == "__main__":
    main()
