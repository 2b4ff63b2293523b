"""Why: the acceptance tests diagnose each labelled signal once, in this process, and compare it with its label by rules of their own."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tollens.engine.diagnosis.driver import Diagnosed, Options, diagnose
from tollens.engine.diagnosis.packs import rulebook
from tollens.engine.session.choose import choose


class Labelled(NamedTuple):
    """A diagnosed signal beside its label."""

    name: str
    label: dict[str, Any]
    done: Diagnosed

    @property
    def result(self) -> dict[str, Any]:
        return self.done.result


@cache
def _diagnosed(folder: Path) -> tuple[Labelled, ...]:
    book, evaluator = rulebook(cached=False), choose("reference")[0]
    return tuple(
        Labelled(
            case.name,
            json.loads((case / "label.json").read_text(encoding="utf-8")),
            diagnose((case / "signal.txt").read_bytes(), book, evaluator, Options(source="signal.txt")),
        )
        for case in sorted(folder.iterdir())
        if (case / "label.json").is_file()
    )


@pytest.fixture(scope="session")
def diagnosed(corpus: Path) -> Callable[[str], tuple[Labelled, ...]]:
    """`diagnosed("bugs")`: all signals of a folder of the corpus."""
    return lambda folder: _diagnosed(corpus / folder)
