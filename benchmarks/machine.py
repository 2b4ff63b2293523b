"""Why: a number means something only beside what it was measured on; the machine is described, not named."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version


def describe(*distributions: str) -> dict[str, str]:
    """Date, processors, memory, system, Python and the versions of some distributions."""
    data = {
        "date": datetime.now(UTC).date().isoformat(),
        "processors": f"{len(os.sched_getaffinity(0))} x {platform.machine()}",
        "memory": f"{os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') / 2**30:.0f} GB",
        "system": platform.system(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "load": f"{os.getloadavg()[0]:.1f} at the start",
    }
    for name in distributions:
        try:
            data[name] = version(name)
        except PackageNotFoundError:
            data[name] = "not installed"
    return data
