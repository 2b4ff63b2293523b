"""Why: `tollens diagnose`: one raw signal in, the diagnosis out, and the run kept so that `why` can answer later."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tollens.engine.diagnosis.driver import Diagnosed, Options, diagnose
from tollens.engine.diagnosis.packs import rulebook
from tollens.engine.errors import EXIT_DONE, EXIT_INSUFFICIENT, EXIT_NO_FAILURE, InputError
from tollens.engine.explain.runs import RunStore
from tollens.engine.files import plain_name
from tollens.engine.interfaces.outcome import record_of, with_folders
from tollens.engine.interfaces.project import own
from tollens.engine.interfaces.say import notice
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
    project = own()
    installed = _installed(options.pack)
    book = rulebook([*project.rules, *installed, *map(Path, options.rules)])
    evaluator, said = choose(options.evaluator)
    if said:
        notice(said)
    name, pieces = open_signal(options.file, options.idle_limit)
    named = [_root(root) for root in options.project_root]
    roots = tuple(dict.fromkeys([*project.roots, *named]))
    own_packages = tuple(dict.fromkeys([*project.packages, *options.project_package]))
    try:
        done = diagnose(pieces, book, evaluator, Options(name, roots, options.timestamp, options.budget, own_packages))
    except OSError as error:
        raise InputError(f"{options.file} cannot be read: {error.strerror}", next_step="check the path and its permissions") from None
    _tell_unmatched(done, options.project_root, named)
    given = [*[_shown(pack) for pack in (*project.rules, *installed)], *options.rules]
    kept = None if options.no_save else _keep(done, name, options.runs, given)
    gate = None if work is None else _attempt(done, work, options, evaluator)
    if options.format == "json":
        result = done.result if gate is None else {**done.result, "repair_gate": gate.shown()}
        sys.stdout.write(json.dumps(result, ensure_ascii=True, indent=1) + "\n")
    else:
        from tollens.engine.interfaces.page import page
        from tollens.engine.interfaces.screen import style_of

        for line in page(done, style_of(sys.stdout), kept=kept, gate=gate, whole=not sys.stdout.isatty(), runs=options.runs):
            sys.stdout.write(line + "\n")
    return EXIT_CODES[str(done.result["outcome"])]


def _installed(names: list[str]) -> list[Path]:
    if not names:
        return []
    from tollens.engine.bench.installed import find_pack  # here, as most commands name no installed pack

    return [find_pack(name) for name in names]


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


def _root(root: str) -> str:
    """A project root as an absolute path."""
    try:
        return plain_name(Path(root).resolve().as_posix())
    except (OSError, RuntimeError) as error:  # RuntimeError: links that lead to each other, before Python 3.13
        why = getattr(error, "strerror", None) or error
        raise InputError(f"the project root {root} cannot be found: {why}", next_step="give it as an absolute path") from None


def _tell_unmatched(done: Diagnosed, given: Sequence[str], roots: Sequence[str]) -> None:
    """Say which of the roots that were named has no frame of the signal, as far as there are frames."""
    store = done.session.store
    matched = {fact.get("root") for fact in store.facts("path_under")}
    if store.facts("stack_frame"):
        for name, root in zip(given, roots, strict=True):
            if root not in matched:
                shown = name if name == root else f"{name} ({root})"
                notice(f"no frame of the signal lies under the project root {shown}; frames are compared with it as they are written")


def _shown(pack: Path) -> str:
    """The folder of a pack that the project names, as it is found from the current folder."""
    try:
        return os.path.relpath(pack)
    except (OSError, ValueError):  # no current folder, or another drive
        return str(pack)


def open_signal(file: str, idle: float | None = None) -> tuple[str, Stream]:
    """The name of the signal and its bytes, which are read as they are needed; InputError where it cannot be opened."""
    if file == "-":
        descriptor = standard_input()
        if descriptor is None:
            raise InputError(
                "standard input is closed", expected="the raw output of a failed run", next_step="give a FILE, or pipe the output"
            )
        if os.isatty(descriptor):
            notice("reading the signal from the keyboard; end it with Ctrl-D, or give a FILE")
        return "stdin", Stream(descriptor, owned=False, idle=idle, tell=notice)
    path = Path(file)
    try:
        if path.is_dir():
            raise InputError(f"{file} is a folder", expected="a file with the raw output of a failed run")
        return plain_name(path.name), Stream(open_file(file), idle=idle, tell=notice)
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


def _keep(done: Diagnosed, name: str, folder: str | None, packs: Sequence[str]) -> str | None:
    """Keep the run; where that cannot be done, say so and go on."""
    store = RunStore(folder)
    path = store.save(with_folders(record_of(done, name), packs))
    if store.notice:
        notice(store.notice)
    return path
