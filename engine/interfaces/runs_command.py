"""Why: `tollens runs list`: whoever wants to ask why needs to find the run first."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator

from tollens.engine.errors import EXIT_DONE, InputError
from tollens.engine.explain.reading import Json
from tollens.engine.explain.runs import RunStore, StoredRun
from tollens.engine.explain.terminal import Style
from tollens.engine.interfaces.screen import style_of

#: How many digits of a run's id are shown; `tollens why` takes any beginning that is unique.
SHORT = 10


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
    row: Json = {"run_id": stored.run_id, "outcome": None, "summary": None, "signal": None, "pack": None, "size": stored.size, "fault": ""}
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
    cells = [("run", "outcome", "size", "pack", "symptom")]
    for row in rows:
        pack = row["pack"] or {}
        packed = f"{pack.get('name')} {pack.get('version')} {str(pack.get('digest'))[:SHORT]}" if pack else "-"
        told = row["summary"] if not row["fault"] else f"cannot be used: {row['fault']}"
        cells.append((row["run_id"][:SHORT], str(row["outcome"] or "-"), _size(row["size"]), packed, told))
    widths = [max(len(line[column]) for line in cells) for column in range(4)]
    for number, line in enumerate(cells):
        head = "  ".join([line[0].ljust(widths[0]), line[1].ljust(widths[1]), line[2].rjust(widths[2]), line[3].ljust(widths[3])])
        text = style.safe(f"{head}  {line[4]}").rstrip()
        if cut and len(text) > style.width:
            text = text[: style.width - len(style.guides.cut)] + style.guides.cut
        yield style.paint(text, "faint") if number == 0 else text


def _size(size: int) -> str:
    return f"{size / 1024:.0f} KB" if size >= 1024 else f"{size} B"
