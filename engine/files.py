"""Why: a path that is no regular file (a fifo, a device) can block its reader for ever, and a name of a file need not be valid text."""

from __future__ import annotations

import errno
import os
import stat

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def read_regular(path: str | os.PathLike[str]) -> bytes:
    """All bytes of a regular file, also through a link. OSError where it cannot be read or is none; nothing is waited for."""
    descriptor = os.open(path, _FLAGS)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is no regular file", os.fspath(path))
    with open(descriptor, "rb") as file:
        return file.read()


def plain_name(text: str) -> str:
    """A name or path as valid Unicode: bytes that are not UTF-8 appear as `\\xff`, lone surrogates as `\\ud800`."""
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode("utf-8")
