"""Why: packs are laid over each other by explicit steps only (add, replace, disable), so that nothing changes a rule unseen."""

from __future__ import annotations

from typing import NamedTuple

from tollens.engine.rulebook.build.entries import Item
from tollens.engine.rulebook.build.packfile import Disable
from tollens.engine.rulebook.build.scope import Table
from tollens.engine.rulebook.source.problems import Problems, fault, unknown
from tollens.engine.rulebook.syntax import Place, Row


class Layer(NamedTuple):
    """One pack's part: what it switches off, sets and adds, in the order written. `user` is false for built-in packs."""

    name: str
    user: bool
    disable: tuple[Disable, ...]
    tables: tuple[Table, ...]
    entries: tuple[Item, ...]
    rows: tuple[Row, ...]


class _Slot:
    """A position in the rulebook and the entry that has it, if any."""

    __slots__ = ("entry",)

    def __init__(self, entry: Item | None) -> None:
        self.entry = entry


class Composition:
    """Lays packs over each other, in order. `entries` are what remains, `known` all that was ever written."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._slots: list[_Slot] = []
        self._by_id: dict[str, tuple[Item, _Slot]] = {}
        self._touched: dict[str, tuple[str, Place]] = {}
        self.known: list[Item] = []
        self.disabled: list[tuple[str, str, str]] = []

    def add(self, layer: Layer) -> None:
        """Lay one pack over the ones before."""
        for disable in layer.disable:
            with self._problems.catch():
                slot = self._target(disable.id, disable.place, layer.name, "disabled")
                slot.entry = None
                self.disabled.append((disable.id, disable.reason, disable.pack))
        for entry in layer.entries:
            with self._problems.catch():
                self._enter(entry, layer.name)

    def entries(self) -> list[Item]:
        """What remains, in canonical order, each with its index."""
        left = [slot.entry for slot in self._slots if slot.entry is not None]
        return [entry._replace(meta=entry.meta._replace(index=index)) for index, entry in enumerate(left)]

    def _enter(self, entry: Item, pack: str) -> None:
        meta = entry.meta
        self.known.append(entry)
        first = self._by_id.get(meta.id)
        if first is not None and meta.replaces != meta.id:
            raise fault(
                meta.place,
                f"the id {meta.id} is taken: {self._problems.shown(first[0].meta.place)} has it",
                expected="an id that no other entry of any pack has",
                next_step=f"choose another id, or write `replaces: {meta.id}`",
            )
        if meta.replaces:
            slot = self._target(meta.replaces, meta.place, pack, "replaced")
            slot.entry = entry
        else:
            slot = _Slot(entry)
            self._slots.append(slot)
        self._by_id[meta.id] = (entry, slot)

    def _target(self, name: str, place: Place, pack: str, verb: str) -> _Slot:
        """The slot of a rule of an earlier pack that may be replaced or disabled."""
        if name not in self._by_id:
            raise unknown(
                place,
                f"there is no rule {name!r:.60} that could be {verb}",
                name,
                sorted(self._by_id),
                "a rule of an earlier pack",
                "packs",
            )
        entry, slot = self._by_id[name]
        where = self._problems.shown(entry.meta.place)
        if entry.meta.pack == pack and name not in self._touched:
            raise fault(
                place,
                f"{name} stands in the same pack ({where}) and cannot be {verb}",
                expected="a rule of an earlier pack",
                next_step="edit it",
            )
        if name in self._touched:
            done, at = self._touched[name]
            raise fault(
                place,
                f"{name} cannot be {verb}: it is {done} already at {self._problems.shown(at)}",
                expected="one pack that replaces or disables a rule",
                next_step="leave out one of the two packs, or one of the two entries",
            )
        if entry.meta.sealed:
            raise fault(
                place,
                f"{name} is sealed and cannot be {verb} ({where})",
                expected="a rule without `sealed: true`",
                next_step="add a rule of your own beside it",
            )
        self._touched[name] = (verb, place)
        return slot


def compose_tables(layers: list[tuple[bool, tuple[Table, ...]]], problems: Problems) -> dict[str, Table]:
    """All table entries by name; a later pack's takes the place of an earlier one's and must have its type."""
    tables: dict[str, tuple[bool, Table]] = {}
    for user, entries in layers:
        for table in entries:
            with problems.catch():
                if table.name in tables:
                    _check_table(table, user, *tables[table.name], problems)
                tables[table.name] = (user, table)
    return {name: table for name, (_, table) in tables.items()}


def _check_table(table: Table, user: bool, earlier_user: bool, earlier: Table, problems: Problems) -> None:
    where = problems.shown(earlier.place)
    if user and earlier_user:
        raise fault(
            table.place,
            f"the table entry {table.name} is set by another pack too: {where}",
            expected="one pack that sets it",
            next_step="leave out one of the two",
        )
    numbers = type(table.value) in (int, float) and type(earlier.value) in (int, float)
    if type(table.value) is not type(earlier.value) and not numbers:
        raise fault(
            table.place,
            f"the table entry {table.name} must have the type that it has at {where}",
            expected=f"a value like {earlier.value!r:.60}",
            next_step="write a value of the same type",
        )
