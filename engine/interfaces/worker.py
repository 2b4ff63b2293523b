"""Why: what crashes, hangs or eats memory in a diagnosis must not take down the program that asked for it."""

from __future__ import annotations

import signal
import weakref
from threading import Lock
from time import monotonic

from tollens.engine.diagnosis.driver import Options
from tollens.engine.errors import InputError, WorkerCrashed, retold
from tollens.engine.interfaces.child import GRACE, Child, Gone, TimeUp, signal_name
from tollens.engine.interfaces.frames import EXIT_MEMORY, BadFrame, Frame, pack
from tollens.engine.interfaces.outcome import Json
from tollens.engine.rulebook.encoding import encode
from tollens.engine.rulebook.syntax import Rulebook

#: What is said on standard error where memory ran out below Python.
_MEMORY_WORDS = ("MemoryError", "bad_alloc", "failed to map segment", "annot allocate memory")
_MB = 1024 * 1024
#: By which signals a process ends that goes on without the memory that it did not get, and which part of its limit it then has at least:
#: what it did not get can be half as much again as the largest thing that it held.
_CRASHES = (-signal.SIGSEGV, -signal.SIGABRT, -signal.SIGBUS)
_NEARLY = 0.6
_AGAIN = "; the next call starts a new worker"
_SMALLER = "give the part of the log around the failure, or raise "
_NEXT = {
    "memory": f"{_SMALLER}memory_limit_mb{_AGAIN}",
    "time": f"{_SMALLER}time_limit_s{_AGAIN}",
    "exit": f"read `stderr` of this error{_AGAIN}",
    "signal": f"try again{_AGAIN}",
    "garbage": f"try again{_AGAIN}",
}


class Worker:
    """One warm process that diagnoses, started when it is first needed and again after a crash. Calls from several threads take turns."""

    def __init__(self, evaluator: str, memory_limit_mb: int, time_limit_s: float) -> None:
        self._evaluator = evaluator
        self._memory_limit_mb = memory_limit_mb
        self._time_limit_s = time_limit_s
        self._lock = Lock()
        self._child: Child | None = None
        self._number = 0
        self._notice = ""
        self._closed = False
        self._untouched = self._inherited = 0
        self._finalizer: weakref.finalize[[float], Worker] | None = None

    @property
    def pid(self) -> int | None:
        """The process id of the worker, None where none runs."""
        child = self._child
        return child.pid if child is not None and child.mine and child.running else None

    def diagnose(self, data: bytes, book: Rulebook, options: Options) -> tuple[Json, tuple[str, ...]]:
        """The record of a diagnosis under this rulebook, and notices.

        WorkerCrashed where the worker ended, hung or sent no answer; FactError, BudgetExceeded or EngineError as without a worker.
        """
        if self._child is not None and not self._child.mine:
            self._after_fork()
        with self._lock:
            if self._closed:
                raise InputError("the engine is closed", next_step="make a new one, or diagnose before it is closed")
            child, notices = self._ready()
            self._number += 1
            request = {
                "number": self._number,
                "digest": book.digest,
                "source": options.source,
                "project_roots": options.project_roots,
                "timestamp": options.timestamp,
                "budget": options.budget,
                "project_packages": options.project_packages,
            }
            if child.digest != book.digest:
                request["rules"] = encode(book)
            answer = self._exchange(child, pack(request, data), "record")
            child.digest = book.digest
        if "error" in answer.data:
            raise retold(answer.data["error"])
        record: Json = answer.data["record"]
        return record, notices

    def close(self) -> None:
        """End the process; a running diagnosis is waited for."""
        if self._child is not None and not self._child.mine:
            self._after_fork()
        with self._lock:
            self._closed = True
            self._drop(GRACE)

    def _ready(self) -> tuple[Child, tuple[str, ...]]:
        """A worker that waits for a request, and what there is to say about it."""
        died, child = "", self._child
        if child is not None and not child.running:
            died = f"the worker had ended meanwhile ({_ended(child.wait(0))}); a new one was started"
            self._drop(0)
            child = None
        if child is None:
            child = self._start()
        return child, tuple([text for text in (died, self._notice) if text])

    def _start(self) -> Child:
        from tollens.engine.version import __version__

        child = self._child = Child(self._evaluator, self._memory_limit_mb, self._time_limit_s)
        self._finalizer = weakref.finalize(self, child.end, 0)
        self._number = 0
        hello = self._exchange(child, b"", "version").data
        if "error" in hello:
            raise retold(hello["error"])
        if hello["version"] != __version__:
            self._drop(0)
            raise WorkerCrashed(
                f"the worker is tollens {hello['version']}, this process {__version__}",
                how="start",
                next_step="start the program again, as tollens was changed while it ran",
            )
        self._notice, self._untouched, self._inherited = hello["notice"], hello["untouched"], hello["inherited"]
        return child

    def _exchange(self, child: Child, message: bytes, holds: str) -> Frame:
        """One answer; where none comes or it is said to be the last one, the worker is ended."""
        deadline = monotonic() + self._time_limit_s
        try:
            answer = child.exchange(message, self._number, deadline, holds)
        except (Gone, TimeUp, BadFrame) as error:
            code = child.wait(GRACE if isinstance(error, Gone) else 0)
            self._drop(0)
            raise self._crashed(error, code, child) from None
        except BaseException:  # an interrupt, for example: what comes next on the pipe would be the answer to this request
            self._drop(0)
            raise
        if "last" in answer.data:
            self._drop(GRACE)
        return answer

    def _crashed(self, error: Exception, code: int | None, child: Child) -> WorkerCrashed:
        stderr, held = child.stderr, max(child.seen, child.peak + self._untouched if child.peak > self._inherited else 0)
        last = stderr.strip().rpartition("\n")[2]
        short = any(word in stderr for word in _MEMORY_WORDS)
        if isinstance(error, TimeUp) or code == -signal.SIGALRM:
            how, what = "time", f"did not answer within {self._time_limit_s:g} s"
        elif isinstance(error, BadFrame):
            how, what = "garbage", f"sent what is no answer: {error}"
        elif code is None:
            how, what = "garbage", "closed its pipe without an answer"
        elif code == EXIT_MEMORY or (short and (code > 0 or code == -signal.SIGABRT)):
            how, what = "memory", f"needed more than {self._memory_limit_mb} MB of memory"
        elif code in _CRASHES and held >= _NEARLY * self._memory_limit_mb * _MB:
            how = "memory"
            what = f"{_ended(code)} when it held about {held // _MB} of its {self._memory_limit_mb} MB of memory"
        elif code < 0:
            how, what = "signal", _ended(code)
        else:
            how, what = "exit", _ended(code) + (f": {last:.300}" if last else "")
        return WorkerCrashed(f"the worker {what}", how=how, stderr=stderr, next_step=_NEXT[how])

    def _drop(self, grace: float) -> None:
        child, self._child = self._child, None
        if self._finalizer is not None:
            self._finalizer.detach()
            self._finalizer = None
        if child is not None:
            child.end(grace)

    def _after_fork(self) -> None:
        """In a fork of the process that started the worker: leave it to that one."""
        self._lock = Lock()
        self._drop(0)


def _ended(code: int | None) -> str:
    if code is None or code >= 0:
        return f"ended with exit code {code}"
    reason = " (by somebody, or by the system because memory ran out)" if code == -signal.SIGKILL else ""
    return f"was ended by {signal_name(-code)}{reason}"
