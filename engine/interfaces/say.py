"""Why: whatever is said on standard error, a file's name in it must not act on the terminal, and nothing said may become a second fault."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from tollens.engine.errors import TollensError


def say(lines: Iterable[str]) -> None:
    """Lines to standard error, each harmless and in one piece; nothing happens where it is closed."""
    stream = sys.stderr
    if stream is not None:
        told = list(lines)
        try:
            told = _harmless(told, stream.encoding or "utf-8")
        except (ImportError, MemoryError):  # there may be too little memory to import with, and that must be said, too
            told = [ascii(line)[1:-1] for line in told]
        stream.write("".join([line + "\n" for line in told]))


def _harmless(lines: list[str], encoding: str) -> list[str]:
    from tollens.engine.explain.terminal import Style  # here, as most commands have nothing to say
    from tollens.engine.files import plain_name

    style = Style(encoding=encoding)
    return [style.safe(plain_name(line)) for line in lines]


def notice(text: str) -> None:
    """Say what is not a fault."""
    say([f"notice: {text}"])


def complain(error: TollensError) -> None:
    """Say what is wrong."""
    say(error.lines())
