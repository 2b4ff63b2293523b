"""Why: what the tests of the diagnosis share: recorded signals, evaluators, and packs that a test may edit."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tollens.engine.diagnosis.driver import Diagnosed, Options, diagnose
from tollens.engine.diagnosis.packs import BUILTIN, rulebook
from tollens.engine.session.choose import choose

ROOT = Path(__file__).parents[2]
SIGNALS = ROOT / "fixtures" / "signals"

Run = Callable[..., Diagnosed]


@pytest.fixture
def signal() -> Callable[[str], bytes]:
    """The bytes of a recorded signal by its name."""
    return lambda name: (SIGNALS / f"{name}.txt").read_bytes()


@pytest.fixture
def run() -> Run:
    """Diagnose bytes with the built-in pack, or another one, and user packs."""

    def diagnosed(
        data: bytes, *, user: tuple[Path, ...] = (), builtin: tuple[Path, ...] = BUILTIN, evaluator: str = "reference", **options: object
    ) -> Diagnosed:
        book = rulebook(user, builtin=builtin, cached=False)
        return diagnose(data, book, choose(evaluator)[0], Options(**options))  # type: ignore[arg-type]  # the tests name real options

    return diagnosed


@pytest.fixture
def editable(tmp_path: Path) -> Path:
    """A copy of the built-in pack that a test may edit."""
    copy = tmp_path / "diagnosis"
    shutil.copytree(BUILTIN[0], copy)
    return copy


@pytest.fixture
def pack(tmp_path: Path) -> Callable[..., Path]:
    """Write a user pack from its rule text and what else pack.yaml holds."""

    def write(rules: str, *, name: str = "mine", head: str = "") -> Path:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "pack.yaml").write_text(f"name: {name}\nversion: 1.0.0\nlanguage: 1\n{head}", encoding="utf-8")
        (folder / "rules.yaml").write_text(rules, encoding="utf-8")
        return folder

    return write
