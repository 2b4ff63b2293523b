"""Why: the same input gives the same bytes, whatever the hash seed, the process, the evaluator or the Python version."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SIGNALS = sorted((ROOT / "fixtures" / "signals").glob("*.txt"))

#: Prints one digest of the results and whole proofs of all recorded signals; the evaluator's own name is the one thing that may differ.
SCRIPT = """
import hashlib, json, pathlib, sys
from tollens.engine.diagnosis.driver import Options, diagnose
from tollens.engine.diagnosis.packs import rulebook
from tollens.engine.session.choose import choose
from tollens.engine.session.session import canonical
book, total = rulebook(cached=False), hashlib.sha256()
for name in sys.argv[2:]:
    done = diagnose(pathlib.Path(name).read_bytes(), book, choose(sys.argv[1])[0], Options(pathlib.Path(name).name))
    total.update(json.dumps([{**done.result, "evaluator": ""}, canonical(done.session)]).encode())
print(total.hexdigest())
"""


def digest_of(python: str, evaluator: str, seed: str = "0") -> str:
    env = {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run([python, "-c", SCRIPT, evaluator, *map(str, SIGNALS)], capture_output=True, text=True, env=env, check=True)
    return done.stdout.strip()


@pytest.mark.smoke
def test_hash_seeds_processes_and_evaluators() -> None:
    digests = {digest_of(sys.executable, evaluator, seed) for evaluator in ("reference", "auto") for seed in ("0", "1", "4242")}
    assert len(digests) == 1


def other_pythons() -> list[str]:
    """Interpreters of other versions that have Tollens: the environments that the checks make beside this one."""
    found = []
    for python in sorted(ROOT.glob(".venv*/bin/python")):
        probe = subprocess.run(
            [python, "-c", "import sys, tollens.engine; print(sys.version_info[:2])"],
            capture_output=True,
            text=True,
            cwd=ROOT / "docs",
            check=False,
        )
        if probe.returncode == 0 and probe.stdout.strip() != str(sys.version_info[:2]):
            found.append(str(python))
    return found


def test_other_pythons_give_the_same_bytes() -> None:
    pythons = other_pythons()
    if not pythons:
        pytest.skip("no environment of another Python version beside this one (.venv-3.12, .venv-3.13)")
    here = digest_of(sys.executable, "reference")
    assert {digest_of(python, evaluator) for python in pythons for evaluator in ("reference", "auto")} == {here}


def test_a_file_and_a_pipe_and_a_cold_cache_give_the_same_result(tmp_path: Path) -> None:
    signal = SIGNALS[0]
    command = [sys.executable, "-m", "tollens", "diagnose", "--format", "json", "--no-save"]
    env = {**os.environ, "TOLLENS_CACHE": str(tmp_path / "cache")}
    cold = subprocess.run([*command, str(signal)], cwd=tmp_path, env=env, capture_output=True, check=False).stdout
    warm = subprocess.run([*command, str(signal)], cwd=tmp_path, env=env, capture_output=True, check=False).stdout
    assert any((tmp_path / "cache").rglob("*.json"))
    assert hashlib.sha256(cold).digest() == hashlib.sha256(warm).digest()
    with signal.open("rb") as stream:
        piped = subprocess.run(command, cwd=tmp_path, env=env, stdin=stream, capture_output=True, check=False).stdout
    names = ("run_id", "records")
    strip = [{k: v for k, v in json.loads(text).items() if k not in names} for text in (warm, piped)]
    assert strip[0] == strip[1]
