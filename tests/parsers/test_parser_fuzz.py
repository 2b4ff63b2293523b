"""Random texts for every grammar, made of the lines that the grammar reads; and coverage-guided fuzzing in the full run."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tollens.parsers import Limits, parse

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "signals"
FULL = os.environ.get("TOLLENS_BUDGET") == "full"
#: For each grammar: so many in CI, in the full run, and else.
EXAMPLES = 100_000 if FULL else 2_000 if os.environ.get("CI") else 150
SMALL = Limits(window=900, line=200, value=60, signals=12, tail=3, repeats=2, facts=80, kept=4_000, frames=6, details=6, truncated=9)
thorough = settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
SIGNS = "=_-*~^>|+: \t'\"()[]{}<>&;#.,0123456789EeéX\u2502\u256d\r\x00"


@cache
def pools() -> dict[str, list[str]]:
    """For each producer of facts, the lines of all recordings in which it found something."""
    found: dict[str, dict[str, None]] = {}
    for path in sorted(FOLDER.glob("*.txt")):
        text = path.read_text(encoding="utf-8")
        lines = dict.fromkeys(text.split("\n")[:400])
        for name in sorted({draft.origin[1] for draft in parse(text).drafts}):
            found.setdefault(name, {}).update(lines)
    return {name: list(lines) for name, lines in found.items()}


GRAMMARS = sorted(pools())


def text_of(name: str, seed: int) -> str:
    """Lines of one grammar's pool in runs and alone; doubled, cut, glued, moved and overwritten."""
    chance, pool = random.Random(seed), pools()[name]  # noqa: S311 - not a secret
    lines: list[str] = []
    while len(lines) < chance.randrange(1, 40):
        at = chance.randrange(len(pool))
        lines += pool[at : at + chance.choice((1, 1, 2, 3, 8))]
    for _ in range(chance.randrange(8)):
        at = chance.randrange(len(lines))
        line = lines[at]
        cut = chance.randrange(len(line) + 1)
        lines[at] = chance.choice(
            (
                line[:cut],
                line[cut:],
                line[:cut] + chance.choice(SIGNS) + line[cut:],
                line[:cut] + chance.choice(SIGNS) * chance.randrange(1, 90) + line[cut:],
                " " * chance.randrange(1, 9) + line,
                line + "\r" + chance.choice(pool),
                line + chance.choice(pool),
                "\x1b[31m" + line + "\x1b[0m",
            )
        )
    return chance.choice(("\n", "\n", "\n", "\r\n")).join(lines * chance.choice((1, 1, 1, 5)))


@pytest.mark.parametrize("name", GRAMMARS)
def test_every_grammar_on_its_own_lines(reading: Callable[..., Any], name: str) -> None:
    @thorough
    @given(st.integers(0, 2**48))
    def sound(seed: int) -> None:
        text = text_of(name, seed)
        reading(text)
        parsed = parse(text, limits=SMALL)
        signals = sum(draft.kind == "signal" for draft in parsed.drafts)
        assert signals <= SMALL.signals
        assert len(parsed.drafts) < 400

    sound()


def test_every_module_with_a_grammar_has_a_pool() -> None:
    from tollens.parsers.parse import GRAMMARS as READERS

    assert len(GRAMMARS) >= len(READERS) - 2


@given(st.binary(max_size=3_000))
@thorough
def test_bytes_of_any_kind(data: bytes) -> None:
    assert parse(data).drafts == parse(data).drafts
    parse(data, limits=SMALL)


@pytest.mark.skipif(not FULL, reason="coverage-guided fuzzing is part of the full run (TOLLENS_BUDGET=full)")
@pytest.mark.skipif(
    find_spec("atheris") is None, reason="atheris is not installed (pip install atheris; Linux and macOS, CPython 3.11 to 3.13)"
)
def test_coverage_guided_fuzzing(tmp_path: Path) -> None:
    corpus, seeds = tmp_path / "corpus", tmp_path / "seeds"
    corpus.mkdir()
    seeds.mkdir()
    for path in FOLDER.glob("*.txt"):
        shutil.copy(path, seeds)
    script = Path(__file__).with_name("fuzz_parsers.py")
    command = [
        sys.executable,
        str(script),
        str(corpus),
        str(seeds),
        "-runs=100000",
        "-max_total_time=900",
        "-max_len=6000",
        "-timeout=20",
        "-seed=13",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
