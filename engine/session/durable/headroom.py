"""Why: the engine does not look whether it got the memory that it asked for, so somebody has to look whether it is going to."""

from __future__ import annotations

import os

#: What the engine needs for one fact (bytes), and the first and the next size of its pool of facts.
FACT, POOL, GROWTH = 9_000, 16, 1.5
#: What has to stay free in any case (bytes): matches, and what Python needs meanwhile.
RESERVE = 12 * 1024 * 1024
#: Facts between two looks.
STEP = 32


class Headroom:
    """Looks, before some facts are sent, whether the limit of the process's address space leaves room for them.

    Without a limit, and where the system does not tell what is used, there is always room.
    """

    def __init__(self) -> None:
        self._limit = address_space_limit()

    def suffices(self, facts: int) -> bool:
        """Whether there is room for some more facts beside so many; looks at every so many only."""
        if self._limit is None or facts % STEP:
            return True
        used = address_space_used()
        return used is None or used + RESERVE + _growth(facts) <= self._limit


def _growth(facts: int) -> int:
    """What the pool of facts takes when it grows within the next two steps (bytes); it may have to be copied."""
    pool = POOL
    while pool <= facts:
        pool = int(pool * GROWTH)
    return int(pool * GROWTH) * FACT if pool - facts <= 2 * STEP else 0


def address_space_limit() -> int | None:
    """The most bytes of address space that the process may have, None where nothing bounds them."""
    try:
        import resource  # not everywhere, and only where an engine is made
    except ImportError:
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else limit


def address_space_used() -> int | None:
    """The bytes of address space that the process has, None where the system does not tell."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return None
