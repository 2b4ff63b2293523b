"""Why: the commands that try rules out: `tollens rules bench`, `diff` and `witness`."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tollens.engine.errors import EXIT_DONE, EXIT_FAULT, EXIT_INSUFFICIENT, InputError
from tollens.engine.interfaces.packs_of import add_packs, chosen_or_own
from tollens.engine.interfaces.say import notice

TYPE_CHECKING = False  # as type checkers read it
if TYPE_CHECKING:
    from tollens.engine.bench.diff import Changed, Compared

#: Characters of a value that a line shows.
_SHOWN = 90


def add_witness(parser: ArgumentParser) -> None:
    """The arguments of `tollens rules witness`."""
    parser.add_argument("first", metavar="RULE", help="the id of a rule")
    parser.add_argument("second", metavar="RULE", help="the id of another one")
    add_packs(parser, positional=False)
    parser.add_argument("--gate", action="store_true", help="the rules are the repair gate's")


def run_witness(options: Namespace) -> int:
    """Print the facts as a file of cases: 0, or 4 where none were found."""
    from tollens.engine.bench.packs import gate_subject, subject_of
    from tollens.engine.bench.witness import rule_of, witness

    subject = gate_subject() if options.gate else subject_of(chosen_or_own(options))
    first, second = rule_of(subject, options.first), rule_of(subject, options.second)
    if first is second:
        raise InputError("a witness is about two rules", next_step="name another rule")
    found = witness(subject, first, second)
    if found is None:
        notice(f"no facts were found on which {first.meta.id} and {second.meta.id} both fire (which proves nothing)")
        return EXIT_INSUFFICIENT
    for line in found.case():
        sys.stdout.write(line + "\n")
    return EXIT_DONE


def add_bench(parser: ArgumentParser) -> None:
    """The arguments of `tollens rules bench`."""
    parser.add_argument("file", nargs="?", default="-", metavar="FILE", help="a raw signal; - or nothing reads standard input")
    add_packs(parser, positional=False)
    parser.add_argument("--top", type=int, default=20, metavar="N", help="how many rules to show, 0 for all (default: 20)")
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run_bench(options: Namespace) -> int:
    """Measure every rule on one signal."""
    from tollens.engine.bench.timing import timed
    from tollens.engine.diagnosis.packs import rulebook
    from tollens.engine.interfaces.diagnose_command import read_signal

    rows = timed(read_signal(options.file)[1], rulebook(chosen_or_own(options)))
    shown = rows[: options.top] if options.top > 0 else rows
    if options.format == "json":
        sys.stdout.write(json.dumps([row._asdict() for row in shown], ensure_ascii=True, indent=1) + "\n")
        return EXIT_DONE
    sys.stdout.write(f"{'microseconds':>12} {'matches':>8} {'firings':>8}  rule\n")
    for row in shown:
        sys.stdout.write(f"{row.micros:12.1f} {row.matches:8} {row.firings:8}  {row.id} ({row.entry}, {row.stage})\n")
    total = sum(row.micros for row in rows)
    sys.stdout.write(f"{total:12.1f} {sum(row.matches for row in rows):8} {sum(row.firings for row in rows):8}  all {len(rows)}\n")
    return EXIT_DONE


def add_diff(parser: ArgumentParser) -> None:
    """The arguments of `tollens rules diff`."""
    parser.add_argument("old", metavar="OLD", help="a pack's folder, REVISION:PATH as git has it, or - for the built-in packs alone")
    parser.add_argument("new", metavar="NEW", help="the same")
    parser.add_argument("--corpus", required=True, metavar="DIR", help="raw outputs of failed runs")
    parser.add_argument("--glob", default="*", metavar="GLOB", help="which files of the corpus (default: all)")
    parser.add_argument("--project-root", action="append", default=[], metavar="DIR", help="a folder whose files are the project's own")
    parser.add_argument("--accept", metavar="FILE", help="accepted changes: a change that stands in this file is no fault")
    parser.add_argument("--update", action="store_true", help="with --accept: write the changes of now into the file, and end with 0")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument(
        "--evaluator", choices=("auto", "durable_rules", "reference"), default="auto", help="which evaluator runs the rules"
    )


def run_diff(options: Namespace) -> int:
    """Compare and show; 0 where nothing changes that is not accepted, 2 else."""
    from tollens.engine.bench.diff import books, compare, signals
    from tollens.engine.bench.diff_revisions import pack_at
    from tollens.engine.session.choose import choose

    if options.update and not options.accept:
        raise InputError("--update needs a file to write to", next_step="name it with --accept FILE")
    corpus = Path(options.corpus)
    files = signals(corpus, options.glob)
    accepted = _accepted(Path(options.accept)) if options.accept and not options.update else {}
    with pack_at(options.old) as old, pack_at(options.new) as new:
        done = compare(*books(old, new), corpus, files, choose(options.evaluator)[0], options.project_root)
    open_ones = [one for one in done.changed if accepted.get(one.name) != one.fingerprint]
    if options.update:
        text = json.dumps({one.name: one.fingerprint for one in done.changed}, ensure_ascii=True, indent=1) + "\n"
        try:
            Path(options.accept).write_text(text, encoding="utf-8")
        except OSError as error:
            raise InputError(f"{options.accept} cannot be written: {error.strerror}") from None
    if options.format == "json":
        sys.stdout.write(json.dumps(_json(done, {one.name for one in open_ones}), ensure_ascii=True, indent=1) + "\n")
    else:
        from tollens.engine.interfaces.screen import style_of

        style = style_of(sys.stdout)
        for line in _lines(done, {one.name for one in open_ones}):
            sys.stdout.write(style.safe(line) + "\n")
    return EXIT_FAULT if open_ones and not options.update else EXIT_DONE


def _accepted(file: Path) -> dict[str, str]:
    try:
        data: Any = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise InputError(f"{file} cannot be read as accepted changes: {error}", next_step="write it anew with --update") from None
    if not isinstance(data, dict) or not all(isinstance(value, str) for value in data.values()):
        raise InputError(
            f"{file} does not hold accepted changes", expected="names of signals with digests", next_step="write it with --update"
        )
    return data


def _json(done: Compared, open_ones: set[str]) -> dict[str, object]:
    changed = [
        {
            "signal": one.name,
            "accepted": one.name not in open_ones,
            "by": list(one.by),
            "changes": [change._asdict() for change in one.changes],
        }
        for one in done.changed
    ]
    return {"compared": done.compared, "changed": changed, "unread": [list(pair) for pair in done.unread]}


def _lines(done: Compared, open_ones: set[str]) -> Iterator[str]:
    for one in done.changed:
        yield f"{one.name}" + ("" if one.name in open_ones else " (accepted)")
        yield from _changes(one)
        yield f"  by {', '.join(one.by) if one.by else 'no rule: only sentences or versions differ'}"
    yield from [f"{name}: not read: {reason}" for name, reason in done.unread]
    accepted = len(done.changed) - len(open_ones)
    unread = f", {len(done.unread)} not read" if done.unread else ""
    yield f"{len(done.changed)} of {done.compared} signals change" + (f", {accepted} of them accepted" if accepted else "") + unread


def _changes(one: Changed, most: int = 8) -> Iterator[str]:
    for change in one.changes[:most]:
        yield f"  {change.what:8} {change.path}: {_short(change.before)} -> {_short(change.after)}"
    if len(one.changes) > most:
        yield f"  and {len(one.changes) - most} more (see --format json)"


def _short(value: object) -> str:
    text = "nothing" if value is None else json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else value
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
