"""Why: a pack is read into memory once and whole, so that its digest stands for a state that was on the disk at one moment."""

from __future__ import annotations

import os
import stat
from time import sleep
from typing import TYPE_CHECKING, NamedTuple

from tollens.engine.errors import PackError
from tollens.engine.rulebook.syntax import Place
from tollens.facts.values import byte_digest

if TYPE_CHECKING:
    from pathlib import Path

#: The language that this version of the engine reads.
LANGUAGE = 1
#: Bytes of one file, files of one pack, and bytes of all files of one pack.
FILE_LIMIT = 1_000_000
COUNT_LIMIT = 2_000
PACK_LIMIT = 32_000_000
#: How often a pack that changes under the reader is read before that is an error, and the pause between (seconds).
TRIES = 8
PAUSE = 0.02

PACK_FILE = "pack.yaml"


class PackFile(NamedTuple):
    """One file: its path relative to the pack (with `/`) and its bytes."""

    path: str
    data: bytes


class Snapshot(NamedTuple):
    """A pack's files at one moment, sorted by path. `digest` covers the language version, every path and every byte."""

    root: str
    files: tuple[PackFile, ...]
    digest: str


class _Seen(NamedTuple):
    path: str
    size: int
    modified: int
    changed: int
    inode: int
    data: bytes


def read_pack(folder: Path | str) -> Snapshot:
    """All rule files below a folder: `pack.yaml` and `*.yaml`, without `*.cases.yaml` and hidden files and folders.

    The folder is read until two readings in a row agree in names, sizes, times and bytes. Raises PackError where the folder or a file
    cannot be read, is too large, or keeps changing.
    """
    root = os.fspath(folder)
    before = _reading(root)
    for _ in range(TRIES):
        now = _reading(root)
        if now is not None and now == before:
            files = tuple(PackFile(seen.path, seen.data) for seen in now)
            return Snapshot(root, files, _digest(files))
        before = now
        sleep(PAUSE)
    raise PackError(
        f"the pack {root} kept changing while it was read ({TRIES} times)",
        expected="a folder that nobody writes to for a moment",
        next_step="wait until the edit is finished, then load again",
    )


def _digest(files: tuple[PackFile, ...]) -> str:
    parts = [f"tollens language {LANGUAGE}\n".encode()]
    for file in files:
        name = file.path.encode("utf-8", "surrogateescape")
        parts += [b"%d %d\n" % (len(name), len(file.data)), name, file.data]
    return byte_digest(parts)


def _reading(root: str) -> list[_Seen] | None:
    """One pass over the folder; None when a file vanished under it."""
    try:
        names = sorted(_names(root, ""))
    except NotADirectoryError:
        raise PackError(f"{root} is not a folder", expected="a folder with a pack.yaml", next_step="give the folder of the pack") from None
    except FileNotFoundError:
        if os.path.isdir(root):
            return None
        raise PackError(f"there is no folder {root}", expected="a folder with a pack.yaml", next_step="check the path") from None
    except ValueError:
        raise PackError(f"{root!r} cannot be the name of a folder", expected="a path without zero bytes") from None
    except OSError as error:
        raise PackError(f"the folder {root} cannot be read: {error.strerror}", next_step="check its permissions") from None
    if PACK_FILE not in names:
        raise PackError(
            f"{root} has no {PACK_FILE}",
            expected=f"a pack: a folder with a {PACK_FILE} that names it",
            next_step=f"write {PACK_FILE} with name, version and language: {LANGUAGE}; see docs/language.md#packs",
        )
    seen: list[_Seen] = []
    total = 0
    for name in names:
        try:
            seen.append(_read_file(root, name))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise PackError(
                f"the file cannot be read: {error.strerror}", place=_place(root, name), next_step="check its permissions"
            ) from None
        total += seen[-1].size
        if total > PACK_LIMIT:
            raise PackError(f"the pack {root} is larger than {PACK_LIMIT} bytes", next_step="split it into several packs")
    return seen


def _names(root: str, below: str) -> list[str]:
    """The rule files below a folder, relative to the root, in any order."""
    found: list[str] = []
    with os.scandir(os.path.join(root, below)) as entries:
        for entry in entries:
            name = below + entry.name
            if entry.name.startswith("."):
                continue
            if any("\ud800" <= char <= "\udfff" for char in entry.name):
                raise PackError(f"the name of a file in {root} is not UTF-8: {entry.name!a}", next_step="rename the file")
            if entry.is_dir(follow_symlinks=False):
                found += _names(root, name + "/")
            elif entry.name.endswith(".yaml") and not entry.name.endswith(".cases.yaml"):
                found.append(name)
            elif entry.name.endswith(".yml"):
                raise PackError(
                    "this file would not be read: rule files end in .yaml",
                    place=_place(root, name),
                    next_step=f"rename it to {entry.name[:-4]}.yaml",
                )
            if len(found) > COUNT_LIMIT:
                raise PackError(f"the pack {root} has more than {COUNT_LIMIT} files", next_step="check that it is the folder of a pack")
    return found


def _read_file(root: str, name: str) -> _Seen:
    path = os.path.join(root, name)
    with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise PackError("this is not a regular file", place=_place(root, name), next_step="remove it from the pack")
        data = file.read(FILE_LIMIT + 1)
    if len(data) > FILE_LIMIT:
        raise PackError(
            f"the file is larger than {FILE_LIMIT} bytes",
            place=_place(root, name),
            expected="a rule file of at most 1 MB",
            next_step="split it into several files",
        )
    return _Seen(name, len(data), status.st_mtime_ns, status.st_ctime_ns, status.st_ino, data)


def _place(root: str, name: str) -> Place:
    return Place(os.path.join(root, name), 1)
