"""Why: how output looks depends on where it goes: colours and width for a terminal, plain text for everything else."""

from __future__ import annotations

import os
import shutil
from typing import TextIO

from tollens.engine.explain.terminal import Style

#: Lines of text are not made longer than this on any terminal: long lines are hard to read.
MOST_CELLS = 120


def style_of(stream: TextIO) -> Style:
    """The style for a stream: NO_COLOR and FORCE_COLOR are respected, and a stream that is no terminal gets no colours."""
    terminal = stream.isatty()
    colour = (terminal or bool(os.environ.get("FORCE_COLOR"))) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    width = min(shutil.get_terminal_size((100, 24)).columns, MOST_CELLS)
    return Style(encoding=stream.encoding or "utf-8", colour=colour, width=width)


def runs_option(runs: str | None) -> str:
    """The option that names the folder of stored runs, as a shell understands it; empty where none was named."""
    if runs is None:
        return ""
    from shlex import quote

    return f" --runs{'=' if runs.startswith('-') else ' '}{quote(runs)}"
