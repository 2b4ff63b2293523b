"""Why: every measurement is its own process, so that no engine pays for what another one left behind.

`python benchmarks/once.py ENGINE WORKLOAD N` prints one JSON object: seconds, answers, a digest of the answers as a set, and the growth of
the process's peak memory in kilobytes.
"""

from __future__ import annotations

import json
import resource
import sys
from hashlib import blake2b

from adapters import run
from workloads import BY_NAME


def main(engine: str, name: str, n: int) -> None:
    """Run and print."""
    workload = BY_NAME[name]
    run(engine, workload, 20)  # imports and first calls
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    done = run(engine, workload, n)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    answers = sorted(workload.normal(done.answers), key=repr)
    digest = blake2b(repr(answers).encode(), digest_size=8).hexdigest()
    print(json.dumps({"seconds": done.seconds, "answers": len(answers), "digest": digest, "peak_kb": peak}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
