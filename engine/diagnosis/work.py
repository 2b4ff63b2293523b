"""Why: what was tried on a work item is kept in plain files that any number of processes may add to, and that no killed one can spoil.

One folder per item, below `.tollens/work`: `0001.json`, `0002.json`, ... are its attempts, `gate.json` is the last verdict on them.
An attempt gets its number by linking a finished file to that name, which only one process can do; the verdict is replaced as a whole.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple, NoReturn

from tollens.engine.errors import InputError
from tollens.engine.explain.runs import STALE, make_folder
from tollens.engine.files import read_regular

Json = dict[str, Any]

#: Where work items are kept unless TOLLENS_WORK or a caller says otherwise, below the current folder.
DEFAULT_FOLDER = os.path.join(".tollens", "work")
GATE_FILE = "gate.json"
#: Reading and deciding stay quick below it.
MOST_ATTEMPTS = 500

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9_-])?")
_ATTEMPT = re.compile(r"(\d{4})\.json")
_TEMPORARY = ".tmp"
#: What a repair attempt and a diagnosis attempt hold, besides `work` and `number` (see `facts.work.Attempt`).
_FIELDS = ("what", "run", "outcome", "citation_gate", "hierarchy_populated", "resolved", "instrumented", "stamped")


class StoredAttempt(NamedTuple):
    """An attempt as it was read: its number, its file, and the fields of an `attempt` fact."""

    number: int
    path: str
    fields: Json


def default_folder() -> str:
    """TOLLENS_WORK, or `.tollens/work` in the current folder."""
    return os.environ.get("TOLLENS_WORK") or DEFAULT_FOLDER


def checked_name(work: str) -> str:
    """The name of a work item, which is also a folder's; InputError where it cannot be one everywhere."""
    if not _NAME.fullmatch(work):
        raise InputError(
            f"{work!r:.80} cannot be the name of a work item",
            expected="1 to 100 letters, digits, `.`, `_` and `-` of ASCII, beginning with a letter or digit and not ending in `.`",
            next_step="name it like `fix-login`",
        )
    return work


class WorkStore:
    """The work items of a folder. Every method checks the item's name, and raises InputError for what cannot be read or written."""

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        self.folder = os.fspath(folder) if folder is not None else default_folder()

    def path(self, work: str) -> str:
        """The folder of an item, whether or not it is there."""
        return os.path.join(self.folder, checked_name(work))

    def attempts(self, work: str) -> list[StoredAttempt]:
        """All attempts of an item, from number 1 without a gap; none where the item is not known."""
        found = []
        for number in range(1, self.count(work) + 1):
            path = self._attempt_path(work, number)
            found.append(StoredAttempt(number, path, _attempt(path, work, number)))
        return found

    def count(self, work: str) -> int:
        """How many attempts the item has: the largest of their numbers, as a listing may miss files that come while it is made."""
        try:
            names = os.listdir(self.path(work))
        except FileNotFoundError:
            return 0
        except OSError as error:
            raise InputError(f"the work item {work} in {self.folder} cannot be read: {error.strerror or error}") from None
        return max([int(found[1]) for found in map(_ATTEMPT.fullmatch, names) if found], default=0)

    def add(self, work: str, fields: Mapping[str, object]) -> int:
        """Keep one more attempt (what an `attempt` fact holds, without `work` and `number`) and give its number."""
        folder = self.path(work)
        try:
            make_folder(self.folder)
            os.makedirs(folder, exist_ok=True)
            number = self.count(work) + 1
            while number <= MOST_ATTEMPTS:
                data = {"work": work, "number": number, **{name: fields[name] for name in _FIELDS if fields.get(name) is not None}}
                if self._link(folder, data, self._attempt_path(work, number)):
                    return number
                number += 1
        except OSError as error:
            _unkept(folder, "the attempt", error)
        raise InputError(
            f"the work item {work} has {MOST_ATTEMPTS} attempts", expected="fewer attempts", next_step="go on under a new name"
        )

    def verdict(self, work: str) -> Json | None:
        """The last verdict that was kept; None where there is none, or none that can be used."""
        try:
            data = json.loads(read_regular(os.path.join(self.path(work), GATE_FILE)))
        except (FileNotFoundError, ValueError, RecursionError):
            return None
        except OSError as error:
            raise InputError(f"the verdict on the work item {work} cannot be read: {error.strerror or error}") from None
        return data if isinstance(data, dict) and type(data.get("attempts")) is int else None

    def keep(self, work: str, verdict: Mapping[str, object]) -> None:
        """Put a verdict in the place of the last one, at once."""
        folder = self.path(work)
        try:
            os.makedirs(folder, exist_ok=True)
            temporary = _written(folder, verdict)
            try:
                os.replace(temporary, os.path.join(folder, GATE_FILE))
            except BaseException:
                _remove(temporary)
                raise
        except OSError as error:
            _unkept(folder, "the verdict", error)

    def _attempt_path(self, work: str, number: int) -> str:
        return os.path.join(self.path(work), f"{number:04d}.json")

    def _link(self, folder: str, data: Json, path: str) -> bool:
        """Write a file and give it a name that was free; False where it was not."""
        temporary = _written(folder, data)
        try:
            now = os.stat(temporary).st_mtime_ns
            os.link(temporary, path)
        except FileExistsError:
            return False
        finally:
            _remove(temporary)
        _tidy(folder, now)
        return True


def _attempt(path: str, work: str, number: int) -> Json:
    try:
        data = json.loads(read_regular(path))
    except FileNotFoundError:
        raise InputError(f"attempt {number} of the work item {work} is missing", next_step=_next(os.path.dirname(path))) from None
    except OSError as error:
        raise InputError(f"the attempt {path} cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or data.get("work") != work or data.get("number") != number:
        raise InputError(f"the file {path} is not attempt {number} of the work item {work}", next_step=_next(os.path.dirname(path)))
    return data


def _written(folder: str, data: Mapping[str, object]) -> str:
    """A file of its own with this content, on the disk; its name is hidden and nobody else's."""
    temporary = os.path.join(folder, f".{os.urandom(12).hex()}{_TEMPORARY}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(temporary, flags, 0o666), "wb") as file:
            file.write(json.dumps(data, ensure_ascii=True).encode("ascii") + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        _remove(temporary)
        raise
    return temporary


def _tidy(folder: str, now: int) -> None:
    """Remove what killed processes left."""
    with suppress(OSError), os.scandir(folder) as entries:  # it is not ours to remove, or gone already: the next one may
        for entry in entries:
            if entry.name.endswith(_TEMPORARY) and entry.stat(follow_symlinks=False).st_mtime_ns + STALE < now:
                os.unlink(entry.path)


def _remove(path: str) -> None:
    with suppress(OSError):  # as above
        os.unlink(path)


def _unkept(folder: str, what: str, error: OSError) -> NoReturn:
    raise InputError(
        f"{what} cannot be kept in {folder}: {error.strerror or error}",
        expected="a folder that can be written, on a file system with hard links",
        next_step="free the folder, or name another one with --work-folder or TOLLENS_WORK",
    ) from None


def _next(folder: str) -> str:
    return f"put back what was there, or begin anew by removing {folder}"
