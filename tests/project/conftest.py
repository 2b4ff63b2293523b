"""Why: the tests of the project itself share one view of which files, packages and modules there are."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

FOLDERS = ("facts", "parsers", "rules", "engine")
FACADE = "engine/facade"


def module_name(path: str) -> str:
    """The import name of a Python file of the four folders, given relative to the root."""
    inner = path.removesuffix(".py").removesuffix("/__init__")
    if inner == FACADE or inner.startswith(FACADE + "/"):
        return ("tollens" + inner.removeprefix(FACADE)).replace("/", ".")
    return "tollens." + inner.replace("/", ".")


@pytest.fixture(scope="session")
def files(root: Path) -> list[str]:
    """Every file of the project, relative to the root: what git tracks or would track."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    output = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    return sorted(name for name in set(output.split("\0")) if name and (root / name).is_file())


@pytest.fixture(scope="session")
def sources(files: list[str]) -> list[str]:
    """The Python files of the packages."""
    return [name for name in files if name.endswith(".py") and name.split("/")[0] in FOLDERS]


@pytest.fixture(scope="session")
def modules(sources: list[str]) -> dict[str, str]:
    """Import name to file of every module of the packages."""
    return {module_name(name): name for name in sources}
