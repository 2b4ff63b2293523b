"""Why: whatever the input, the parsers' work and output are bounded; each bound that was met becomes a `truncated` fact."""

from __future__ import annotations

from typing import NamedTuple


class Limits(NamedTuple):
    """Bounds of one parse. Sizes are in characters."""

    #: What the grammars see at once. A longer text is read part by part, after quiet stretches of it are left out.
    window: int = 4 * 1024 * 1024
    line: int = 64 * 1024
    value: int = 8 * 1024
    signals: int = 2_000
    #: Of the signals, how many of the last ones are kept where there are too many.
    tail: int = 100
    #: How often the same signal may stand in a text before only its first and its last are kept.
    repeats: int = 8
    #: Facts about signals, and the characters in them.
    facts: int = 40_000
    kept: int = 16 * 1024 * 1024
    frames: int = 200
    details: int = 200
    summary_lines: int = 5_000
    truncated: int = 1_000


DEFAULT = Limits()
