"""Why: a process of its own says which bytes some random cases give, to be compared over hash seeds and Pythons.

Run as a script with evaluator names, first and last seed; prints one digest for each seed. Needs the project's root and `.typing`
on the path.
"""

from __future__ import annotations

import sys
from hashlib import blake2b

from tests.language.generator import make_case
from tests.language.outcomes import evaluated
from tollens.engine.session.evaluator import Evaluator
from tollens.engine.session.reference import Reference


def evaluator(name: str) -> Evaluator:
    """An evaluator by name."""
    if name == "reference":
        return Reference()
    from tollens.engine.session.durable.evaluator import DurableEvaluator  # only where it is asked for

    return DurableEvaluator()


def main(names: str, first: int, last: int) -> None:
    """Print a digest per seed over what all of the evaluators give."""
    for seed in range(first, last):
        state = blake2b(digest_size=16)
        for name in names.split(","):
            state.update(evaluated(make_case(seed), evaluator(name)).encode())
        sys.stdout.write(f"{seed} {state.hexdigest()}\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
