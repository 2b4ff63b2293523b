"""Why: standard streams can be closed, full or without a reader; each command meets that in the same way, and none by a traceback."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from types import TracebackType
from typing import TextIO

from tollens.engine.errors import TollensError


class OutputError(TollensError):
    """Standard output does not take what a command prints."""

    code = "output"


class _Stream(TextIOWrapper):
    """A standard stream over the bytes of another one; what its encoding cannot hold appears as escapes.

    A reader that went away (`| head`) is no fault: nothing more is written. Any other failure is an OutputError where the stream is
    `needed`, and nothing where it is not.
    """

    def __init__(self, stream: TextIOWrapper, *, needed: bool) -> None:
        super().__init__(stream.buffer, encoding=stream.encoding, errors="backslashreplace", line_buffering=stream.line_buffering)
        self._needed = needed
        self._gone = False

    def write(self, text: str) -> int:
        """Write text, or drop it where nobody reads any more."""
        if not self._gone:
            try:
                return super().write(text)
            except OSError as error:
                self._failed(error)
        return len(text)

    def flush(self) -> None:
        """Hand everything on."""
        if not self._gone:
            try:
                super().flush()
            except OSError as error:
                self._failed(error)

    def _failed(self, error: OSError) -> None:
        self._gone = True
        try:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())  # what is still in the buffer must not fail once more when the process ends
            os.close(nowhere)
        except (OSError, ValueError):
            pass  # a stream without a descriptor, as tests use them
        if self._needed and not isinstance(error, BrokenPipeError):
            raise OutputError(
                f"standard output cannot be written: {error.strerror or error}", next_step="make room, or send the output to another place"
            ) from None


class Standard:
    """Within it, standard output and standard error are such streams, and no file that is opened gets the number of a closed one."""

    def __init__(self) -> None:
        self._before: tuple[TextIO | None, TextIO | None] = (None, None)

    def __enter__(self) -> None:
        for descriptor in range(3):
            try:
                os.fstat(descriptor)
            except OSError:
                os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free, which is this one
        self._before = (sys.stdout, sys.stderr)
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.flush()
            sys.stdout = _Stream(sys.stdout, needed=True)
        if isinstance(sys.stderr, TextIOWrapper):
            sys.stderr = _Stream(sys.stderr, needed=False)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, _Stream):
                stream.detach()
        sys.stdout, sys.stderr = self._before
