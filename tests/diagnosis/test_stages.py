"""Each stage of the pipeline alone, in a process in which nothing that could reach a model or a network can be imported."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tollens.engine.diagnosis.driver import Diagnosed
from tollens.engine.diagnosis.packs import rulebook
from tollens.engine.diagnosis.stages import STAGES, run_to, stage_view
from tollens.engine.errors import InputError
from tollens.engine.session.reference import Reference

Run = Callable[..., Diagnosed]
Signal = Callable[[str], bytes]
BOOK = rulebook(cached=False)

ALONE = """\
import json, sys

REFUSED = {"socket", "_socket", "ssl", "_ssl", "http", "urllib.request", "asyncio", "smtplib", "ftplib", "requests", "httpx", "aiohttp",
           "openai", "google", "litellm", "transformers", "torch", "llama_cpp", "tollens.engine.learned"}

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name in REFUSED or name.partition(".")[0] in REFUSED:
            raise AssertionError(f"{name} was asked for: no stage may reach a model or a network")

sys.meta_path.insert(0, Refuse())
from tollens.engine.diagnosis.packs import rulebook
from tollens.engine.diagnosis.stages import stage_view
from tollens.engine.session.choose import choose

CALL
print(json.dumps(stage_view(sys.argv[1], sys.stdin.buffer.read(), rulebook(cached=False), choose("auto")[0])))
"""


def alone(stage: str, data: bytes, call: str = "") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-c", ALONE.replace("CALL", call), stage], input=data, capture_output=True, check=False)


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_alone_gives_what_the_whole_gives(run: Run, signal: Signal, stage: str) -> None:
    data = signal("shopping-long")
    whole = run(data).result
    done = alone(stage, data)
    assert done.returncode == 0, done.stderr.decode()
    view: dict[str, Any] = json.loads(done.stdout)
    assert tuple(view) == STAGES[stage][1]
    assert all(view.values()) or stage == "parse"
    for name, value in view.items():
        if name == "records":
            # Which of the printed sides is the actual one is for the triage to say.
            assert value == [{**row, "actual": None, "expected": None} for row in whole[name]]
        elif name != "classification":
            assert value == whole[name], name
    if stage == "classify":
        assert view["classification"]["failure_class"] == whole["classification"]["failure_class"]
        assert view["classification"]["classification_basis"] == whole["classification"]["classification_basis"]


@pytest.mark.parametrize("name", ["socket", "urllib.request", "openai"])
def test_a_stage_that_reached_out_would_fail(signal: Signal, name: str) -> None:
    done = alone("parse", signal("shopping-long"), f"import {name}")
    assert done.returncode != 0
    assert b"was asked for" in done.stderr


def test_nothing_of_a_later_stage_is_there(signal: Signal) -> None:
    data = signal("shopping-long")
    kinds = {"parse": "classified", "classify": "pin", "triage": "evidence", "normalize": "diagnosis"}
    for stage, later in kinds.items():
        assert run_to(stage, data, BOOK, Reference()).store.facts(later) == ()
        assert run_to("assemble", data, BOOK, Reference()).store.facts(later)


def test_a_stage_that_is_none(signal: Signal) -> None:
    with pytest.raises(InputError, match="no stage"):
        stage_view("guess", signal("shopping-long"), BOOK, Reference())


@pytest.mark.parametrize("data", [b"", b"\x00" * 100, b"all quiet\n"])
@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_of_nothing(stage: str, data: bytes) -> None:
    view = stage_view(stage, data, BOOK, Reference())
    assert not any(value for name, value in view.items() if name not in ("outcome", "evidence_pack_id"))


def test_the_stages_follow_each_other_in_the_pack() -> None:
    names = [stage.name for stage in BOOK.stages]
    ends = [names.index(end) for end, _ in STAGES.values()]
    assert ends == sorted(ends)
    assert ends[-1] == len(names) - 1


def test_the_folder_of_the_product_has_no_client_yet() -> None:
    """The one learned entry of the pipeline is empty, which is a correct state: nothing in the engine imports a network module."""
    root = Path(__file__).resolve().parents[2] / "engine"
    words = ("import socket", "import ssl", "import http", "urllib.request", "import requests", "import httpx")
    found = [
        str(path.name)
        for path in root.rglob("*.py")
        for line in path.read_text(encoding="utf-8").split("\n")
        if line.strip().startswith(words)
    ]
    assert found == []
