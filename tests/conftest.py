"""Why: one place says how much work random tests do, so that `make test` is quick and `make full` is thorough."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent
FULL = os.environ.get("TOLLENS_BUDGET") == "full"

# The sampled runs are derandomised: the same commit has the same result everywhere. The full run looks for what they miss.
settings.register_profile("sampled", deadline=None, derandomize=True, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("full", deadline=None, max_examples=3000, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("full" if FULL else "sampled")


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Skip the tests of the engine in C where it could not be built; with TOLLENS_REQUIRE_ENGINE (as in CI) they fail there instead."""
    if os.environ.get("TOLLENS_REQUIRE_ENGINE") or find_spec("durable_rules_engine") is not None:
        return
    skip = pytest.mark.skip(reason="durable_rules is not installed (`tollens doctor` says how)")
    for item in items:
        if item.get_closest_marker("engine") or (ROOT / "tests/session/durable") in item.path.parents:
            item.add_marker(skip)


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's folder."""
    return ROOT


@pytest.fixture(scope="session")
def budget() -> Callable[[int, int], int]:
    """`budget(sampled, full)`: how often a test of many rounds goes round."""
    return lambda sampled, full: full if FULL else sampled


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The labelled corpus of failed runs: TOLLENS_CORPUS, or ../shared/corpus beside the checkout."""
    path = Path(os.environ.get("TOLLENS_CORPUS", ROOT.parent / "shared" / "corpus"))
    if not path.is_dir():
        pytest.skip("the labelled corpus is not here (set TOLLENS_CORPUS to its folder)")
    return path
