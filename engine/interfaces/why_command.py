"""Why: `tollens why` answers, from a stored run alone, which rules made a verdict, on which facts, from which words of the raw output."""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentTypeError
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TextIO

from tollens.engine.errors import EXIT_DONE, EXIT_FAULT, InputError, TollensError
from tollens.engine.explain.reading import Record
from tollens.engine.explain.runs import LAST, RunStore
from tollens.engine.explain.select import SHOWN, Selection, select
from tollens.engine.explain.terminal import Style
from tollens.engine.explain.text import render, to_json
from tollens.engine.explain.tree import Limits, Node, build_tree
from tollens.engine.interfaces.say import complain
from tollens.engine.interfaces.screen import runs_option

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

#: What is shown where nothing is asked for: the top of each main verdict's proof.
OVERVIEW = Limits(depth=1, width=3)
_MOST_DIGITS = 9
#: How many digits of a run's id are enough in practice.
_SHORT = 10


def add_arguments(parser: ArgumentParser) -> None:
    """The arguments of `tollens why`."""
    parser.add_argument("run", nargs="?", default=LAST, metavar="RUN", help="id of a stored run, its beginning, or `last` (the default)")
    parser.add_argument(
        "fact", nargs="?", default="", metavar="FACT", help="a field of the result, a kind of fact, or a fact's id or beginning"
    )
    parser.add_argument("--format", choices=["text", "json"], default="text", help="how the proof is written (default: text)")
    parser.add_argument("--all", action="store_true", help="show every derivation, every premise and every fact asked for")
    parser.add_argument(
        "--depth",
        type=_depth,
        metavar="N",
        help=f"levels of facts to show, 0 for all (default: {Limits().depth}; without FACT {OVERVIEW.depth})",
    )
    parser.add_argument("--runs", metavar="DIR", help="folder of the stored runs (default: TOLLENS_RUNS, or .tollens/runs)")


def _depth(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > _MOST_DIGITS:
        raise ArgumentTypeError(f"{text:.80} is no number of levels: 0 (all of them) or more")
    return int(text)


def run(args: Namespace) -> int:
    """Print the proof; 0 when it was printed, 2 with an error on stderr when it cannot be."""
    try:
        record, selections, asked = _selected(args)
        overview = not args.all and args.depth is None and not asked
        default = Limits(width=0, all_ways=True) if args.all else OVERVIEW if overview else Limits()
        limits = default if args.depth is None else default._replace(depth=args.depth)
        trees = build_tree(record, [fact_id for selection in selections for fact_id in selection.ids], limits)
        if args.format == "json":
            lines: Iterable[str] = [json.dumps(_json(record, selections, trees), ensure_ascii=True)]
        else:
            lines = _text(record, selections, trees, _style(sys.stdout), args.runs if overview else None, overview)
        return _print(lines)
    except TollensError as error:
        complain(error)
        return EXIT_FAULT


def _selected(args: Namespace) -> tuple[Record, list[Selection], str]:
    """The record, the facts asked for, and the word that asked. A lone word that names no run is asked of the last run."""
    store, limit = RunStore(args.runs), 0 if args.all else SHOWN
    try:
        record = store.load(args.run)
    except InputError:
        if args.fact or args.run == LAST or not store.list_runs():
            raise
        asked = args.run
        record = store.load(LAST)
        try:
            return record, select(record, asked, limit), asked
        except InputError as second:
            raise _neither(asked, store, second) from None
    return record, select(record, args.fact, limit), args.fact


def _neither(asked: str, store: RunStore, second: InputError) -> InputError:
    runs = [run.run_id for run in store.list_runs()]
    return InputError(
        f"{asked!r:.80} is neither a stored run nor something of the last run",
        expected="a run id (or its beginning), or a field, kind or fact of the last run",
        choices=[*second.choices, LAST, *runs[:5]],
        found=asked,
        next_step="`tollens why RUN FACT` names both",
    )


def _style(stream: TextIO) -> Style:
    """How the stream can be written to: its encoding, and on a terminal its width and colour (NO_COLOR turns colour off)."""
    encoding = stream.encoding or "ascii"
    if not stream.isatty():
        return Style(encoding=encoding)
    try:
        width = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        width = 0
    colour = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Style(encoding=encoding, colour=colour, width=width)


def _text(record: Record, selections: list[Selection], trees: list[Node], style: Style, runs: str | None, overview: bool) -> Iterator[str]:
    data = record.data
    pack, signal = data["pack"], data["signal"]
    yield style.safe(f"run {record.run_id}: {data.get('outcome')}, from {signal.get('name')}")
    yield style.safe(f"pack {pack.get('name')} {pack.get('version')}, evaluator {data['evaluator']}")
    for name, folder in _folders(data.get("packs")):
        yield style.safe(f"files of {name}/ are in {folder}")
    position = 0
    for selection in selections:
        yield ""
        yield style.paint(style.safe(selection.title), "title")
        for _ in selection.ids:
            yield from render(record, trees[position : position + 1], style)
            position += 1
        if selection.left_out:
            yield f"{selection.left_out} more facts, not shown (--all shows them)"
    if overview:
        yield ""
        command = f"tollens why {record.run_id[:_SHORT]} FACT{runs_option(runs)}"
        yield style.safe(f"the top of each proof; more: `{command}` for one of them, --depth N, or --all for everything")


def _folders(packs: object) -> Iterator[tuple[str, str]]:
    """Names and folders of the packs whose folder has another name, as the record has them."""
    for pack in packs if isinstance(packs, list) else []:
        if isinstance(pack, dict) and isinstance(pack.get("name"), str) and isinstance(pack.get("given"), str):
            name, folder = pack["name"], pack["given"]
            if os.path.normpath(folder) != name:
                yield name, folder


def _json(record: Record, selections: list[Selection], trees: list[Node]) -> dict[str, object]:
    """What the record says of the run, `asked` (title, facts, left_out), `nodes` (see `to_json`) and the `rules` that they name."""
    nodes = to_json(record, trees)
    named = {way["name"] for node in nodes for way in (node.get("derivation"), *_list(node.get("others"))) if isinstance(way, dict)}
    data = record.data
    return {
        "run": record.run_id,
        "outcome": data.get("outcome"),
        "pack": data["pack"],
        "packs": data.get("packs", []),
        "evaluator": data["evaluator"],
        "signal": data["signal"],
        "asked": [{"title": item.title, "facts": list(item.ids), "left_out": item.left_out} for item in selections],
        "nodes": nodes,
        "rules": {name: rule for name, rule in data["rules"].items() if name in named},
    }


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _print(lines: Iterable[str]) -> int:
    """Write lines; a reader that goes away early (`| head`) is no fault."""
    try:
        for line in lines:
            sys.stdout.write(line + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    return EXIT_DONE
