"""Why: each module must exist once, under its installed name, and the public face must stay thin."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import tollens


@pytest.mark.smoke
@pytest.mark.parametrize("name", ["facts", "parsers", "rules", "engine"])
def test_no_folder_is_a_top_level_package(name: str) -> None:
    with pytest.raises(ImportError):
        importlib.import_module(name)


@pytest.mark.smoke
def test_version_is_the_one_of_the_project_file(root: Path) -> None:
    with (root / "pyproject.toml").open("rb") as file:
        assert tollens.__version__ == tomllib.load(file)["project"]["version"]


@pytest.mark.smoke
def test_command_and_module_say_the_version(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tollens", "--version"]
    output = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert output.strip() == f"tollens {tollens.__version__}"


def test_facade_only_re_exports(root: Path) -> None:
    tree = ast.parse((root / "engine/facade/__init__.py").read_text(encoding="utf-8"))
    allowed = (ast.Expr, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.If)
    for node in tree.body:
        # `__getattr__` puts off an import until a name is asked for; it decides nothing.
        lazy = isinstance(node, ast.FunctionDef) and node.name in ("__getattr__", "__dir__")
        assert lazy or isinstance(node, allowed), f"line {node.lineno}: the facade holds logic"


def test_nothing_names_the_facade_by_its_folder(root: Path, files: list[str]) -> None:
    pattern = re.compile(r"^\s*(from|import)\s+tollens\.engine\.facade\b", re.MULTILINE)
    found = [name for name in files if name.endswith(".py") and pattern.search((root / name).read_text(encoding="utf-8", errors="replace"))]
    assert found == []


def test_declared_packages_are_the_packages_on_disk(root: Path, modules: dict[str, str]) -> None:
    with (root / "pyproject.toml").open("rb") as file:
        declared = tomllib.load(file)["tool"]["setuptools"]["packages"]
    on_disk = {name for name, path in modules.items() if path.endswith("__init__.py")}
    # tollens.docs holds pages and no code.
    assert sorted(declared) == sorted({*on_disk, "tollens.docs"})


def test_every_folder_of_code_is_a_package(root: Path, sources: list[str]) -> None:
    folders = {str(Path(name).parent) for name in sources}
    assert [folder for folder in sorted(folders) if not (root / folder / "__init__.py").is_file()] == []
