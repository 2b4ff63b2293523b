"""Why: snapshots of packs become one checked rulebook, or all that is wrong with them; nothing here reads a disk."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tollens.engine.rulebook.build.documents import build_document
from tollens.engine.rulebook.build.entries import Entry, Item
from tollens.engine.rulebook.build.packfile import PackFile, build_pack_file, pack_name
from tollens.engine.rulebook.build.scope import World, constant_value
from tollens.engine.rulebook.build.stages import order_stages
from tollens.engine.rulebook.builtin import ENGINE_KINDS
from tollens.engine.rulebook.measures import MeasureSignature
from tollens.engine.rulebook.source.nodes import Map, read_documents
from tollens.engine.rulebook.source.problems import Problems, fault, unknown
from tollens.engine.rulebook.source.snapshot import LANGUAGE, PACK_FILE, Snapshot
from tollens.engine.rulebook.syntax import Elect, Group, Measure, PackInfo, Place, Redaction, Row, Rule, Rulebook, Stage, Take, TextPattern
from tollens.engine.rulebook.whole.compose import Composition, Layer, compose_tables
from tollens.engine.rulebook.whole.strata import check_strata
from tollens.facts.kind import KindTable
from tollens.facts.values import byte_digest


class Source(NamedTuple):
    """A pack as it was read; `user` is false for built-in packs."""

    snapshot: Snapshot
    user: bool


class _Pack(NamedTuple):
    file: PackFile
    user: bool
    digest: str
    documents: tuple[Map, ...]


def compile_packs(sources: Sequence[Source], base: KindTable, measures: Mapping[str, MeasureSignature], problems: Problems) -> Rulebook:
    """The rulebook of these packs. It is of use only when `problems` stays empty."""
    packs: list[_Pack] = []
    for source in sources:
        with problems.catch():
            packs.append(_open(source, [pack.file for pack in packs], problems))
    mentions = [mention for pack in packs for mention in pack.file.stages]
    stages = order_stages(mentions, problems)
    kinds = _kinds(packs, base, stages, problems)
    tables = compose_tables([(pack.user, pack.file.tables) for pack in packs], problems)
    broken = frozenset(name for pack in packs for name in pack.file.broken)
    world = World(kinds, broken, tables, stages, measures, problems)
    composition = Composition(problems)
    rows: list[Row] = []
    for pack in packs:
        layer = _layer(pack, world)
        composition.add(layer)
        rows += layer.rows
    rows = _settled_rows(rows, world, frozenset([pack.file.name for pack in packs if pack.user]))
    items = composition.entries()
    entries: list[Entry] = [item for item in items if not isinstance(item, Redaction)]
    known: list[Entry] = [item for item in composition.known if not isinstance(item, Redaction)]
    if not len(problems):
        check_strata(entries, known, stages, kinds, problems)
    return Rulebook(
        packs=tuple(PackInfo(pack.file.name, pack.file.version, pack.digest, pack.file.name) for pack in packs),
        digest=rulebook_digest([pack.digest for pack in packs]),
        kinds=tuple(kinds),
        stages=tuple(_stage(name, entries) for name in stages),
        rows=tuple(rows),
        tables=tuple((table.name, constant_value(table.value, table.place)) for table in tables.values()),
        disabled=tuple(composition.disabled),
        redactions=tuple(item for item in items if isinstance(item, Redaction)),
    )


def rulebook_digest(digests: Sequence[str]) -> str:
    """Thirty-two hexadecimal digits that stand for these packs in this order, under this version of the language."""
    return byte_digest(["\n".join([f"language {LANGUAGE}", *digests]).encode()])


def _open(source: Source, earlier: Sequence[PackFile], problems: Problems) -> _Pack:
    """Read all documents of a pack. Places carry `NAME/path`, whatever folder the pack lies in."""
    snapshot = source.snapshot
    files = {file.path: file.data for file in snapshot.files}
    shown = os.path.join(snapshot.root, PACK_FILE)
    name = _name(files[PACK_FILE], shown)
    if any(pack.name == name for pack in earlier):
        raise fault(
            Place(shown, 1),
            f"two packs are named {name}",
            expected="a name that no other pack has",
            next_step="rename the pack, or load it once",
        )
    heads: list[Map] = []
    documents: list[Map] = []
    for path, data in files.items():
        stored = f"{name}/{path}"
        problems.show(stored, os.path.join(snapshot.root, path) if source.user else stored)
        with problems.catch():
            (heads if path == PACK_FILE else documents).extend(read_documents(data, stored, problems))
    if len(heads) != 1:
        place = heads[1].place if heads else Place(f"{name}/{PACK_FILE}", 1)
        raise fault(place, f"{PACK_FILE} must hold one document, not {len(heads)}", expected="one mapping with name, version and language")
    return _Pack(build_pack_file(heads[0], name, problems), source.user, snapshot.digest, tuple(documents))


def _name(data: bytes, shown: str) -> str:
    """The name that a pack.yaml gives, before anything else of it is read."""
    documents = read_documents(data, shown, Problems())
    if not documents:
        raise fault(Place(shown, 1), "pack.yaml names no pack", expected="one mapping with name, version and language")
    return pack_name(documents[0])


def _kinds(packs: Sequence[_Pack], base: KindTable, stages: Sequence[str], problems: Problems) -> KindTable:
    """The base kinds, the engine's and the declared ones."""
    table = base.extended(ENGINE_KINDS)
    places: dict[str, Place] = {}
    declared = [item for pack in packs for item in pack.file.kinds]
    broken = {name for pack in packs for name in pack.file.broken}
    for item in declared:
        name = item.kind.name
        if name in table:
            where = f"declared at {problems.shown(places[name])}" if name in places else "built in"
            problems.add(
                fault(item.place, f"the kind {name} is {where}", expected="a name that no other kind has", next_step="choose another name")
            )
            continue
        places[name] = item.place
        table = table.extended([item.kind])
    for item in declared:
        for name, place in item.refs:
            if name not in table and name not in broken:
                problems.add(unknown(place, f"there is no kind {name!r:.60}", name, table.names(), "a declared kind", "packs"))
        if item.closes is not None and item.kind.closes not in stages:
            problems.add(
                unknown(item.closes, f"there is no stage {item.kind.closes!r:.60}", item.kind.closes, stages, "a stage of a pack", "packs")
            )
    return table


