"""Why: a benchmark whose engines do different work says nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
RUN = ROOT / "benchmarks" / "run.py"


def test_all_engines_that_are_here_give_the_same_answers() -> None:
    done = subprocess.run([sys.executable, str(RUN), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("the same from") == 7
    assert done.stdout.count("reference") == 7


def test_a_disagreement_stops_the_benchmark(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(
        f"""
import sys
sys.path.insert(0, {str(RUN.parent)!r})
import adapters, engines
real = adapters.run
def run(engine, workload, n):
    done = real(engine, workload, n)
    return adapters.Run(done.answers[1:], done.seconds)
engines.run = run
list(engines.check(50))
""",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, str(tmp_path / "broken.py")], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "Disagreement" in done.stderr
