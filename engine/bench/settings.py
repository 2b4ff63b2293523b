"""Why: whoever writes a pack says in it which findings do not hold for it, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tollens.engine.rulebook.build.packfile import FINDING_LEVELS
from tollens.engine.rulebook.source.nodes import Map, Scalar, Seq, read_documents
from tollens.engine.rulebook.source.problems import Problems
from tollens.engine.rulebook.source.snapshot import PACK_FILE, Snapshot
from tollens.engine.rulebook.syntax import Place

LEVELS = FINDING_LEVELS
OFF = "off"


class Setting(NamedTuple):
    """One entry of `findings` in a pack.yaml: `only` are the ids that it is about (all, where empty)."""

    name: str
    level: str
    reason: str
    only: tuple[str, ...]
    place: Place


def settings_of(snapshot: Snapshot, name: str) -> tuple[Setting, ...]:
    """The settings of a pack that loads; places carry `NAME/pack.yaml`."""
    data = next(file.data for file in snapshot.files if file.path == PACK_FILE)
    head = read_documents(data, f"{name}/{PACK_FILE}", Problems())[0]
    node = head.get("findings")
    found: list[Setting] = []
    for key, value in node.entries if isinstance(node, Map) else ():
        for item in value.items if isinstance(value, Seq) else (value,):
            if isinstance(item, Map):
                only = item.get("only")
                ids = tuple([part.text for part in only.items if isinstance(part, Scalar)]) if isinstance(only, Seq) else ()
                found.append(Setting(key.text, _text(item, "level"), _text(item, "reason"), ids, key.place))
            elif isinstance(item, Scalar):
                found.append(Setting(key.text, item.text, "", (), key.place))
    return tuple(found)


def setting_for(settings: Sequence[Setting], name: str, about: str) -> Setting | None:
    """The setting for a check and what it is about: one that names it, else one for all."""
    mine = [setting for setting in settings if setting.name == name]
    return next((one for one in mine if about in one.only), None) or next((one for one in mine if not one.only), None)


def _text(node: Map, name: str) -> str:
    value = node.get(name)
    return value.text if isinstance(value, Scalar) else ""
