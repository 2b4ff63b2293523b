"""Why: a shared machine is noisy, so only medians, and ratios of runs that stood side by side, are reported."""

from __future__ import annotations

from collections.abc import Sequence
from math import log


def median(values: Sequence[float]) -> float:
    """The middle value, or the mean of the two in the middle. `values` must not be empty."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def paired_ratio(left: Sequence[float], right: Sequence[float]) -> float:
    """The median of `left / right` over runs that were made in the same round."""
    return median([a / b for a, b in zip(left, right, strict=True)])


def growth(small: int, large: int, before: float, after: float) -> float:
    """The exponent e of n**e between two sizes and their seconds: 1 is linear."""
    return log(after / before) / log(large / small)
