"""Why: a worker is there for the day when something dies; each way of dying must be told apart, cost one diagnosis, and leave nothing behind."""

from __future__ import annotations

import fcntl
import gc
import os
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import tollens
from tollens.engine.interfaces import child as child_module

pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="looks at processes through /proc")


@pytest.fixture
def engine(signal_text: str) -> Iterator[tollens.Engine]:
    """An engine whose worker is warm."""
    with tollens.Engine(worker=True, time_limit_s=20) as made:
        made.diagnose(signal_text)
        yield made


def pid_of(engine: tollens.Engine) -> int:
    pid = engine.worker_pid
    assert pid is not None
    return pid


def state(pid: int) -> str:
    """The state letter of a process (T: stopped, Z: a zombie); nothing where there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def alive(pid: int) -> bool:
    """Whether the process is there and no zombie."""
    return state(pid) not in ("", "Z")


def stop(pid: int) -> None:
    """Hold a process until a kill, so that the kill comes in the middle of whatever it is asked meanwhile."""
    os.kill(pid, signal.SIGSTOP)
    wait_until(lambda: state(pid) == "T")


def wait_until(condition: Callable[[], bool], seconds: float = 10) -> None:
    """Wait for what must come soon."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.01)


def many(signal_text: str, count: int) -> str:
    """So many signals of which no two are alike."""
    return "".join(signal_text.replace("line 3", f"line {number}") + "\n" for number in range(count))


def asked(engine: tollens.Engine) -> bool:
    """Whether a request waits in the pipe of a worker that is stopped."""
    worker = engine._worker
    assert worker is not None
    assert worker._child is not None
    return any(fcntl.ioctl(worker._child._in, termios.FIONREAD, bytes(4)))


class Call:
    """One diagnosis in a thread of its own; `fault` is what it raised."""

    def __init__(self, engine: tollens.Engine, text: str) -> None:
        self.outcome: tollens.Outcome | None = None
        self.fault: tollens.TollensError | None = None
        self._thread = Thread(target=self._run, args=(engine, text))
        self._thread.start()

    def _run(self, engine: tollens.Engine, text: str) -> None:
        try:
            self.outcome = engine.diagnose(text)
        except tollens.TollensError as fault:
            self.fault = fault

    def crash(self) -> tollens.WorkerCrashed:
        """The crash that the call must have ended with."""
        self._thread.join(30)
        assert isinstance(self.fault, tollens.WorkerCrashed), (self.fault, self.outcome)
        return self.fault


def test_the_worker_gives_the_same_result_record_and_proof(engine: tollens.Engine, signal_text: str) -> None:
    for text in (signal_text, signal_text * 3, "nothing", "a\udc80b"):
        here, there = tollens.diagnose(text, source="s", timestamp="t"), engine.diagnose(text, source="s", timestamp="t")
        assert (here.result, here.record, here.why()) == (there.result, there.record, there.why())


def test_one_process_serves_many_calls_and_threads(engine: tollens.Engine, signal_text: str) -> None:
    pid = engine.worker_pid
    texts = [signal_text.replace("price", f"price{number}") for number in range(12)]
    calls = [Call(engine, text) for text in texts]
    for call in calls:
        call._thread.join(30)
    assert all(call.outcome and f"price{number}" in str(call.outcome.result) for number, call in enumerate(calls))
    assert engine.worker_pid == pid


def test_killed_in_the_middle_of_a_diagnosis(engine: tollens.Engine, signal_text: str) -> None:
    pid = pid_of(engine)
    stop(pid)
    call = Call(engine, signal_text)
    wait_until(lambda: asked(engine))
    os.kill(pid, signal.SIGKILL)
    crash = call.crash()
    assert (crash.how, "SIGKILL" in crash.message, crash.code) == ("signal", True, "worker")
    assert crash.next_step
    after = engine.diagnose(signal_text)
    assert (after.outcome, after.notices) == ("diagnosis", tollens.diagnose(signal_text).notices)
    assert engine.worker_pid not in (pid, None)


def test_killed_while_it_computes(engine: tollens.Engine, signal_text: str) -> None:
    pid = pid_of(engine)

    def ticks() -> int:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    before = ticks()
    call = Call(engine, many(signal_text, 1500))
    wait_until(lambda: ticks() > before + 15)
    os.kill(pid, signal.SIGKILL)
    crash = call.crash()
    assert crash.how == "signal", crash.stderr
    assert engine.diagnose(signal_text).outcome == "diagnosis"


def test_a_crash_in_c_names_the_signal_and_shows_where(engine: tollens.Engine, signal_text: str) -> None:
    pid = pid_of(engine)
    stop(pid)
    call = Call(engine, signal_text)
    wait_until(lambda: asked(engine))
    os.kill(pid, signal.SIGSEGV)
    os.kill(pid, signal.SIGCONT)
    crash = call.crash()
    assert (crash.how, "SIGSEGV" in crash.message) == ("signal", True)
    assert "Segmentation fault" in crash.stderr
    assert "worker_main" in crash.stderr
    assert engine.diagnose(signal_text).outcome == "diagnosis"


