"""Why: tests of the loader write small packs; a mark in their text says where an error must point."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from tollens.engine.errors import PackError
from tollens.engine.rulebook.load import check_packs, load
from tollens.engine.rulebook.measures import MeasureSignature
from tollens.engine.rulebook.syntax import Place, Rulebook
from tollens.facts.kind import Field, Kind, KindTable

MARK = "@@"

PACK = """\
name: mine
version: 1.0.0
language: 1
stages: [early, main, late]
kinds:
  good:
    fields:
      frame: {ref: stack_frame}
      depth: int
      score: number?
      severity: {enum: [note, warning, error], ordered: true, optional: true}
      label: text?
      names: {list: text, optional: true}
    key: [frame]
  helper: {fields: {frame: {ref: stack_frame}}}
  pair: {fields: {left: {ref: stack_frame}, right: {ref: stack_frame}, far: {ref: signal, optional: true}}}
  judged: {verdict: true, fields: {frame: {ref: stack_frame}}}
  shut: {closes: early, fields: {frame: {ref: stack_frame}}}
  row: {key: [name], fields: {name: text, value: number}}
tables:
  similar: {value: 0.85, reason: "the knee of the curve"}
  deep: {value: 3, reason: "what fits on a screen"}
  words: {value: [alpha, beta], reason: "the words"}
  word: {value: alpha, reason: "the word"}
"""


def base_kinds() -> KindTable:
    """Two kinds that parsers would assert, with a field of every type."""
    frame = (
        Field("signal", "ref", False, ("signal",)),
        Field("depth", "int"),
        Field("file", "text"),
        Field("line", "int", True),
        Field("function", "text", True),
        Field("library", "bool"),
        Field("score", "number"),
        Field("severity", "enum", False, ("note", "warning", "error"), True),
        Field("tag", "enum", False, ("red", "blue")),
        Field("names", "list"),
    )
    signal = (Field("number", "int"), Field("type", "enum", False, ("test", "exception")), Field("message", "text", True))
    return KindTable(
        [
            Kind("signal", signal, key=("number",)),
            Kind("stack_frame", frame, key=("signal", "depth")),
            Kind("project_root", [Field("path", "text")]),
        ]
    )


def measures() -> dict[str, MeasureSignature]:
    """One measure with an option of its own and one that may be left out."""
    options = (Field("least", "number"), Field("mode", "enum", True, ("fast", "exact")))
    return {"distance": MeasureSignature("distance", lambda rows, given: (), options)}


class Bench(NamedTuple):
    """Writes packs below a folder and loads or checks them."""

    root: Path

    def pack(self, files: Mapping[str, str | bytes], name: str = "p") -> Path:
        """A pack folder with these files; `pack.yaml` is the standard one unless given."""
        folder = self.root / name
        folder.mkdir(exist_ok=True)
        for path, content in {"pack.yaml": PACK, **files}.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.encode() if isinstance(content, str) else content)
        return folder

    def load(self, *user: Path, builtin: tuple[Path, ...] = (), cache_dir: Path | None = None) -> Rulebook:
        """The rulebook of these packs over the standard kinds."""
        return load(builtin, user, base_kinds(), measures(), cache_dir=cache_dir)

    def check(self, *user: Path, builtin: tuple[Path, ...] = ()) -> list[PackError]:
        """The errors of these packs."""
        return check_packs(builtin, user, base_kinds(), measures())

    def rules(self, text: str) -> Rulebook:
        """The rulebook of one file beside the standard pack.yaml."""
        return self.load(self.pack({"rules.yaml": text}))

    def only_error(self, text: str, file: str = "rules.yaml") -> tuple[PackError, Place]:
        """The single error of a marked file, and the place of the mark."""
        clean, place = unmarked(text, str(self.root / "p" / file))
        errors = self.check(self.pack({file: clean}))
        assert len(errors) == 1, "\n".join(map(str, errors)) or "no error"
        return errors[0], place


def unmarked(text: str, file: str) -> tuple[str, Place]:
    """The text without its mark, and where the mark stood."""
    before, found, after = text.partition(MARK)
    assert found, "the text has no mark"
    assert MARK not in after, "the text has two marks"
    return before + after, Place(file, before.count("\n") + 1, len(before) - before.rfind("\n"))


@pytest.fixture(scope="session")
def parts() -> tuple[str, KindTable, dict[str, MeasureSignature]]:
    """The standard pack.yaml, the base kinds and the measures, for tests that compile from memory."""
    return PACK, base_kinds(), measures()


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A folder to write packs in."""
    return Bench(tmp_path)


@pytest.fixture
def one_rule() -> Callable[..., str]:
    """The text of a file with one rule of these parts, each indented below its key."""

    def text(when: str = "", then: str = "", **parts: str) -> str:
        lines = ["stage: main", "rules:", "  - id: r"]
        chosen = {"when": when or "- stack_frame: {as: f}", **parts, "then": then or "- helper: {frame: $f}"}
        for name, body in chosen.items():
            lines += [f"    {name.rstrip('_')}:", *("      " + line for line in body.splitlines())]
        return "\n".join(lines) + "\n"

    return text
