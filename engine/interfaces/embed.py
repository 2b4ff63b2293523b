"""Why: a program that embeds Tollens needs one small object: rules loaded once, diagnoses from any thread, rules reloaded while it runs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Self

from tollens.engine.diagnosis.driver import Options
from tollens.engine.diagnosis.driver import diagnose as run
from tollens.engine.diagnosis.gate import RepairGate, record_diagnosis, record_repair, settle
from tollens.engine.diagnosis.packs import rulebook
from tollens.engine.diagnosis.work import WorkStore, default_folder
from tollens.engine.errors import InputError, PackError, PackErrors
from tollens.engine.explain.runs import RunStore
from tollens.engine.files import plain_name
from tollens.engine.interfaces import given
from tollens.engine.interfaces.diagnose_command import MAX_SIGNAL, read_signal
from tollens.engine.interfaces.outcome import Outcome, outcome_of, with_folders
from tollens.engine.rulebook.syntax import Rulebook
from tollens.engine.session.choose import NAMES, choose
from tollens.engine.session.evaluator import Evaluator
from tollens.engine.session.meter import BUDGET, MOST_BUDGET
from tollens.engine.session.reference import Reference

if TYPE_CHECKING:
    from tollens.engine.interfaces.worker import Worker

#: The most that `time_limit_s` and `memory_limit_mb` may be.
_LONGEST, _LARGEST = 1_000_000, 1_000_000_000

Signal = bytes | str | os.PathLike[str]


class ReloadReport(NamedTuple):
    """What `Engine.reload` did. `digest` is that of the rules in use now; with `errors` they are the ones from before."""

    changed: bool
    digest: str
    errors: tuple[PackError, ...] = ()

    def __bool__(self) -> bool:
        """Whether the rules on the disk are the rules in use."""
        return not self.errors


class Engine:
    """Diagnoses failed runs. Any number of threads may use one engine; each diagnosis is made by one state of the rules from end to end.

    `rules` are packs of yours on top of the built-in ones, in order; `project_roots` are folders whose files are the project's own,
    `project_packages` names of packages that are, wherever they are installed.
    `evaluator` is auto, durable_rules or reference: all decide the same. Nothing is read from a pyproject.toml.

    With `worker` a process of its own does the work, started with the first diagnosis. It has at most `memory_limit_mb` of memory and
    `time_limit_s` per diagnosis; where it crashes, hangs or exceeds them, that diagnosis raises WorkerCrashed and the next one gets a new
    process. Threads take turns at it. Without `worker` the limits do not apply. Needs a POSIX system.

    With `keep_runs` each run is stored in that folder, for `tollens why RUN --runs FOLDER`. `work_folder` is where work items and their
    repair gates are kept (default: TOLLENS_WORK, or `.tollens/work` in the folder that is the current one now).

    `budget` is how often the rules of one stage may match before a diagnosis stops with BudgetExceeded; the more, the more time and memory
    a diagnosis may take.

    Raises PackErrors where the packs cannot be used, InputError where an option cannot.
    """

    def __init__(  # noqa: PLR0913 - each is an option of its own, and all but the first are given by name
        self,
        rules: Sequence[str | os.PathLike[str]] = (),
        *,
        project_roots: Sequence[str | os.PathLike[str]] = (),
        project_packages: Sequence[str] = (),
        evaluator: str = "auto",
        worker: bool = False,
        memory_limit_mb: int = 1024,
        time_limit_s: float = 60.0,
        keep_runs: str | os.PathLike[str] | None = None,
        work_folder: str | os.PathLike[str] | None = None,
        budget: int = BUDGET,
    ) -> None:
        packs = given.paths("rules", rules)
        self._given = [plain_name(pack) for pack in packs]
        self._packs = tuple([Path(given.absolute("rules", pack)) for pack in packs])
        self._roots = tuple(dict.fromkeys([given.root("project_roots", root) for root in given.paths("project_roots", project_roots)]))
        self._own_packages = tuple(dict.fromkeys([str(name) for name in given.paths("project_packages", project_packages)]))
        self._keep_runs = given.absolute("keep_runs", keep_runs) if keep_runs is not None else None
        self._work = WorkStore(given.absolute("work_folder", work_folder if work_folder is not None else default_folder()))
        given.text("evaluator", evaluator)
        given.checked("memory_limit_mb", memory_limit_mb, "a number of megabytes (int)", int)
        given.number("time_limit_s", time_limit_s)
        self._budget = given.checked("budget", budget, "a number of matches (int)", int)
        if not 0 < budget <= MOST_BUDGET:
            raise InputError(f"there is no budget of {budget} matches", expected=f"budget from 1 to {MOST_BUDGET}")
        self._reloading = Lock()
        self._closed = False
        self._notice = ""
        self._worker: Worker | None = None
        self._evaluator: Evaluator = Reference()  # with a worker it decides on repair gates only: a few rules over a few attempts
        if given.checked("worker", worker, "True or False", bool):
            self._worker = _worker(evaluator, memory_limit_mb, time_limit_s)
        else:
            self._evaluator, self._notice = choose(evaluator)
        self._book: Rulebook = rulebook(self._packs)

    @property
    def digest(self) -> str:
        """The digest of the rules in use: `pack.digest` of every result that they make."""
        return self._book.digest

    @property
    def worker_pid(self) -> int | None:
        """The process id of the worker, None where none runs."""
        return self._worker.pid if self._worker is not None else None

    def diagnose(self, signal: Signal, *, source: str | None = None, timestamp: str | None = None) -> Outcome:
        """Diagnose the raw output of a failed run: text, bytes, or the path of a file that holds it (a str is text, not a path).

        `source` names the signal in citations (default: `signal`, or the file's name), `timestamp` is when the run was, used as given.
        InputError where the signal cannot be read or is larger than 64 MB, FactError, BudgetExceeded or EngineError where the rules
        cannot be run on it, WorkerCrashed as the class says. Text in which nothing can be read is an outcome, not an error.
        """
        if self._closed:
            raise InputError("the engine is closed", next_step="make a new one, or diagnose before it is closed")
        book = self._book  # once: a reload in another thread does not concern this diagnosis any more
        named, when = given.optional_text("source", source), given.optional_text("timestamp", timestamp)
        name, data = _read(signal)
        options = Options(named or name, self._roots, when, self._budget, self._own_packages)
        if self._worker is not None:
            record, notices = self._worker.diagnose(data, book, options)
            record = with_folders(record, self._given)
            outcome = Outcome(record["result"], lambda: record, notices)
        else:
            notices = (self._notice,) if self._notice else ()
            outcome = outcome_of(run(data, book, self._evaluator, options), options.source, notices, self._given)
        if self._keep_runs is not None:
            store = RunStore(self._keep_runs)
            store.save(outcome.record)
            if store.notice:
                outcome.notices += (store.notice,)
        return outcome

    def record_diagnosis(self, work: str, outcome: Outcome, *, instrumented: bool = False) -> RepairGate:
        """Keep a diagnosis as an attempt on a work item, and give the verdict of its repair gate.

        `instrumented` says that the run was made with instrumentation. InputError for an unfit name, for an outcome whose result is not
        that of its own run, and where the attempt cannot be kept.
        """
        given.checked("outcome", outcome, "an Outcome, as `diagnose` gives it", Outcome)
        given.checked("instrumented", instrumented, "True or False", bool)
        given.text("work", work)
        if outcome.record["run_id"] != outcome.run_id or outcome.record["result"] != outcome.result:
            raise InputError(
                "the outcome holds another result than the run that it names",
                expected="an outcome as `diagnose` gave it",
                next_step="diagnose the run that the attempt is about",
            )
        return record_diagnosis(self._work, work, outcome.result, self._evaluator, instrumented=instrumented)

    def record_repair(self, work: str, resolved: bool, *, run: str | None = None) -> RepairGate:
        """Keep a repair as an attempt on a work item, and give the verdict of its repair gate.

        `run` may name the run whose diagnosis the repair followed. InputError where that is not the item's latest one, for an unfit name,
        and where the attempt cannot be kept.
        """
        given.checked("resolved", resolved, "True or False", bool)
        return record_repair(self._work, given.text("work", work), resolved, self._evaluator, run=given.optional_text("run", run))

    def gate(self, work: str) -> RepairGate:
        """The verdict of a work item's repair gate as its attempts stand now: `gate(work).allows_edits`. InputError as above."""
        return settle(self._work, given.text("work", work), self._evaluator)

    def reload(self) -> ReloadReport:
        """Read the packs anew and use them from the next diagnosis on; a running one ends with the rules that it began with.

        Never raises for what is wrong with a pack: the rules in use stay, and the report holds the errors.
        """
        with self._reloading:
            before = self._book.digest
            try:
                book = rulebook(self._packs)
            except PackErrors as several:
                return ReloadReport(False, before, several.errors)
            self._book = book
            return ReloadReport(book.digest != before, book.digest)

    def close(self) -> None:
        """End the worker, after the diagnosis that it is at. An engine that is closed does not diagnose any more."""
        self._closed = True
        if self._worker is not None:
            self._worker.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def diagnose(
    signal: Signal,
    *,
    rules: Sequence[str | os.PathLike[str]] = (),
    project_roots: Sequence[str | os.PathLike[str]] = (),
    evaluator: str = "auto",
    source: str | None = None,
    timestamp: str | None = None,
) -> Outcome:
    """Diagnose one signal in this process. Parameters and errors are the Engine's, which loads the rules once for many signals."""
    return Engine(rules, project_roots=project_roots, evaluator=evaluator).diagnose(signal, source=source, timestamp=timestamp)


def _worker(evaluator: str, memory_limit_mb: int, time_limit_s: float) -> Worker:
    if evaluator not in NAMES:
        raise InputError(f"there is no evaluator {evaluator!r}", expected="an evaluator", choices=NAMES, found=evaluator)
    if not 1 <= memory_limit_mb <= _LARGEST or not 0 < time_limit_s <= _LONGEST:
        raise InputError(
            "the limits of a worker must be positive and within bounds",
            expected=f"memory_limit_mb from 1 to {_LARGEST}, time_limit_s above 0, at most {_LONGEST}",
        )
    if os.name != "posix":
        raise InputError("a worker needs a POSIX system", next_step="go on with worker=False")
    from tollens.engine.interfaces.worker import Worker  # here, as an engine without a worker starts quicker without it

    return Worker(evaluator, memory_limit_mb, time_limit_s)


def _read(signal: Signal) -> tuple[str, bytes]:
    """The name and bytes of a signal."""
    if not isinstance(signal, str | bytes):
        name = given.path("signal", signal, "text (str), bytes, or a path (os.PathLike)")
        return read_signal(given.absolute("signal", name))
    data = signal if isinstance(signal, bytes) else _encoded(signal)
    if len(data) > MAX_SIGNAL:
        raise InputError(f"the signal is larger than {MAX_SIGNAL // 2**20} MB", next_step="give the part of the log around the failure")
    return "signal", data


def _encoded(text: str) -> bytes:
    """Text as the bytes that it was read from; lone surrogates that stand for no byte become bytes that parsers count as unreadable."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
