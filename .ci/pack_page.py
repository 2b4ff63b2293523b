"""Why: whoever writes rules needs one page of what they can hang on; it is made from the pack, so that it cannot be out of date."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import yaml

from tollens.engine.diagnosis.packs import BUILTIN, rulebook
from tollens.engine.rulebook.syntax import Rulebook
from tollens.facts.kind import Field, Kind

PAGE = Path(__file__).resolve().parent.parent / "docs" / "diagnosis-pack.md"
ENGINE = ("match", "match_group", "passed_over", "tied")

HEAD = """\
# The diagnosis pack

What rules of yours can hang on: the stages, the kinds of fact and the tables of the built-in pack `diagnosis`. Each rule has [a page of
its own](rules/README.md).
This page is made by `make pages`.

## Names with a meaning

- A pattern over `stack_frame.file` whose id begins with `library.` makes the frames that it matches library code: `membership.library`
  reads the matches. A pattern with any other
  id needs a rule of yours that reads its `match` facts.
- A pattern over `signal.message` that is named by a row of `class_by_message` speaks for that row's class; a row of `class_by_name`
  gives an exception's class (without its module) a failure class.
  Lower ranks are stronger.
- A pattern over `signal.message` whose id begins with `values.` and that has the groups `actual` and `expected` says what was found and
  what was expected.
- A row with the key of a built-in row takes its place; so does a table entry.
"""


def page() -> str:
    """The page as the shipped pack makes it."""
    book, text = rulebook(cached=False), (BUILTIN[0] / "pack.yaml").read_text(encoding="utf-8")
    parts = [HEAD, *_stages(book, text), "", *_tables(text)]
    kinds = sorted(book.kinds, key=lambda kind: kind.name)
    stated = [kind for kind in kinds if not kind.verdict and kind.name not in ENGINE]
    parts += _kinds("Facts that parsers and callers state", [kind for kind in stated if kind.origin == "facts"])
    parts += _kinds("Facts of the engine", [kind for kind in kinds if kind.name in ENGINE])
    parts += _kinds("Table rows and helpers of the pack", [kind for kind in stated if kind.origin != "facts"])
    parts += _kinds("Verdicts", [kind for kind in kinds if kind.verdict])
    return "\n".join(parts) + "\n"


def _stages(book: Rulebook, text: str) -> Iterator[str]:
    notes = dict(re.findall(r"^  - (\w+) # (.*)$", text, re.MULTILINE))
    yield "## Stages, in order\n\n| stage | decides |\n|---|---|"
    for stage in book.stages:
        yield f"| `{stage.name}` | {notes[stage.name]} |"
    entries = [entry for stage in book.stages for part in (stage.elects, stage.takes, stage.groups, stage.rules) for entry in part]
    sealed = ", ".join([f"`{entry.meta.id}`" for entry in entries if entry.meta.sealed])
    yield f"\nSealed, so that no pack can replace or disable them: {sealed}, and all redactions."


def _tables(text: str) -> Iterator[str]:
    yield "## Tables\n\n| table | value | reason |\n|---|---|---|"
    for name, entry in yaml.safe_load(text)["tables"].items():
        yield f"| `{name}` | {entry['value']} | {entry['reason']} |"


def _kinds(title: str, kinds: list[Kind]) -> Iterator[str]:
    yield f"\n## {title}\n\n| kind | is | fields |\n|---|---|---|"
    for kind in kinds:
        fields = ", ".join([_field(field) for field in kind.fields])
        yield f"| `{kind.name}` | {kind.doc} | {fields} |".replace("||", "|")


def _field(field: Field) -> str:
    shown = field.type
    if field.type == "enum":
        shown = " ".join([f"`{choice}`" for choice in field.choices])
    elif field.type == "ref":
        shown = " or ".join([f"a `{choice}`" for choice in field.choices]) or "any fact"
    return f"`{field.name}` ({shown}{', optional' if field.optional else ''})"


def main() -> int:
    """Write the page; with --check only compare, and exit with 2 where it is out of date."""
    made = page()
    if "--check" in sys.argv:
        return 0 if PAGE.read_text(encoding="utf-8") == made else 2
    PAGE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
