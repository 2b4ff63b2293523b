"""Why: whatever the input, the parsers' work and output are bounded; each bound that was met becomes a `truncated` fact."""

from __future__ import annotations

from typing import NamedTuple


class Limits(NamedTuple):
    """Bounds of one parse. Sizes are in characters."""

    text: int = 32 * 1024 * 1024
    line: int = 64 * 1024
    value: int = 8 * 1024
    signals: int = 2_000
    frames: int = 200
    details: int = 200
    summary_lines: int = 5_000
    truncated: int = 1_000


DEFAULT = Limits()
