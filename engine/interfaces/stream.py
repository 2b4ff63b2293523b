"""Why: a signal can be a file of any size, a slow pipe or a device that never ends: it is read piece by piece, and each bound is told."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator

from tollens.engine.diagnosis.driver import Ended

#: What is read at once, in bytes.
PIECE = 1024 * 1024
#: The most that is read of what is no regular file, in bytes: a pipe or device need not end.
MOST = 1024 * 1024 * 1024
#: After so many seconds without anything to read, the reader is told once.
TELL = 10.0


class Stream:
    """The bytes behind an open descriptor, piece by piece. `ended` says afterwards why reading stopped before their end, if it did.

    Regular files are read to their end. Of anything else at most `most` bytes are read, and where `idle` is given, reading stops when
    nothing came for so many seconds. An `owned` descriptor is closed after the last piece. `tell` is called once when nothing came for
    a while. Raises OSError where reading fails.
    """

    def __init__(
        self,
        descriptor: int,
        *,
        owned: bool = True,
        most: int = MOST,
        idle: float | None = None,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        self._descriptor = descriptor
        self._owned = owned
        self._regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
        self._most = most
        self._idle = idle
        self._tell = tell
        self.ended: Ended | None = None

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._pieces()
        finally:
            if self._owned:
                os.close(self._descriptor)

    def _pieces(self) -> Iterator[bytes]:
        read = 0
        while True:
            if not self._regular and not self._comes():
                self.ended = Ended(f"nothing came for {self._idle:g} seconds; the rest was not waited for")
                return
            piece = os.read(self._descriptor, PIECE)
            if not piece:
                return
            if not self._regular and read + len(piece) > self._most:
                yield piece[: self._most - read]
                self.ended = Ended(f"the input is longer than {_size(self._most)}; the rest was not read")
                return
            read += len(piece)
            yield piece

    def _comes(self) -> bool:
        """Wait for the next piece, or the end; False where the wait was too long."""
        if os.name != "posix":
            return True  # only sockets can be waited for there
        from select import select  # not on the start-up path of files

        waits: list[float | None] = [self._idle]
        if self._tell is not None and (self._idle is None or self._idle > TELL):
            waits = [TELL, self._idle - TELL if self._idle is not None else None]
        for position, wait in enumerate(waits):
            if select([self._descriptor], [], [], wait)[0]:
                return True
            if self._tell is not None and position + 1 < len(waits):
                self._tell(f"nothing has come for {TELL:g} seconds; still reading (with --idle-limit SECONDS it goes on without the rest)")
                self._tell = None
        return False


def open_file(path: str) -> int:
    """A descriptor of a file; a fifo is opened without waiting for whoever writes to it. Raises OSError."""
    mode = os.stat(path).st_mode
    extra = getattr(os, "O_NONBLOCK", 0) if stat.S_ISFIFO(mode) else 0
    descriptor = os.open(path, os.O_RDONLY | extra | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0))
    if extra:
        os.set_blocking(descriptor, True)
    return descriptor


def standard_input() -> int | None:
    """The descriptor of standard input; None where it is closed."""
    try:
        return sys.stdin.fileno() if sys.stdin is not None else None
    except (OSError, ValueError):
        return None


def _size(count: int) -> str:
    return f"{count // 2**20} MB" if count >= 2**20 else f"{count} bytes"
