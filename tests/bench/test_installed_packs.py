"""Why: a pack that is shipped as a Python package must work once it is named, and must decide nothing before."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tollens.engine.bench.installed import find_pack
from tollens.engine.errors import InputError

PYPROJECT = """\
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "shop-rules"
version = "1.0.0"
[project.entry-points."tollens.packs"]
shop = "shop_rules"
inner = "shop_more:inner"
gone = "no_such_package_here"
[tool.setuptools]
packages = ["shop_rules", "shop_more", "shop_more.inner"]
[tool.setuptools.package-data]
"*" = ["*.yaml"]
"""

RULES = "stage: grounds\nrules:\n  - {id: shop.ask, says: s, when: [primary: {as: p}], then: [question: {text: sold out?}]}\n"
SIGNAL = 'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    g()\nValueError: x\n'


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a tiny package with two packs is installed, built without a network."""
    source = tmp_path_factory.mktemp("shop")
    (source / "pyproject.toml").write_text(PYPROJECT, encoding="utf-8")
    for folder, name, rules in (("shop_rules", "shop", RULES), ("shop_more/inner", "inner", RULES.replace("shop.ask", "inner.ask"))):
        (source / folder).mkdir(parents=True)
        for package in (folder, folder.partition("/")[0]):
            (source / package / "__init__.py").write_text("raise RuntimeError('no code of a pack is run')\n", encoding="utf-8")
        (source / folder / "pack.yaml").write_text(f"name: {name}\nversion: 1.0.0\nlanguage: 1\n", encoding="utf-8")
        (source / folder / "rules.yaml").write_text(rules, encoding="utf-8")
    build = "import sys; from setuptools.build_meta import build_wheel; print(build_wheel(sys.argv[1]))"
    done = subprocess.run([sys.executable, "-c", build, str(source)], cwd=source, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    target = tmp_path_factory.mktemp("site")
    wheel = next(source.glob("*.whl"))
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(target), str(wheel)]
    subprocess.run(command, check=True, capture_output=True)
    return target


@pytest.fixture
def shopper(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tollens: Callable[..., Any]) -> Callable[..., Any]:
    """The command in an environment that has the package."""
    monkeypatch.setenv("PYTHONPATH", f"{site}{os.pathsep}{os.environ.get('PYTHONPATH', '')}".rstrip(os.pathsep))
    (tmp_path / "log.txt").write_text(SIGNAL, encoding="utf-8")
    return tollens


def test_an_installed_pack_decides_only_when_it_is_named(shopper: Callable[..., Any], tmp_path: Path) -> None:
    assert "sold out?" not in shopper("diagnose", "--no-save", "log.txt", "--format", "json").stdout
    done = shopper("diagnose", "--no-save", "log.txt", "--format", "json", "--pack", "shop")
    assert "sold out?" in done.stdout, done.stderr
    (tmp_path / "pyproject.toml").write_text('[tool.tollens]\npacks = ["shop", "inner"]\n', encoding="utf-8")
    done = shopper("diagnose", "--no-save", "log.txt", "--format", "json")
    assert '"name": "diagnosis+shop+inner"' in done.stdout, done.stderr
    done = shopper("rules", "check", "--pack", "shop", "--findings", "all=off")
    assert done.stdout == "the built-in packs and 1 pack of yours: no errors\n"


def test_what_is_not_there_is_one_error_that_names_what_is(shopper: Callable[..., Any], tmp_path: Path) -> None:
    done = shopper("diagnose", "log.txt", "--pack", "shpo")
    assert done.returncode == 2
    assert "choices: gone, inner, shop" in done.stderr
    assert "nearest: shop" in done.stderr
    done = shopper("diagnose", "log.txt", "--pack", "gone")
    assert done.returncode == 2
    assert "names the package no_such_package_here, which is not there" in done.stderr
    (tmp_path / "pyproject.toml").write_text("[tool.tollens]\npacks = [1]\n", encoding="utf-8")
    assert "packs must be a list" in shopper("diagnose", "log.txt").stderr


def test_without_packages_the_error_says_what_would_be_one() -> None:
    with pytest.raises(InputError, match=r"entry point of the group tollens\.packs"):
        find_pack("no-such-pack")
