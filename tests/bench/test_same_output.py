"""Why: what is committed or compared in CI must be the same bytes whatever the hash seed of the process is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

RULES = """\
stage: one
rules:
  - {id: opens, when: [signal: {as: s, message: {starts: ab}}], then: [state: {signal: $s, open: true}]}
  - {id: shuts, when: [signal: {as: s, number: 7}], unless: [belongs: {signal: $s}], then: [state: {signal: $s, open: false}]}
"""
HEAD = "stages: [one]\nkinds:\n  state: {verdict: true, key: [signal], fields: {signal: {ref: signal}, open: bool}}\n"


def test_commands_say_the_same_under_any_hash_seed(
    tollens: Callable[..., Any], write: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(HEAD, rules=RULES)
    said = []
    for seed in ("0", "1", "77"):
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        lines = [
            tollens("rules", *words).stdout
            for words in (("check", folder), ("witness", "opens", "shuts", "--rules", folder), ("graph", folder))
        ]
        assert all(lines)
        tollens("rules", "docs", folder, "--out", "pages")
        pages = sorted((tmp_path / "pages").rglob("*.md"))
        said.append((*lines, *[page.read_text(encoding="utf-8") for page in pages]))
    assert said[0] == said[1] == said[2]
    assert "[rules-disagree]" in said[0][0]