def test_a_worker_that_hangs_is_ended_at_the_time_limit(signal_text: str, no_leaks: None) -> None:
    with tollens.Engine(worker=True, time_limit_s=1.5) as engine:
        engine.diagnose(signal_text)
        pid = pid_of(engine)
        stop(pid)
        start = time.monotonic()
        with pytest.raises(tollens.WorkerCrashed, match=r"did not answer within 1\.5 s") as caught:
            engine.diagnose(signal_text)
        assert 1.4 < time.monotonic() - start < 6
        assert caught.value.how == "time"
        assert "time_limit_s" in caught.value.next_step
        assert not alive(pid)
        assert engine.diagnose(signal_text).outcome == "diagnosis"


def test_a_worker_that_runs_out_of_memory_says_so(signal_text: str, no_leaks: None) -> None:
    with tollens.Engine(worker=True, memory_limit_mb=80) as engine:
        assert engine.diagnose(signal_text).outcome == "diagnosis"
        with pytest.raises(tollens.WorkerCrashed, match="80 MB") as caught:
            engine.diagnose("x" * 60_000_000)
        assert caught.value.how == "memory"
        assert "memory_limit_mb" in caught.value.next_step
        assert engine.diagnose(signal_text).outcome == "diagnosis"


def test_too_little_memory_to_start_is_a_crash_like_any_other(signal_text: str, no_leaks: None) -> None:
    with tollens.Engine(worker=True, memory_limit_mb=1) as engine:
        for _ in range(2):
            with pytest.raises(tollens.WorkerCrashed) as caught:
                engine.diagnose(signal_text)
            assert caught.value.how in ("memory", "exit", "signal")
        assert engine.worker_pid is None


@pytest.mark.parametrize(
    "noise",
    [
        b"debug: here\n",
        b"tollens-frame 2 0\n{}",
        b'tollens-frame 12 0\n{"number":9}',
        b"\xff" * 70,
        b'tollens-frame 24 0\n{"number":2,"record":{}}',
    ],
)
def test_what_is_no_answer_is_never_taken_for_one(noise: bytes, engine: tollens.Engine, signal_text: str) -> None:
    pid = pid_of(engine)
    worker = engine._worker
    assert worker is not None
    assert worker._child is not None
    pipe = os.fstat(worker._child._out).st_ino
    theirs = next(file for file in Path(f"/proc/{pid}/fd").iterdir() if file.stat().st_ino == pipe)
    with theirs.open("wb", buffering=0) as file:
        file.write(noise)
    with pytest.raises(tollens.WorkerCrashed, match="no answer") as caught:
        engine.diagnose(signal_text)
    assert caught.value.how == "garbage"
    assert not alive(pid)
    assert engine.diagnose(signal_text).outcome == "diagnosis"


def test_a_worker_that_died_between_calls_is_replaced_with_a_notice(engine: tollens.Engine, signal_text: str) -> None:
    pid = pid_of(engine)
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not alive(pid))
    outcome = engine.diagnose(signal_text)
    assert outcome.outcome == "diagnosis"
    assert "SIGKILL" in outcome.notices[0]
    assert engine.diagnose(signal_text).notices == outcome.notices[1:]


def test_an_interrupt_loses_the_worker_but_not_the_engine(engine: tollens.Engine, signal_text: str) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    pid = pid_of(engine)
    stop(pid)
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(KeyboardInterrupt):
            engine.diagnose(signal_text)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert not alive(pid)
    assert engine.diagnose(signal_text).outcome == "diagnosis"


def test_fifty_restarts_leave_no_process_and_no_file(signal_text: str, no_leaks: None, budget: Callable[[int, int], int]) -> None:
    restarts = budget(50, 500)
    pids = []
    with tollens.Engine(worker=True) as engine:
        for turn in range(restarts):
            assert engine.diagnose(signal_text).outcome == "diagnosis"
            pids.append(pid_of(engine))
            if turn % 2:  # between two calls
                os.kill(pids[-1], signal.SIGKILL)
                wait_until(lambda: not alive(pids[-1]))
            else:  # in the middle of one
                stop(pids[-1])
                call = Call(engine, signal_text)
                wait_until(lambda: asked(engine))
                os.kill(pids[-1], signal.SIGKILL)
                assert call.crash().how == "signal"
    assert len(set(pids)) == restarts


def test_an_engine_that_is_forgotten_ends_its_worker(signal_text: str, no_leaks: None) -> None:
    engine = tollens.Engine(worker=True)
    engine.diagnose(signal_text)
    pid = pid_of(engine)
    del engine
    gc.collect()
    assert not alive(pid)


