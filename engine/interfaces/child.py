"""Why: a process at the other end of three pipes can stop, die or babble at any moment, and none of it may block or leak here."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
from time import monotonic, sleep

from tollens.engine.errors import WorkerCrashed
from tollens.engine.interfaces.frames import BadFrame, Frame, unpack

MODULE = "tollens.engine.interfaces.worker_main"
#: How much of the end of its standard error is kept (bytes).
STDERR_KEPT = 8192
#: How long a process that has nothing to do may take to end before it is killed (seconds).
GRACE = 1.0
#: How often a process that is silent is looked at (seconds): its end shows by a closed pipe, unless a fork holds the pipe open.
_LOOK = 0.1
_CHUNK = 1 << 16
#: How long is waited at most between two looks whether a process has ended (seconds).
_NAP = 0.05
#: The unit of the peak memory that a system tells of a process that has ended (bytes).
_PEAK_UNIT = 1 if sys.platform == "darwin" else 1024
#: What a process needs of its surroundings; everything else in the environment stays here.
_VARIABLES = ("HOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONHOME", "TMPDIR")


class Gone(Exception):
    """The process closed its pipe or ended before it answered."""


class TimeUp(Exception):
    """The answer did not come in time."""


class Child:
    """One worker process. Whoever made it calls `end` in every case, from the process that made it or from a fork of it."""

    def __init__(self, evaluator: str, memory_limit_mb: int, time_limit_s: float) -> None:
        #: The digest of the rulebook that the process holds.
        self.digest = ""
        #: The most memory that the system tells of it once it has ended, and the most address space that was seen meanwhile (bytes).
        self.peak = self.seen = 0
        self._owner = os.getpid()
        self._stderr = bytearray()
        try:
            self._process = subprocess.Popen(  # noqa: S603 - this interpreter and a module of this package
                _command(evaluator, memory_limit_mb, time_limit_s),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd=os.path.abspath(os.sep),
                env=_environment(),
                start_new_session=True,  # an interrupt from the keyboard is for this process
            )
        except OSError as error:
            raise WorkerCrashed(
                f"the worker could not be started with {sys.executable!r}: {error.strerror}",
                how="start",
                next_step="start Python by its full path, or go on without a worker",
            ) from None
        pipes = (self._process.stdin, self._process.stdout, self._process.stderr)
        self._files = [pipe for pipe in pipes if pipe is not None]
        self._in, self._out, self._err = (file.fileno() for file in self._files)
        for file in self._files:
            os.set_blocking(file.fileno(), False)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def mine(self) -> bool:
        """Whether this process started it; after a fork it is the other one's."""
        return self._owner == os.getpid()

    @property
    def running(self) -> bool:
        """Whether the process is there."""
        return self._poll() is None

    def _poll(self) -> int | None:
        """As `Popen.poll`, but the system is asked besides how much memory a process needed that has ended."""
        if self._process.returncode is None:
            try:
                pid, status, usage = os.wait4(self._process.pid, os.WNOHANG)
            except ChildProcessError:  # somebody else has waited for it
                return self._process.poll()
            if pid:
                self._process.returncode = os.waitstatus_to_exitcode(status)
                self.peak = usage.ru_maxrss * _PEAK_UNIT
        return self._process.returncode

    @property
    def stderr(self) -> str:
        """The end of what it wrote to standard error, as far as that was read."""
        return self._stderr.decode("utf-8", "replace")

    def exchange(self, message: bytes, number: int, deadline: float, holds: str) -> Frame:
        """Send a message (it may be empty) and wait for the answer with that number, which holds that field or `error`.

        Gone, TimeUp or BadFrame where that fails: what comes next on the pipe would be nobody's answer, so end the process then.
        """
        if message:
            self._expect_silence()
        left, received = memoryview(message), bytearray()
        with selectors.DefaultSelector() as selector:
            selector.register(self._out, selectors.EVENT_READ)
            selector.register(self._err, selectors.EVENT_READ)
            if left:
                selector.register(self._in, selectors.EVENT_WRITE)
            while True:
                time = deadline - monotonic()
                if time <= 0:
                    raise TimeUp
                ready = [key.fd for key, _ in selector.select(min(time, _LOOK))]
                self._look()
                if not ready and not self.running:
                    raise Gone
                if self._in in ready:
                    left = left[self._write(left) :]
                    if not left:
                        selector.unregister(self._in)
                if self._err in ready and not self._read_stderr():
                    selector.unregister(self._err)
                if self._out in ready and (frame := self._read(received)) is not None:
                    if left or frame.data.get("number") != number or not {holds, "error"} & frame.data.keys():
                        raise BadFrame(f"an answer to another request than {number}")
                    return frame

    def _look(self) -> None:
        """Note how large its address space is, where the system tells."""
        try:
            with open(f"/proc/{self.pid}/statm", "rb") as file:
                size = file.read().split()
        except OSError:
            return
        if size:  # nothing is told of a process that has just ended
            self.seen = max(self.seen, int(size[0]) * os.sysconf("SC_PAGE_SIZE"))

    def _expect_silence(self) -> None:
        """Nobody was asked anything, so nobody answers."""
        try:
            data = os.read(self._out, _CHUNK)
        except BlockingIOError:
            return
        if not data:
            raise Gone
        raise BadFrame(f"{data[:40]!r} before it was asked")

    def _write(self, data: memoryview) -> int:
        try:
            return os.write(self._in, data[:_CHUNK])
        except BlockingIOError:
            return 0
        except BrokenPipeError:
            raise Gone from None

    def _read(self, received: bytearray) -> Frame | None:
        data = os.read(self._out, _CHUNK)
        if not data:
            raise Gone
        received += data
        found = unpack(received)
        if found is None:
            return None
        frame, length = found
        if length < len(received):
            raise BadFrame(f"{bytes(received[length : length + 40])!r} after an answer")
        return frame

    def _read_stderr(self) -> bool:
        """Keep what was written to standard error; False where there is nothing more."""
        try:
            data = os.read(self._err, _CHUNK)
        except BlockingIOError:
            return False
        self._stderr += data
        del self._stderr[:-STDERR_KEPT]
        return bool(data)

    def wait(self, seconds: float) -> int | None:
        """The exit code (a negative signal number where a signal ended it), or None where it still runs after that time."""
        end, nap = monotonic() + seconds, 0.0005
        while (code := self._poll()) is None and (left := end - monotonic()) > 0:
            nap = min(2 * nap, left, _NAP)
            sleep(nap)
        return code

    def end(self, grace: float = GRACE) -> None:
        """End the process, by closing its input and then by force, and give back everything that it took here."""
        self._files[0].close()
        if not self.mine:
            self._process.returncode = 0  # whoever started it waits for it
        if self.wait(grace) is None:
            self._process.kill()
            self._process.wait()
        if not self._files[2].closed and self.mine:
            while self._read_stderr():
                pass
        for file in self._files:
            file.close()


def _command(evaluator: str, memory_limit_mb: int, time_limit_s: float) -> list[str]:
    """-P: nothing is imported from the current folder."""
    flags = ["-P", "-X", "utf8"] + (["-B"] if sys.dont_write_bytecode else [])
    return [sys.executable, *flags, "-m", MODULE, str(memory_limit_mb), str(time_limit_s), evaluator]


def _environment() -> dict[str, str]:
    """The few variables that a process needs, and the import path of this one: what can be imported here can be imported there."""
    kept = {name: os.environ[name] for name in _VARIABLES if name in os.environ}
    places = [os.path.abspath(place) for place in sys.path if os.path.exists(place or os.curdir)]
    return {**kept, "PYTHONPATH": os.pathsep.join(places)}


def signal_name(number: int) -> str:
    """SIGKILL, SIGSEGV, ..., or the number where it has no name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
