"""Why: runs are kept in a plain folder that any number of processes may write, of bounded size, and that no killed process can spoil."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from tollens.engine.errors import InputError
from tollens.engine.explain.reading import Record
from tollens.engine.explain.shape import fault
from tollens.engine.files import read_regular

#: Where runs are kept unless TOLLENS_RUNS or a caller says otherwise, below the current folder.
DEFAULT_FOLDER = os.path.join(".tollens", "runs")
#: A temporary file this much older than one that was just written belongs to nobody any more (nanoseconds).
STALE = 60 * 1_000_000_000
LAST = "last"
#: How often a run is looked for while other processes write and remove runs.
TRIES = 8

_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}")
_SUFFIX, _TEMPORARY = ".json", ".tmp"


class StoredRun(NamedTuple):
    """A stored run: its id, file, size in bytes and time of writing in nanoseconds."""

    run_id: str
    path: str
    size: int
    written: int

    @property
    def age(self) -> tuple[int, str]:
        """What orders runs: the time of writing, then the name."""
        return (self.written, self.run_id)


def default_folder() -> str:
    """TOLLENS_RUNS, or `.tollens/runs` in the current folder."""
    return os.environ.get("TOLLENS_RUNS") or DEFAULT_FOLDER


def make_folder(folder: str) -> None:
    """Make a folder for what is kept; where that is a new `.tollens`, git is told to pass it over. OSError where it cannot be made."""
    os.makedirs(folder, exist_ok=True)
    parent = os.path.dirname(os.path.abspath(folder))
    if os.path.basename(parent) == ".tollens":
        try:
            with open(os.path.join(parent, ".gitignore"), "x", encoding="ascii") as file:
                file.write("*\n")
        except FileExistsError:
            pass


class RunStore:
    """The stored runs of a folder: at most `keep` of them, and at most `most_bytes` together (the newest one is kept whatever its size).

    The last run is the one with the latest time of writing, which each save puts above all others: there is no index to race for.
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None, *, keep: int = 100, most_bytes: int = 64 * 1024 * 1024) -> None:
        self.folder = os.fspath(folder) if folder is not None else default_folder()
        self.keep = max(1, keep)
        self.most_bytes = most_bytes
        #: What the last `save` could not do, for the caller to show; empty where all went well.
        self.notice = ""
        self._count = 0

    def save(self, record: Mapping[str, object]) -> str | None:
        """Write a record and give its path. Where that fails: None, and the reason in `notice`. ValueError for an unfit run id."""
        run_id = str(record["run_id"])
        if not _NAME.fullmatch(run_id) or run_id == LAST:
            raise ValueError(f"a run id consists of letters, digits, `.`, `_` and `-`, not {run_id!r:.80}")
        data = json.dumps(record, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"
        self.notice = ""
        try:
            make_folder(self.folder)
            mine, now = self._write(run_id, data)
        except OSError as error:
            self.notice = f"the run was not stored in {self.folder}: {error.strerror or error}"
            return None
        try:
            self._tidy(mine, now)
        except OSError as error:
            self.notice = f"old runs in {self.folder} were not removed: {error.strerror or error}"
        return mine.path

    def _write(self, run_id: str, data: bytes) -> tuple[StoredRun, int]:
        """Write beside the target, then put it in place at once: a reader sees the old file or the new one, whole.

        Gives the run and the file system's own time in nanoseconds.
        """
        path = os.path.join(self.folder, run_id + _SUFFIX)
        self._count += 1
        temporary = os.path.join(self.folder, f".{run_id[:64]}-{os.getpid()}-{id(self):x}-{self._count}{_TEMPORARY}")
        try:
            with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666), "wb") as file:
                file.write(data)
            now = os.stat(temporary).st_mtime_ns
            newest = max([run.written for run in self._runs()], default=0)
            written = max(now, newest + 1000)  # two runs within one tick of the file system's clock keep their order
            if written != now:
                os.utime(temporary, ns=(written, written))
            os.replace(temporary, path)
        except BaseException:
            _remove(temporary)
            raise
        return StoredRun(run_id, path, len(data), written), now

    def _tidy(self, mine: StoredRun, now: int) -> None:
        """Remove what is over the bounds, the oldest first, and what killed processes left. Nothing newer than `mine` is touched."""
        size = 0
        for position, run in enumerate(self._runs()):
            size += run.size
            if (position >= self.keep or size > self.most_bytes) and run.age < mine.age:
                _remove(run.path)
        for entry in self._entries(_TEMPORARY, hidden=True):
            if entry.written + STALE < now:
                _remove(entry.path)

    def _entries(self, suffix: str, *, hidden: bool = False) -> list[StoredRun]:
        found: list[StoredRun] = []
        with os.scandir(self.folder) as entries:
            for entry in entries:
                if not entry.name.endswith(suffix) or entry.name.startswith(".") is not hidden:
                    continue
                try:
                    if not entry.is_file(follow_symlinks=False):
                        continue
                    status = entry.stat(follow_symlinks=False)
                except FileNotFoundError:  # removed by another process since it was listed
                    continue
                found.append(
                    StoredRun(entry.name[: -len(suffix)], os.path.join(self.folder, entry.name), status.st_size, status.st_mtime_ns)
                )
        return found

    def _runs(self) -> list[StoredRun]:
        return sorted(self._entries(_SUFFIX), key=lambda run: run.age, reverse=True)

    def list_runs(self) -> list[StoredRun]:
        """The stored runs, the newest first; empty where there is no folder. InputError where it cannot be read."""
        try:
            return self._runs()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise InputError(f"the folder of stored runs {self.folder} cannot be read: {error.strerror or error}") from None

    def load(self, name: str = LAST) -> Record:
        """The record of a run by its id, by a beginning of it that is unique, or `last` for the newest; InputError otherwise."""
        missed: InputError | None = None
        for _ in range(TRIES):
            try:
                found = self._find(name)
            except InputError as error:  # a listing may miss what is written and removed while it is made: look again
                missed = error
                continue
            try:
                data = read_regular(found.path)
            except FileNotFoundError:  # removed by another process since it was listed: look again
                continue
            except OSError as error:
                raise InputError(f"the stored run {found.path} cannot be read: {error.strerror or error}") from None
            return _parse(found, data)
        if missed is not None:
            raise missed
        raise InputError(f"the stored run {name} was removed while it was being read", next_step="run `tollens diagnose` again")

    def _find(self, name: str) -> StoredRun:
        runs = self.list_runs()
        if not runs:
            raise InputError(
                f"there are no stored runs in {self.folder}", next_step="run `tollens diagnose` first, or name the folder with --runs"
            )
        if name == LAST:
            return runs[0]
        fitting = [run for run in runs if run.run_id == name] or [run for run in runs if name and run.run_id.startswith(name)]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            raise InputError(
                f"{len(fitting)} stored runs begin with {name!r:.80}",
                expected="a run id, or a beginning of one that no other run shares",
                choices=[run.run_id for run in fitting],
                next_step="write more of the id",
            )
        raise InputError(
            f"there is no stored run {name!r:.80} in {self.folder}",
            expected="a run id, a unique beginning of one, or `last`",
            choices=[LAST, *(run.run_id for run in runs)],
            found=name,
            next_step="name one of the runs above (newest first), or run `tollens diagnose` again",
        )


def _parse(run: StoredRun, data: bytes) -> Record:
    parsed: Any = None
    try:
        parsed = json.loads(data)
        wrong = fault(parsed)
    except (ValueError, RecursionError) as error:
        wrong = f"it is not JSON: {error}"
    if not wrong and parsed["run_id"] != run.run_id:
        wrong = "it holds another run than its name says"
    if wrong:
        raise InputError(
            f"the stored run {run.path} cannot be used: {wrong}",
            next_step="delete the file and run `tollens diagnose` again on the same signal",
        )
    return Record(parsed)


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:  # gone already, or not ours to remove: the bound is kept by the next one who may
        return