ORPHAN = """
import os, signal, sys, tollens
engine = tollens.Engine(worker=True)
engine.diagnose("x")
print(engine.worker_pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_worker_ends_when_its_parent_is_killed() -> None:
    done = subprocess.run([sys.executable, "-c", ORPHAN], check=False, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL
    wait_until(lambda: not alive(int(done.stdout)))


HANGING_ORPHAN = """
import os, signal, sys, threading, time, tollens
sys.path.insert(0, sys.argv[1])
engine = tollens.Engine(worker=True, evaluator="durable_rules", time_limit_s=2)
threading.Thread(target=engine.diagnose, args=(sys.argv[2],), daemon=True).start()
while not os.path.exists(os.path.join(sys.argv[1], "hangs")):
    time.sleep(0.01)
print(engine.worker_pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
HANGING = """
import os
error = OSError
def create_ruleset(name, text):
    open(os.path.join(os.path.dirname(__file__), "hangs"), "w").close()
    while True:
        pass
"""


def test_a_worker_that_hangs_ends_without_its_parent_too(tmp_path: Path, signal_text: str) -> None:
    (tmp_path / "durable_rules_engine.py").write_text(HANGING, encoding="utf-8")
    command = [sys.executable, "-c", HANGING_ORPHAN, str(tmp_path), signal_text]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=30)
    assert done.returncode == -signal.SIGKILL, done.stderr
    pid = int(done.stdout)
    assert alive(pid)
    wait_until(lambda: not alive(pid))


FORK = """
import os, sys, tollens
engine = tollens.Engine(worker=True)
want = engine.diagnose(sys.argv[1]).result
pid = engine.worker_pid
engine._worker._lock.acquire()  # as a thread that is at a diagnosis does
child = os.fork()
if child == 0:
    mine = engine.worker_pid
    outcome = engine.diagnose(sys.argv[1])
    own = engine.worker_pid
    engine.close()
    fine = outcome.result == want and mine is None and own != pid and "ended" not in str(outcome.notices)
    os._exit(0 if fine else 1)
engine._worker._lock.release()
assert os.waitpid(child, 0)[1] == 0
assert engine.worker_pid == pid
assert engine.diagnose(sys.argv[1]).result == want
assert engine.worker_pid == pid
engine.close()
"""


def test_a_fork_gets_a_worker_of_its_own(signal_text: str) -> None:
    subprocess.run([sys.executable, "-W", "error", "-c", FORK, signal_text], check=True)


def test_the_worker_inherits_pipes_and_nothing_else(tmp_path: Path, signal_text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_TOKEN", "secret")
    monkeypatch.setenv("PYTHONSTARTUP", "x")
    with (tmp_path / "open").open("w") as file, tollens.Engine(worker=True) as engine:
        os.set_inheritable(file.fileno(), True)
        engine.diagnose(signal_text)
        pid = pid_of(engine)
        open_files = [str(file.readlink()) for file in Path(f"/proc/{pid}/fd").iterdir()]
        assert sorted(name.partition(":")[0] for name in open_files) == ["/dev/null", "pipe", "pipe", "pipe", "pipe"]
        variables = [pair.partition("=")[0] for pair in Path(f"/proc/{pid}/environ").read_text(encoding="utf-8").split("\0") if pair]
        assert set(variables) <= {*child_module._VARIABLES, "PYTHONPATH"}
        assert Path(f"/proc/{pid}/cwd").readlink() == Path(os.sep)
        assert os.getsid(pid) != os.getsid(0)  # an interrupt from the keyboard does not reach it


def test_the_worker_imports_from_where_its_parent_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path.parent)
    sys.path.append("")
    try:
        places = child_module._environment()["PYTHONPATH"].split(os.pathsep)
    finally:
        sys.path.remove("")
    assert places[0] == str(tmp_path)
    assert places[-1] == str(tmp_path.parent)
    assert [place for place in places if not Path(place).exists()] == []


def test_what_rules_do_wrong_is_the_same_error_and_keeps_the_worker(pack: Any, signal_text: str) -> None:
    pack.put("one", CONTRADICTION)
    with pytest.raises(tollens.FactError) as here:
        tollens.diagnose(signal_text, rules=[pack.folder])
    with tollens.Engine([pack.folder], worker=True) as engine:
        with pytest.raises(tollens.FactError) as there:
            engine.diagnose(signal_text)
        pid = engine.worker_pid
        assert there.value.to_json() == here.value.to_json()
        assert str(there.value) == str(here.value)
        pack.write(one="A")
        assert engine.reload().changed
        assert engine.diagnose(signal_text).outcome == "diagnosis"
        assert engine.worker_pid == pid


