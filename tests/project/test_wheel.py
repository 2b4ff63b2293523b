"""Why: what users install is the wheel, not the checkout; a file that it lacks is missing for all of them."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

FOLDERS = ("facts", "parsers", "rules", "engine")

pytestmark = pytest.mark.xdist_group("wheel")


@pytest.fixture(scope="module")
def wheel(root: Path, files: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of the project's files without a network."""
    copy = tmp_path_factory.mktemp("source")
    for name in files:
        if name.split("/")[0] in (*FOLDERS, "docs", "pyproject.toml", "README.md", "LICENSE"):
            target = copy / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / name, target)
    build = "import sys; from setuptools.build_meta import build_wheel; print(build_wheel(sys.argv[1]))"
    output = tmp_path_factory.mktemp("wheel")
    done = subprocess.run([sys.executable, "-c", build, str(output)], cwd=copy, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return next(output.glob("*.whl"))


def installed_name(name: str) -> str:
    """Where a file of the four folders lies in the wheel."""
    if name.startswith("engine/facade/"):
        return "tollens/" + name.removeprefix("engine/facade/")
    return "tollens/" + name


def test_wheel_holds_every_file_of_the_packages_and_nothing_else(wheel: Path, files: list[str]) -> None:
    with zipfile.ZipFile(wheel) as archive:
        inside = {name for name in archive.namelist() if ".dist-info/" not in name}
    kept = (".py", ".yaml", ".json", "py.typed")
    expected = {installed_name(name) for name in files if name.split("/")[0] in FOLDERS and name.endswith(kept)}
    expected |= {"tollens/" + name for name in files if name.startswith("docs/") and name.endswith(".md") and name.count("/") == 1}
    assert sorted(inside) == sorted(expected)
    assert {"tollens/py.typed", "tollens/facts/kinds.json"} <= inside
    assert any(name.startswith("tollens/rules/") and name.endswith("pack.yaml") for name in inside)


def test_wheel_names_its_licence_and_page(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        text = archive.read(next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))).decode()
        assert any(name.endswith(".dist-info/licenses/LICENSE") for name in archive.namelist())
    assert "License-Expression: MIT" in text
    assert "# Tollens" in text


def test_wheel_works_in_a_clean_environment(wheel: Path, tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    python = venv / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    # The libraries come from the environment of the tests; its editable install does not (a path in a .pth file is not a site folder).
    scheme = sysconfig.get_paths()
    site = next(venv.glob("lib/python*/site-packages"))
    (site / "libraries.pth").write_text(f"{scheme['purelib']}\n{scheme['platlib']}\n", encoding="utf-8")
    where = "import tollens, tollens.facts, tollens.engine; print(tollens.__file__); print(tollens.facts.__file__)"
    output = subprocess.run([str(python), "-c", where], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert all(line.startswith(str(venv)) for line in output.splitlines())
    for command in ([str(python), "-m", "tollens", "--version"], [str(venv / "bin" / "tollens"), "--version"]):
        done = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True)
        assert (done.returncode, done.stdout.split()[:1]) == (0, ["tollens"]), done.stderr
    # An error names a page as a command, and the command shows it.
    tollens = str(venv / "bin" / "tollens")
    refused = subprocess.run([tollens, "diagnose", "--rules", "."], cwd=tmp_path, check=False, capture_output=True, text=True, input="")
    assert (refused.returncode, "`tollens docs language#packs`" in refused.stderr) == (2, True), refused.stderr
    page = subprocess.run([tollens, "docs", "language#packs"], cwd=tmp_path, check=False, capture_output=True, text=True)
    assert (page.returncode, page.stdout.splitlines()[:1]) == (0, ["## Packs"]), page.stderr
