"""Why: `tollens runs list`: whoever wants to ask why needs to find the run first."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from time import gmtime, strftime

from tollens.engine.errors import EXIT_DONE, InputError
from tollens.engine.explain.reading import Json
from tollens.engine.explain.runs import RunStore, StoredRun
from tollens.engine.explain.terminal import Style
from tollens.engine.interfaces.screen import style_of

#: How many digits of a run's id are shown; `tollens why` takes any beginning that is unique.
SHORT = 10
#: The most characters of a signal's name in the list, and the column of the sizes.
NAME, SIZE = 30, 4


def run(options: argparse.Namespace) -> int:
    """List the kept runs, the newest first."""
    store = RunStore(options.runs)
    rows = [_row(store, stored) for stored in store.list_runs()]
    if options.format == "json":
        sys.stdout.write(json.dumps(rows, ensure_ascii=True, indent=1) + "\n")
    else:
        for line in _lines(rows, store.folder, style_of(sys.stdout), cut=sys.stdout.isatty()):
            sys.stdout.write(line + "\n")
    return EXIT_DONE


def _row(store: RunStore, stored: StoredRun) -> Json:
    """What the list says of a run; `fault` is the reason where its file cannot be used, and the fields in between are null then."""
    row: Json = {"run_id": stored.run_id, "outcome": None, "summary": None, "signal": None, "pack": None, "size": stored.size}
    row = {**row, "written": _time(stored.written), "fault": ""}
    try:
        record = store.load(stored.run_id)
    except InputError as error:
        return {**row, "fault": error.message}
    pack = record.data["pack"]
    row["outcome"] = record.data.get("outcome")
    row["summary"] = _summary(record.value("symptom"), record.of_kind("outcome"))
    row["signal"] = record.data["signal"].get("name")
    row["pack"] = {name: pack.get(name) for name in ("name", "version", "digest")}
    return row


def _summary(symptom: object, outcomes: list[Json]) -> str:
    """The symptom's first line, or why there is no diagnosis."""
    text = symptom if symptom is not None else next((fact["fields"].get("why") for fact in outcomes), "")
    return str(text).partition("\n")[0]


def _lines(rows: list[Json], folder: str, style: Style, *, cut: bool) -> Iterator[str]:
    if not rows:
        yield style.safe(f"no runs in {folder}")
        return
    cells = [("run", "written (UTC)", "outcome", "signal", "size", "pack", "symptom")]
    for row in rows:
        pack = row["pack"] or {}
        packed = f"{pack.get('name')} {pack.get('version')} {str(pack.get('digest'))[:SHORT]}" if pack else "-"
        told = row["summary"] if not row["fault"] else f"cannot be used: {row['fault']}"
        written, signal = row["written"][:16].replace("T", " "), _short(style.safe(str(row["signal"] or "-")))
        cells.append((row["run_id"][:SHORT], written, str(row["outcome"] or "-"), signal, _size(row["size"]), packed, told))
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]) - 1)]
    for number, line in enumerate(cells):
        columns = enumerate(zip(line[:-1], widths, strict=True))
        head = "  ".join([text.rjust(width) if column == SIZE else text.ljust(width) for column, (text, width) in columns])
        text = style.safe(f"{head}  {line[-1]}").rstrip()
        if cut and len(text) > style.width:
            text = text[: style.width - len(style.guides.cut)] + style.guides.cut
        yield style.paint(text, "faint") if number == 0 else text


def _short(name: str) -> str:
    """A signal's name in a column; of a long one its end, which tells more."""
    return name if len(name) <= NAME else "..." + name[3 - NAME :]


def _time(nanoseconds: int) -> str:
    """A time of writing as text, in UTC."""
    try:
        return strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(nanoseconds // 1_000_000_000))
    except (OverflowError, ValueError, OSError):  # a file system may hold any number
        return "-"


def _size(size: int) -> str:
    return f"{size / 1024:.0f} KB" if size >= 1024 else f"{size} B"
