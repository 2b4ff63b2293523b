"""Why: tests of the interfaces share one signal, packs that can be rewritten, and a look at the processes of this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

SIGNAL = """\
Traceback (most recent call last):
  File "src/app.py", line 3, in total
    return order.price
AttributeError: 'NoneType' object has no attribute 'price'
"""


@pytest.fixture(scope="session")
def signal_text() -> str:
    """A traceback that the built-in rules diagnose."""
    return SIGNAL


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Checked packs are kept in one folder of the test run."""
    folder = tmp_path_factory.getbasetemp() / "checked-packs"
    monkeypatch.setenv("TOLLENS_CACHE", str(folder))


class Pack:
    """A user pack of two rule files; each adds one question with its version to a diagnosis."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        (folder / "pack.yaml").write_text("name: mine\nversion: 1.0.0\nlanguage: 1\n", encoding="utf-8")
        self.write(one="A", two="A")

    def write(self, **versions: str) -> None:
        """Put each named file in place at once, one after the other."""
        for name, version in versions.items():
            rule = f"{{id: mine.{name}, says: 'asks', when: [primary: {{as: p}}], then: [question: {{text: '{name} is {version}'}}]}}"
            self.put(name, f"stage: grounds\nrules:\n  - {rule}\n")

    def put(self, name: str, text: str) -> None:
        """Replace a file as an editor does."""
        beside = self.folder / f".{name}.new"
        beside.write_text(text, encoding="utf-8")
        beside.replace(self.folder / f"{name}.yaml")


@pytest.fixture
def pack(tmp_path: Path) -> Pack:
    """A user pack whose files both are at version A."""
    return Pack(tmp_path / "mine")


@pytest.fixture
def no_leaks() -> Iterator[None]:
    """After the test there are as many open files as before and no child process, alive or dead."""
    files = Path("/proc/self/fd")
    if not files.is_dir():
        pytest.skip("needs /proc")
    before = sorted(file.name for file in files.iterdir())
    yield
    assert sorted(file.name for file in files.iterdir()) == before
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