CONTRADICTION = """
stage: grounds
rules:
  - {id: mine.one, says: 'one', when: [primary: {as: p}], then: [contested: {by_rival: false}]}
  - {id: mine.other, says: 'other', when: [primary: {as: p}], then: [contested: {by_rival: true}]}
"""


def test_a_python_that_cannot_be_started_is_said(signal_text: str, monkeypatch: pytest.MonkeyPatch, no_leaks: None) -> None:
    with tollens.Engine(worker=True) as engine:
        monkeypatch.setattr(sys, "executable", "/nowhere/python")
        with pytest.raises(tollens.WorkerCrashed, match="could not be started") as caught:
            engine.diagnose(signal_text)
        assert caught.value.how == "start"
        monkeypatch.undo()
        assert engine.diagnose(signal_text).outcome == "diagnosis"


BODY = '{"number":0,"version":"0.0","notice":""}'
HELLO = f"tollens-frame {len(BODY)} 0\\n{BODY}"


@pytest.mark.parametrize(
    ("script", "how", "words"),
    [
        ("echo no such thing >&2; exit 3", "exit", "ended with exit code 3: no such thing"),
        ("kill -KILL $$", "signal", "was ended by SIGKILL"),
        ("echo 'what():  std::bad_alloc' >&2; kill -ABRT $$", "memory", "needed more than 1024 MB"),
        ("exec >&-; exec sleep 30", "garbage", "closed its pipe"),
        (f"printf '{HELLO}'; exec sleep 30", "start", "is tollens 0.0"),
        (f"printf '{HELLO}x'; exec sleep 30", "garbage", "b'x' after an answer"),
        (f"printf '{HELLO.replace(':0', ':1')}'; exec sleep 30", "garbage", "another request"),
        (f"printf '{HELLO.replace('version', 'variant')}'; exec sleep 30", "garbage", "another request"),
        ("yes 0123456789 | head -c 3000000 >&2; exit 3", "exit", "exit code 3: 012"),
    ],
)
def test_what_a_program_that_is_no_worker_does_is_told_apart(
    script: str, how: str, words: str, signal_text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_leaks: None
) -> None:
    program = tmp_path / "python"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    with tollens.Engine(worker=True) as engine, pytest.raises(tollens.WorkerCrashed) as caught:
        engine.diagnose(signal_text)
    assert (caught.value.how, words in caught.value.message) == (how, True), caught.value.message
    assert len(caught.value.stderr) <= child_module.STDERR_KEPT


def test_standard_output_carries_frames_only() -> None:
    command = [sys.executable, "-m", child_module.MODULE, "500", "20", "reference"]
    done = subprocess.run(command, check=True, capture_output=True, input=b"")
    assert done.stdout.startswith(b"tollens-frame ")
    assert done.stdout.count(b"\n") == 1
    assert done.stderr == b""


STAND_IN = """
error = type("error", (Exception,), {})
def create_ruleset(name, text):
    raise %s
"""


@pytest.mark.parametrize(("fault", "how"), [('error("no such node")', ""), ("MemoryError()", "memory")])
def test_after_a_fault_of_the_engine_in_c_the_worker_is_replaced(
    fault: str, how: str, signal_text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_leaks: None
) -> None:
    (tmp_path / "durable_rules_engine.py").write_text(STAND_IN % fault, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with tollens.Engine(worker=True, evaluator="durable_rules") as engine:
        with pytest.raises(tollens.EngineError) as caught:
            engine.diagnose(signal_text)
        assert getattr(caught.value, "how", "") == how
        assert engine.worker_pid is None
        with pytest.raises(tollens.EngineError):
            engine.diagnose(signal_text)


NOISY = """
import os
print("noise", flush=True)
os.write(1, b"noise")
raise ImportError("not here")
"""


def test_a_worker_without_the_engine_in_c_says_so(
    signal_text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_leaks: None
) -> None:
    (tmp_path / "durable_rules_engine.py").write_text(NOISY, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with tollens.Engine(worker=True) as engine:
        outcome = engine.diagnose(signal_text)
        assert (outcome.result["evaluator"], "reference" in outcome.notices[0]) == ("reference", True)
        assert engine.diagnose(signal_text).notices == outcome.notices
    with tollens.Engine(worker=True, evaluator="durable_rules") as engine, pytest.raises(tollens.InputError, match="not here"):
        engine.diagnose(signal_text)


def test_a_worker_of_another_version_is_refused(signal_text: str, monkeypatch: pytest.MonkeyPatch, no_leaks: None) -> None:
    monkeypatch.setattr("tollens.engine.version.__version__", "99")
    with tollens.Engine(worker=True) as engine, pytest.raises(tollens.WorkerCrashed, match="this process 99") as caught:
        engine.diagnose(signal_text)
    assert caught.value.how == "start"
