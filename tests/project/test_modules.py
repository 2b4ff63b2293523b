"""Why: a module that only imports after another one, or that warns, breaks for whoever imports it first."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

# One process forks a child per module: each import starts from an interpreter that has loaded nothing of the project.
SCRIPT = """
import importlib, json, os, sys, traceback
failed = {}
for name in json.load(sys.stdin):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            importlib.import_module(name)
            os._exit(0)
        except BaseException:
            os.write(writer, traceback.format_exc(limit=-2).encode()[:60000])
            os._exit(1)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        text = pipe.read().decode()
    if os.waitpid(child, 0)[1]:
        failed[name] = text
json.dump(failed, sys.stdout)
"""


def alone(names: list[str], folder: Path) -> dict[str, str]:
    """Name to traceback of the modules that do not import on their own, with warnings as errors."""
    command = [sys.executable, "-W", "error", "-c", SCRIPT]
    done = subprocess.run(command, input=json.dumps(names), cwd=folder, check=True, capture_output=True, text=True)
    result: dict[str, str] = json.loads(done.stdout)
    return result


@pytest.mark.smoke
def test_every_module_imports_alone(modules: dict[str, str], tmp_path: Path) -> None:
    optional = {"tollens.engine.session.durable"} if not engine_present() else set()
    failed = alone([name for name in modules if not any(name.startswith(one) for one in optional)], tmp_path)
    assert failed == {}, "\n".join(f"{name}: {text}" for name, text in failed.items())


def test_the_check_sees_a_module_that_fails(tmp_path: Path) -> None:
    assert list(alone(["tollens", "tollens.engine.no_such_module"], tmp_path)) == ["tollens.engine.no_such_module"]


def engine_present() -> bool:
    """Whether durable_rules can be imported here."""
    return subprocess.run([sys.executable, "-c", "import durable_rules_engine"], check=False, capture_output=True).returncode == 0
