"""Why: checking rule files takes longer than a diagnosis; what was checked once is read back as long as no byte changed.

A cache file is one line with the key and a digest of the rest, then JSON. It is written whole or not at all, and a file that does not
hold what its first line promises is passed over and replaced. Nothing here imports YAML or regular expressions.
"""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tollens.engine.files import read_regular
from tollens.engine.rulebook.encoding import decode, encode
from tollens.engine.version import __version__
from tollens.facts.values import byte_digest

if TYPE_CHECKING:
    from pathlib import Path

    from tollens.engine.rulebook.measures import MeasureSignature
    from tollens.engine.rulebook.source.snapshot import Snapshot
    from tollens.engine.rulebook.syntax import Rulebook
    from tollens.facts.kind import KindTable

#: Version of the file's form; raise it with every change of `encoding`.
FORMAT = 2
#: Cache files kept in a folder; the oldest are removed when more come.
KEPT = 32


def cache_key(snapshots: Sequence[Snapshot], builtin: int, base_kinds: KindTable, measures: Mapping[str, MeasureSignature]) -> str:
    """What a compiled rulebook depends on: the engine's version and code, the kinds, the measures' options, every byte of the packs."""
    options = {name: [list(field) for field in measures[name].options] for name in sorted(measures)}
    parts = [
        FORMAT,
        __version__,
        _code(),
        [kind.to_json() for kind in base_kinds],
        options,
        builtin,
        [snapshot.digest for snapshot in snapshots],
    ]
    return byte_digest([json.dumps(parts).encode()])


def _code() -> list[list[str | int]]:
    """Names, sizes and times of the modules of this package and its parts, so that an edit of the checker does not meet its old results."""
    here = os.path.dirname(__file__)
    seen: list[list[str | int]] = []
    for folder in ("", "source", "build", "whole"):
        with os.scandir(os.path.join(here, folder)) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    status = entry.stat()
                    seen.append([f"{folder}/{entry.name}", status.st_size, status.st_mtime_ns])
    return sorted(seen)


def _path(folder: Path | str, key: str) -> str:
    return os.path.join(folder, f"rulebook-{key}.json")


def fetch(folder: Path | str, key: str) -> Rulebook | None:
    """The rulebook that was kept under a key, or None."""
    try:
        first, _, body = read_regular(_path(folder, key)).partition(b"\n")
        if first != f"{key} {byte_digest([body])}".encode():
            return None
    except OSError:
        return None
    collecting = gc.isenabled()
    gc.disable()  # many small objects that all stay: a collection between them finds nothing and doubles the time
    try:
        return decode(json.loads(body))
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return None
    finally:
        if collecting:
            gc.enable()


def keep(folder: Path | str, key: str, rulebook: Rulebook) -> None:
    """Keep a rulebook under a key; nothing happens where the folder cannot be written."""
    body = json.dumps(encode(rulebook), separators=(",", ":")).encode()
    path = _path(folder, key)
    waiting = f"{path}.{os.getpid()}.{os.urandom(4).hex()}.tmp"
    try:
        os.makedirs(folder, exist_ok=True)
        with open(waiting, "wb") as file:
            file.write(f"{key} {byte_digest([body])}\n".encode() + body)
        os.replace(waiting, path)
        _prune(folder)
    except OSError:
        _remove(waiting)


def _prune(folder: Path | str) -> None:
    with os.scandir(folder) as entries:
        files = [entry for entry in entries if entry.name.startswith("rulebook-")]
        aged = sorted((entry.stat().st_mtime_ns, entry.path) for entry in files)
    for _, path in aged[:-KEPT]:
        _remove(path)


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return
