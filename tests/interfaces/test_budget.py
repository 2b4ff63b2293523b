"""Why: an error that says to allow more must be answered by doing just that, on the command line and in a program."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import tollens
from tollens.engine.interfaces.child import Gone
from tollens.engine.interfaces.cli import main
from tollens.engine.interfaces.worker import Worker


@pytest.fixture
def signal_file(signal_text: str, tmp_path: Path) -> str:
    path = tmp_path / "failed.log"
    path.write_text(signal_text, encoding="utf-8")
    return str(path)


def test_a_command_stops_at_its_budget_and_says_how_to_go_on(signal_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diagnose", "--no-save", "--budget", "1", signal_file]) == 2
    told = capsys.readouterr().err
    assert "matched 1 times and was not finished; most often: " in told
    assert "--budget N" in told
    assert main(["diagnose", "--no-save", "--budget", "1000", signal_file]) == 0


@pytest.mark.parametrize("value", ["0", "-1", "1.5", "x", "٣", "1000000001", "9" * 30])
def test_what_is_no_budget_is_a_usage_error(value: str, signal_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diagnose", "--no-save", f"--budget={value}", signal_file]) == 2
    assert "no whole number from 1 to 1000000000" in capsys.readouterr().err


@pytest.mark.parametrize("value", [0, -1, 10**10])
def test_an_engine_takes_no_such_budget(value: int) -> None:
    with pytest.raises(tollens.InputError, match="no budget of"):
        tollens.Engine(budget=value)


@pytest.mark.parametrize("worker", [False, True])
def test_an_engine_stops_at_its_budget(worker: bool, signal_text: str) -> None:
    with tollens.Engine(worker=worker, budget=1) as engine:
        for _ in range(2):
            with pytest.raises(tollens.BudgetExceeded, match="matched 1 times"):
                engine.diagnose(signal_text)
    with tollens.Engine(worker=worker, budget=1000) as engine:
        assert engine.diagnose(signal_text).outcome == "diagnosis"


MB = 1024 * 1024


@pytest.mark.parametrize(
    ("seen", "peak", "how"),
    [(10, 10, "signal"), (62, 10, "memory"), (10, 70, "memory"), (10, 50, "signal"), (55, 56, "signal")],
)
def test_what_a_worker_held_is_not_what_its_parent_held(seen: int, peak: int, how: str) -> None:
    """The system tells of a worker at least the peak memory of the process that started it, here 50 MB."""
    worker = Worker("auto", 100, 10.0)
    worker._inherited = 50 * MB
    child: Any = SimpleNamespace(stderr="", seen=seen * MB, peak=peak * MB)
    assert worker._crashed(Gone(), -signal.SIGSEGV, child).how == how


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the address space in use is read from /proc")
@pytest.mark.parametrize(("times", "how"), [(1.6, "memory"), (40, "signal")])
@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS])
def test_a_crash_near_the_memory_limit_is_told_from_another(times: float, how: str, number: int, signal_text: str) -> None:
    """The limit is so many times what a worker holds that is warm."""
    with tollens.Engine(worker=True) as engine:
        engine.diagnose(signal_text)
        assert engine._worker is not None
        assert engine._worker._child is not None
        limit = int(engine._worker._child.seen / MB * times)
    with tollens.Engine(worker=True, memory_limit_mb=limit) as engine:
        engine.diagnose(signal_text)
        child = engine._worker._child if engine._worker is not None else None
        assert child is not None
        pid = engine.worker_pid
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
        original = child._write

        def write(data: memoryview) -> int:
            done = original(data)
            os.kill(pid, number)
            os.kill(pid, signal.SIGCONT)
            child._write = original  # type: ignore[method-assign]
            return done

        child._write = write  # type: ignore[method-assign]
        with pytest.raises(tollens.WorkerCrashed) as caught:
            engine.diagnose(signal_text)
        assert caught.value.how == how
        assert signal.Signals(number).name in caught.value.message
        assert ("memory_limit_mb" in caught.value.next_step) is (how == "memory")
        assert engine.diagnose(signal_text).outcome == "diagnosis"


@pytest.mark.parametrize("limit", [70, 90, 110, 130])
def test_too_little_memory_for_a_signal_always_says_so(limit: int) -> None:
    """A chain is joined by the engine in C, which does not look whether it got the memory that it asked for."""
    link = "\n\nDuring handling of the above exception, another exception occurred:\n\n"
    one = 'Traceback (most recent call last):\n  File "/srv/app/a{0}.py", line {0}, in f\n    g()\nValueError: bad {0}'
    with tollens.Engine(worker=True, memory_limit_mb=limit, project_roots=["/srv/app"]) as engine:
        try:
            ended = engine.diagnose(link.join(one.format(number) for number in range(1800))).outcome
        except tollens.WorkerCrashed as crash:
            ended = crash.how
        assert ended in ("diagnosis", "memory")
