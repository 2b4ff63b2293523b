"""The recorded signals are of one pytest; this runs the one that is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def run(project: Path, target: Path, *arguments: str) -> bytes:
    shutil.copytree(project, target, ignore=shutil.ignore_patterns("__pycache__"))
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_ADDOPTS": ""}
    environment = {name: value for name, value in environment.items() if not name.startswith(("COV_", "PYTEST_XDIST"))}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=target, env=environment, capture_output=True, timeout=120, check=False).stdout


@pytest.mark.parametrize("style", ["auto", "long", "short", "native", "line"])
@pytest.mark.parametrize("color", ["yes", "no"])
def test_the_installed_pytest(root: Path, tmp_path: Path, reading: Callable[..., Any], style: str, color: str) -> None:
    output = run(root / "fixtures" / "projects" / "shopping", tmp_path / "shopping", f"--tb={style}", f"--color={color}")
    facts = reading(output)
    classes = [name for record, name in facts.signals() if record != "test"]
    assert classes == ["AttributeError", "KeyError", "shop.settings.SettingsError", "AssertionError"]
    assert facts.rows("test_run", "passed", "failed") == [(2, 3)]
    assert facts.rows("comparison", "left", "operator", "right") == [("8100", "==", "9000")]
    assert facts.rows("truncated", "reason") == []
    deepest = [row for row in facts.rows("stack_frame", "file", "line") if row[0].endswith("pricing.py")][-1]
    assert deepest[1] == 10
    if style != "line":
        assert [name for (name,) in facts.rows("test_case", "node_id")] == [
            "tests/test_checkout.py::test_sku_in_capitals",
            "tests/test_checkout.py::test_shipping_to_an_island",
            "tests/test_invoice.py::test_members_save_ten_percent",
        ]


def test_every_failure_in_the_summary_has_a_block(root: Path, tmp_path: Path, reading: Callable[..., Any]) -> None:
    facts = reading(run(root / "fixtures" / "projects" / "outcomes", tmp_path / "outcomes", "test_outcomes.py"))
    listed = sorted(node for word, node in facts.rows("summary_line", "word", "node_id") if word in ("FAILED", "ERROR"))
    assert sorted(node for (node,) in facts.rows("test_case", "node_id")) == listed
    assert len(listed) == 20
