"""Why: a file of cases is read whole at one moment, and an accepted explanation is written into it without touching anything else."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from time import sleep
from typing import NamedTuple

from tollens.engine.errors import InputError
from tollens.engine.rulebook.syntax import Place

#: Bytes of one file of cases: raw signals may be long.
FILE_LIMIT = 8_000_000
#: How often a file that changes under the reader is read before that is an error, and the pause between (seconds).
TRIES = 8
PAUSE = 0.02


class Accepted(NamedTuple):
    """An explanation to write: where its label stands in the file, and the text."""

    place: Place
    text: str


def read_file(path: Path) -> bytes:
    """The bytes of a file, read until two readings in a row agree; InputError where that cannot be had."""
    before = _reading(path)
    for _ in range(TRIES):
        now = _reading(path)
        if now == before:
            return now[0]
        before = now
        sleep(PAUSE)
    raise InputError(
        f"{path} kept changing while it was read ({TRIES} times)",
        expected="a file that nobody writes to for a moment",
        next_step="wait until the edit is finished, then run again",
    )


def _reading(path: Path) -> tuple[bytes, int, int]:
    try:
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise InputError(f"{path} is not a regular file", expected="a file of cases")
            data = file.read(FILE_LIMIT + 1)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}", next_step="check the path and its permissions") from None
    if len(data) > FILE_LIMIT:
        raise InputError(f"{path} is larger than {FILE_LIMIT} bytes", next_step="split it into several files of cases")
    return data, status.st_mtime_ns, status.st_ino


def write_accepted(path: Path, read: bytes, accepted: Sequence[Accepted]) -> None:
    """Write explanations into a file of cases; all other lines, comments too, stay as they are.

    InputError where the file is not what was `read`, or where a label does not stand on a line of its own.
    """
    if read_file(path) != read:
        raise InputError(f"{path} changed while its cases ran; nothing was written", next_step="run again")
    lines = read.decode("utf-8-sig").split("\n")
    for item in sorted(accepted, key=lambda item: -item.place.line):
        _put(lines, item)
    mark = b"\xef\xbb\xbf" if read.startswith(b"\xef\xbb\xbf") else b""
    waiting = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        waiting.write_bytes(mark + "\n".join(lines).encode("utf-8"))
        waiting.chmod(stat.S_IMODE(path.stat().st_mode))
        waiting.replace(path)
    except OSError as error:
        waiting.unlink(missing_ok=True)
        raise InputError(f"{path} cannot be written: {error.strerror}", next_step="check its permissions") from None


def _put(lines: list[str], item: Accepted) -> None:
    """Replace what stands under a label by a literal block."""
    at, ending = item.place.line - 1, "\r" if lines[0].endswith("\r") else ""
    line = lines[at].rstrip("\r")
    column = item.place.column - 1
    key = line[column:].partition(":")[0]
    if line[:column].strip():
        raise InputError(
            "an explanation is written under a label on a line of its own",
            place=item.place,
            next_step=f"write `explains:` and `{key}:` below",
        )
    end = at + 1
    while end < len(lines) and (not lines[end].strip() or _indent(lines[end]) > column):
        end += 1
    while end > at + 1 and not lines[end - 1].strip():
        end -= 1
    inside = " " * (column + 2)
    body = [(inside + row if row else "") + ending for row in item.text.rstrip("\n").split("\n")]
    lines[at:end] = [f"{line[:column]}{key}: |{ending}", *body]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
