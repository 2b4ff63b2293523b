"""Why: pack.yaml says who a pack is and what its rules may name; it is read before any rule."""

from __future__ import annotations

import re
from typing import NamedTuple

from tollens.engine.rulebook.build.kinds import Declared, build_kinds
from tollens.engine.rulebook.build.scope import Raw, Table, constant_value
from tollens.engine.rulebook.build.stages import Mention, build_mentions
from tollens.engine.rulebook.source.nodes import Map, Node, Scalar, Seq
from tollens.engine.rulebook.source.problems import Problems, fault
from tollens.engine.rulebook.source.shapes import check_keys, need, one_of, texts, want_id, want_list, want_map, want_name, want_text, what
from tollens.engine.rulebook.source.snapshot import LANGUAGE
from tollens.engine.rulebook.syntax import Place

KEYS = ("name", "version", "language", "says", "stages", "kinds", "tables", "disable", "findings")
#: What a pack may say about a finding of `tollens rules check`; which findings there are is not the loader's to know.
FINDING_LEVELS = ("off", "warn", "error")
_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+!_-]{0,63}", re.ASCII)


class Disable(NamedTuple):
    """A rule that a pack switches off."""

    id: str
    reason: str
    place: Place
    pack: str


class PackFile(NamedTuple):
    """What a pack.yaml says."""

    name: str
    version: str
    stages: tuple[Mention, ...]
    kinds: tuple[Declared, ...]
    broken: tuple[str, ...]
    tables: tuple[Table, ...]
    disable: tuple[Disable, ...]
    place: Place


def pack_name(document: Map) -> str:
    """The name of the pack."""
    return want_id(need(document, "name", "pack.yaml", "packs"), "the name of a pack")


def build_pack_file(document: Map, name: str, problems: Problems) -> PackFile:
    """The parts of a pack.yaml; faults go to the problems."""
    check_keys(document, KEYS, "pack.yaml", problems, "packs")
    version = ""
    with problems.catch():
        version = _version(need(document, "version", "pack.yaml", "packs"))
    with problems.catch():
        _language(need(document, "language", "pack.yaml", "packs"))
    stages: list[Mention] = []
    kinds: list[Declared] = []
    broken: list[str] = []
    tables: list[Table] = []
    disable: list[Disable] = []
    for key, value in document.entries:
        with problems.catch():
            if key.text == "stages":
                stages = build_mentions(value, problems)
            elif key.text == "kinds":
                kinds, broken = build_kinds(value, name, problems)
            elif key.text == "tables":
                tables = _tables(value, name, problems)
            elif key.text == "disable":
                disable = _disable(value, name, problems)
            elif key.text == "findings":
                _findings(value, problems)
            elif key.text == "says":
                want_text(value, "`says`")
    return PackFile(name, version, tuple(stages), tuple(kinds), tuple(broken), tuple(tables), tuple(disable), document.place)


def _version(node: Node) -> str:
    text = node.text if isinstance(node, Scalar) else ""
    if _VERSION.fullmatch(text):
        return text
    raise fault(node.place, f"`version` cannot be {what(node)}", expected="a version such as 1.0.0", next_step="write `version: 1.0.0`")


def _language(node: Node) -> None:
    if isinstance(node, Scalar) and type(node.value) is int and node.value == LANGUAGE:
        return
    raise fault(
        node.place,
        f"this engine reads language {LANGUAGE}, not {what(node)}",
        expected=f"language: {LANGUAGE}",
        next_step=f"write `language: {LANGUAGE}`, or use a version of the engine that reads the pack",
    )


def _tables(node: Node, pack: str, problems: Problems) -> list[Table]:
    tables: list[Table] = []
    for key, body in want_map(node, "`tables`", "`NAME: {value: ..., reason: ...}`", "packs").entries:
        with problems.catch():
            name = want_name(key, "the name of a table entry")
            entry = want_map(body, f"the table entry {name}", "`{value: ..., reason: ...}`", "packs")
            check_keys(entry, ("value", "reason"), "a table entry", problems, "packs")
            want_text(need(entry, "reason", "a table entry", "packs"), "`reason`", "why the value is what it is")
            tables.append(Table(name, _raw(need(entry, "value", "a table entry", "packs")), key.place, pack))
    return tables


def _raw(node: Node) -> Raw:
    if isinstance(node, Seq):
        return tuple(want_text(item, "an item of a table entry") for item in node.items)
    if not isinstance(node, Scalar) or node.value is None:
        raise fault(
            node.place, f"the value of a table entry cannot be {what(node)}", expected="a text, number, truth value or list of texts"
        )
    constant_value(node.value, node.place)
    return node.value


def _disable(node: Node, pack: str, problems: Problems) -> list[Disable]:
    entries: list[Disable] = []
    for item in want_list(node, "`disable`", "a list of `{id: ID, reason: TEXT}`", "packs").items:
        with problems.catch():
            entry = want_map(item, "an item of `disable`", "`{id: ID, reason: TEXT}`", "packs")
            check_keys(entry, ("id", "reason"), "an item of `disable`", problems, "packs")
            named = need(entry, "id", "an item of `disable`", "packs")
            reason = want_text(need(entry, "reason", "an item of `disable`", "packs"), "`reason`")
            entries.append(Disable(want_id(named, "the id of the rule"), reason, named.place, pack))
    return entries


_FINDING = "`NAME: LEVEL`, or `NAME: {level: LEVEL, reason: TEXT, only: [ID, ...]}`, or a list of these mappings"


def _findings(node: Node, problems: Problems) -> None:
    """The form of `findings`: they decide nothing, so a rulebook does not hold them; what is switched off needs a reason."""
    for key, value in want_map(node, "`findings`", _FINDING, "packs").entries:
        with problems.catch():
            want_id(key, "the name of a finding")
            for item in value.items if isinstance(value, Seq) else (value,):
                entry = item if isinstance(item, Map) else None
                if entry is not None:
                    check_keys(entry, ("level", "reason", "only"), "the setting of a finding", problems, "packs")
                    if (only := entry.get("only")) is not None:
                        texts(only, "`only`")
                level = need(entry, "level", "the setting of a finding", "packs") if entry is not None else item
                chosen = one_of(level, FINDING_LEVELS, f"the finding {key.text}", "packs")
                if entry is not None:
                    want_text(need(entry, "reason", "the setting of a finding", "packs"), "`reason`")
                elif chosen == "off":
                    raise fault(
                        item.place,
                        f"the finding {key.text} is switched off without a reason",
                        expected="`{level: off, reason: TEXT}`",
                        next_step=f"write `{key.text}: {{level: off, reason: ...}}`",
                    )
