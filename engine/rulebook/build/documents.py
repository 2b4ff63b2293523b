"""Why: a rule file is a list of documents; here each becomes its entries, in the order written."""

from __future__ import annotations

from collections.abc import Callable

from tollens.engine.rulebook.build.entries import Item, Site
from tollens.engine.rulebook.build.operators import build_elect, build_group, build_take
from tollens.engine.rulebook.build.readings import build_measure, build_redaction, build_row, build_text_pattern
from tollens.engine.rulebook.build.rules import build_rule
from tollens.engine.rulebook.build.scope import World
from tollens.engine.rulebook.source.nodes import Map, Node
from tollens.engine.rulebook.source.problems import fault, unknown
from tollens.engine.rulebook.source.shapes import check_keys, want_list, want_map, want_name
from tollens.engine.rulebook.syntax import Row

BUILDERS: dict[str, Callable[[Map, Site], Item]] = {
    "rules": build_rule,
    "elect": build_elect,
    "take": build_take,
    "group": build_group,
    "patterns": build_text_pattern,
    "measures": build_measure,
}
STAGELESS: dict[str, Callable[[Map, Site], Item]] = {"redactions": build_redaction}
KEYS = ("stage", *BUILDERS, *STAGELESS, "facts")


def build_document(document: Map, pack: str, world: World) -> tuple[list[Item], list[Row]]:
    """The entries and rows of one document; faults go to the world's problems."""
    entries: list[Item] = []
    rows: list[Row] = []
    problems = world.problems
    check_keys(document, KEYS, "a rule file", problems)
    site = Site(pack, _stage(document, world), world)
    for key, value in document.entries:
        with problems.catch():
            if key.text == "facts":
                for item in want_list(value, "`facts`", "a list of `KIND: {FIELD: CONSTANT}`", "facts-in-a-pack").items:
                    with problems.catch():
                        rows.append(build_row(item, site))
            elif key.text in BUILDERS or key.text in STAGELESS:
                build = BUILDERS.get(key.text) or STAGELESS[key.text]
                for item in want_list(value, f"`{key.text}`", "a list of entries with an `id`").items:
                    with problems.catch():
                        entries.append(build(_entry(item, key.text), site))
    return entries, rows


def _entry(item: Node, section: str) -> Map:
    return want_map(item, f"an entry of `{section}`", "a mapping with an `id`")


def _stage(document: Map, world: World) -> str:
    node = document.get("stage")
    if node is None:
        if any(key.text in BUILDERS for key, _ in document.entries):
            world.problems.add(
                fault(
                    document.place,
                    "this document names no stage",
                    expected="`stage: NAME`",
                    choices=world.stages,
                    next_step="add `stage: NAME`",
                )
            )
        return ""
    with world.problems.catch():
        name = want_name(node, "`stage`")
        if name in world.stages:
            return name
        raise unknown(node.place, f"there is no stage {name!r:.60}", name, world.stages, "a stage of a pack", "packs")
    return ""
