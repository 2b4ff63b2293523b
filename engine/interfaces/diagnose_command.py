"""Why: `tollens diagnose`: one raw signal in, the diagnosis out, and the run kept so that `why` can answer later."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tollens.engine.diagnosis.driver import Diagnosed, Options, diagnose
from tollens.engine.diagnosis.packs import rulebook
from tollens.engine.errors import EXIT_DONE, EXIT_INSUFFICIENT, EXIT_NO_FAILURE, InputError
from tollens.engine.explain.runs import RunStore
from tollens.engine.interfaces.outcome import record_of
from tollens.engine.interfaces.project import settings
from tollens.engine.interfaces.stream import PIECE, Stream, open_file, standard_input
from tollens.engine.session.choose import choose

if TYPE_CHECKING:
    from tollens.engine.diagnosis.gate import RepairGate
    from tollens.engine.session.evaluator import Evaluator

#: The most that a signal may hold, in bytes, where it must be in memory as a whole: that of an embedder.
MAX_SIGNAL = 64 * 1024 * 1024

EXIT_CODES = {"diagnosis": EXIT_DONE, "no_failure": EXIT_NO_FAILURE, "insufficient_evidence": EXIT_INSUFFICIENT}


def run(options: argparse.Namespace) -> int:
    """Read, diagnose, keep, record, print; the exit code tells the outcome."""
    work = _work(options)
    project = settings(Path.cwd())
    book = rulebook([*project.rules, *map(Path, options.rules)])
    evaluator, said = choose(options.evaluator)
    if said:
        notice(said)
    name, pieces = open_signal(options.file, options.idle_limit)
    roots = tuple(dict.fromkeys([*project.roots, *[Path(root).resolve().as_posix() for root in options.project_root]]))
    try:
        done = diagnose(pieces, book, evaluator, Options(name, roots, options.timestamp))
    except OSError as error:
        raise InputError(f"{options.file} cannot be read: {error.strerror}", next_step="check the path and its permissions") from None
    kept = None if options.no_save else _keep(done, name, options.runs)
    gate = None if work is None else _attempt(done, work, options, evaluator)
    if options.format == "json":
        result = done.result if gate is None else {**done.result, "repair_gate": gate.shown()}
        sys.stdout.write(json.dumps(result, ensure_ascii=True, indent=1) + "\n")
    else:
        from tollens.engine.interfaces.page import page
        from tollens.engine.interfaces.screen import style_of

        for line in page(done, style_of(sys.stdout), kept=kept, gate=gate):
            sys.stdout.write(line + "\n")
    return EXIT_CODES[str(done.result["outcome"])]


def _work(options: argparse.Namespace) -> str | None:
    """The work item, checked before anything is done for it."""
    if options.work is not None:
        from tollens.engine.diagnosis.work import checked_name

        return checked_name(options.work)
    if options.instrumented or options.work_folder is not None:
        raise InputError("--instrumented and --work-folder say something about a work item", next_step="name the item with --work")
    return None


def _attempt(done: Diagnosed, work: str, options: argparse.Namespace, evaluator: Evaluator) -> RepairGate:
    """Record the diagnosis; a gate that cannot record says so by an InputError, as an unkept attempt would be one that never failed."""
    from tollens.engine.diagnosis.gate import record_diagnosis
    from tollens.engine.diagnosis.work import WorkStore

    return record_diagnosis(WorkStore(options.work_folder), work, done.result, evaluator, instrumented=options.instrumented)


def notice(text: str) -> None:
    """A line to standard error that is not a fault."""
    sys.stderr.write(f"notice: {text}\n")


def open_signal(file: str, idle: float | None = None) -> tuple[str, Stream]:
    """The name of the signal and its bytes, which are read as they are needed; InputError where it cannot be opened."""
    if file == "-":
        if sys.stdin is None or sys.stdin.isatty():
            notice("reading the signal from the keyboard; end it with Ctrl-D, or give a FILE")
        descriptor = standard_input()
        if descriptor is None:
            return "stdin", Stream(os.open(os.devnull, os.O_RDONLY))
        return "stdin", Stream(descriptor, owned=False, idle=idle, tell=notice)
    path = Path(file)
    try:
        if path.is_dir():
            raise InputError(f"{file} is a folder", expected="a file with the raw output of a failed run")
        return path.name, Stream(open_file(file), idle=idle, tell=notice)
    except FileNotFoundError:
        near = sorted(item.name for item in path.parent.iterdir()) if path.parent.is_dir() else []
        raise InputError(
            f"there is no file {file}", expected="a file with the raw output of a failed run", choices=near[:200], found=path.name
        ) from None
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}", next_step="check the path and its permissions") from None
    except ValueError:
        raise InputError("the name of the file holds a NUL character", expected="a file with the raw output of a failed run") from None


def read_signal(file: str) -> tuple[str, bytes]:
    """The name and all bytes of a signal; InputError where it cannot be read or is too large."""
    name, pieces = open_signal(file)
    found: list[bytes] = []
    try:
        for piece in pieces:
            found.append(piece)
            if len(found) > MAX_SIGNAL // PIECE and sum(map(len, found)) > MAX_SIGNAL:
                raise InputError(
                    f"the signal is larger than {MAX_SIGNAL // 2**20} MB", next_step="give the part of the log around the failure"
                )
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}", next_step="check the path and its permissions") from None
    return name, b"".join(found)


def _keep(done: Diagnosed, name: str, folder: str | None) -> str | None:
    """Keep the run; where that cannot be done, say so and go on."""
    store = RunStore(folder)
    path = store.save(record_of(done, name))
    if store.notice:
        notice(store.notice)
    return path
