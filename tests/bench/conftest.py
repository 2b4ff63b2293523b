"""Why: tests of the bench write small packs and ask what the bench says of them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

HEAD = "name: {name}\nversion: 1.0.0\nlanguage: 1\n"

Write = Callable[..., Path]
Tollens = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Checked packs are kept in one folder of the test run."""
    monkeypatch.setenv("TOLLENS_CACHE", str(tmp_path_factory.getbasetemp() / "checked-packs"))


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """`write(head=..., name=..., **files)`: a pack folder; `head` follows the three lines that every pack.yaml has."""

    def pack(head: str = "", *, name: str = "mine", files: Mapping[str, str] | None = None, **more: str) -> Path:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        (folder / "pack.yaml").write_text(HEAD.format(name=name) + head, encoding="utf-8")
        for path, text in {**(files or {}), **{f"{key}.yaml": text for key, text in more.items()}}.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        return folder

    return pack


@pytest.fixture
def tollens(tmp_path: Path) -> Tollens:
    """Run the command in a folder of the test."""

    def run(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tollens", *map(str, arguments)]
        return subprocess.run(command, cwd=cwd or tmp_path, check=False, capture_output=True, text=True)

    return run