def _layer(pack: _Pack, world: World) -> Layer:
    entries: list[Item] = []
    rows: list[Row] = []
    for document in pack.documents:
        more, facts = build_document(document, pack.file.name, world)
        entries += more
        rows += facts
    return Layer(pack.file.name, pack.user, pack.file.disable, pack.file.tables, tuple(entries), tuple(rows))


def _settled_rows(rows: Sequence[Row], world: World, user: frozenset[str]) -> list[Row]:
    """The rows, a user pack's row standing in the place of a built-in one with the same key; nobody else may contradict a row."""
    settled: dict[object, Row] = {}
    for position, row in enumerate(rows):
        kind = world.kinds[row.kind]
        if kind.rival:
            settled[position] = row
            continue
        given = dict(row.fields)
        key = (row.kind, *(given.get(name) for name in kind.key))
        first = settled.setdefault(key, row)
        if first.fields == row.fields:
            continue
        if row.pack in user and first.pack not in user:
            settled[key] = row
        else:
            world.problems.add(
                fault(
                    row.place,
                    f"{row.kind} with the same {', '.join(kind.key)} says something else at {world.problems.shown(first.place)}",
                    expected="one row for each key",
                    next_step="change one of the rows, or declare the kind with `rival: true`",
                )
            )
    return list(settled.values())


def _stage(name: str, entries: Sequence[Entry]) -> Stage:
    mine = [entry for entry in entries if entry.meta.stage == name]
    return Stage(
        name,
        tuple(entry for entry in mine if isinstance(entry, TextPattern)),
        tuple(entry for entry in mine if isinstance(entry, Measure)),
        tuple(entry for entry in mine if isinstance(entry, Elect)),
        tuple(entry for entry in mine if isinstance(entry, Take)),
        tuple(entry for entry in mine if isinstance(entry, Group)),
        tuple(entry for entry in mine if isinstance(entry, Rule)),
    )
