"""Why: elections, selections and groups are closed over finished stages, outside any engine, and mean the same for all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tollens.engine.rulebook.syntax import By, Elect, Group, Head, Meta, Pattern, Ref, Take
from tollens.engine.session.conditions import placed, ranks
from tollens.engine.session.heads import Expressions, Names, ReadyHead
from tollens.engine.session.matching import Matcher, joined
from tollens.engine.session.meter import UNCOUNTED, Meter
from tollens.engine.session.proof import Derivation, Proof
from tollens.engine.session.render import ref_text
from tollens.engine.session.store import FactStore
from tollens.facts.fact import Fact
from tollens.facts.kind import Kind
from tollens.facts.values import Value, digest

Row = tuple[Fact, ...]
NO_LINKS: Sequence[str] = ()


class Source:
    """The joined rows of an operator, and readers of what its references name; `meter` counts rows and what is tried for them."""

    def __init__(self, store: FactStore, patterns: Sequence[Pattern], unless: Sequence[Pattern], meter: Meter | None = None) -> None:
        self.store = store
        self._meter = meter
        self.patterns = tuple(patterns)
        self._unless = tuple(unless)
        self._aliases = [pattern.alias for pattern in patterns]
        self._places = {pattern.alias: position for position, pattern in enumerate(patterns)}

    def rows(self) -> list[Row]:
        """All rows, in canonical order."""
        return joined(self.store, Matcher(self.patterns, self.store.kinds, unless=self._unless), meter=self._meter)

    def reader(self, ref: Ref) -> Callable[[Row], Value]:
        """A function from a row to the value that a reference names."""
        return placed(self._kind(ref), ref.field, self._places[ref.alias])

    def _kind(self, ref: Ref) -> Kind:
        return self.store.kinds[self.patterns[self._places[ref.alias]].kind]

    def sorter(self, by: Sequence[By]) -> Callable[[list[Row]], None]:
        """A function that orders rows by the keys, the first one first; absent values come last, and ties keep the canonical order."""
        keys = [(self._sort_key(key), key.descending) for key in reversed(by)]

        def sort(rows: list[Row]) -> None:
            if len(rows) > 1:
                for read, descending in keys:
                    rows.sort(key=read, reverse=descending)

        return sort

    def _sort_key(self, key: By) -> Callable[[Row], Any]:
        read, kind, field = self._ranked(key.value), self._kind(key.value), key.value.field
        if field in ("id", "seq") or not kind.field(field).optional:
            return read
        if key.descending:
            return lambda row: (0, 0) if (value := read(row)) is None else (1, value)
        return lambda row: (1, 0) if (value := read(row)) is None else (0, value)

    def _ranked(self, ref: Ref) -> Callable[[Row], Any]:
        read, rank = self.reader(ref), ranks(self._kind(ref), ref.field)
        if rank is None:
            return read
        return lambda row: None if (value := read(row)) is None else rank[str(value)]

    def groups(self, rows: list[Row], per: Sequence[Ref]) -> list[list[Row]]:
        """The rows by equal values of `per`, groups in order of their first row."""
        readers = [self.reader(ref) for ref in per]
        groups: dict[object, list[Row]] = {}
        for row in rows:
            groups.setdefault(tuple([read(row) for read in readers]), []).append(row)
        return list(groups.values())

    def head(self, head: Head | None, meta: Meta, by: str) -> ReadyHead | None:
        """A head over the source's rows."""
        if head is None:
            return None
        return ReadyHead(head, Expressions(self.store, self.patterns, meter=self._meter or UNCOUNTED), self.store.kinds, (by, meta.id))

    def bound(self, row: Row) -> tuple[tuple[str, str], ...]:
        """A row as a proof names it."""
        return tuple(zip(self._aliases, [fact.id for fact in row], strict=True))


class Asserting:
    """Keeps what the operators of a stage conclude, each fact with its derivation, until the last of them has run.

    No operator sees what another one of its stage concludes, whatever kinds they share. `meter` counts what they go over.
    """

    def __init__(self, store: FactStore, proof: Proof, meter: Meter) -> None:
        self.store = store
        self.meter = meter
        self._proof = proof
        self._concluded: list[tuple[Fact, Derivation]] = []

    def source(self, meta: Meta, patterns: Sequence[Pattern], unless: Sequence[Pattern]) -> Source:
        """The rows of an operator, which begins here."""
        self.meter.begin(meta.id)
        return Source(self.store, patterns, unless, self.meter)

    def add(self, fact: Fact, derivation: Derivation) -> None:
        """Keep the fact and this way to it."""
        self._concluded.append((fact, derivation))

    def finish(self) -> None:
        """Store everything, in the order in which it was concluded; BadFact where two conclusions contradict each other."""
        for fact, derivation in self._concluded:
            self._proof.add(self.store.add(fact).id, derivation)
        self._concluded.clear()

    def head(self, ready: ReadyHead | None, row: Row, names: Names, derivation: Derivation) -> None:
        """What a head makes of a row, if anything."""
        if ready is not None and (fact := ready.fact(row, names, [])) is not None:
            self.add(fact, derivation)

    def plain(self, kind: str, values: tuple[Value, ...], derivation: Derivation) -> None:
        """A fact of one of the engine's own kinds, its values in the order of the fields."""
        self.add(Fact(self.store.kinds[kind], values, {}, (derivation.by, derivation.name)), derivation)


def key_text(key: By) -> str:
    """A key of an order as a rule file writes it."""
    return f"{'desc' if key.descending else 'asc'} {ref_text(key.value)}"


def deciding(keys: Sequence[tuple[str, Callable[[Row], Value]]], first: Row, second: Row) -> str:
    """The first key that tells two rows apart; a key is its text and its reader."""
    for text, read in keys:
        if read(first) != read(second):
            return text
    return "canonical order"


def run_elect(elect: Elect, out: Asserting) -> None:
    """One winner per group; every other row's first fact is passed over, ties with the winner on all but the last key are told."""
    source = out.source(elect.meta, elect.source, elect.unless)
    into = source.head(elect.into, elect.meta, "elect")
    keys = [(key_text(key), source.reader(key.value)) for key in elect.by]
    sort = source.sorter(elect.by)
    for group in source.groups(source.rows(), elect.per):
        sort(group)
        winner, *others = group
        inputs = tuple(dict.fromkeys([row[0].id for row in group]))
        key = deciding(keys, winner, others[0]) if others else "the only one"
        made = Derivation("elect", elect.meta.id, elect.meta.place, source.bound(winner), inputs=inputs, key=key)
        out.head(into, winner, {}, made)
        told = {winner[0].id}
        for row in others:
            if row[0].id in told:
                continue
            told.add(row[0].id)
            key = deciding(keys, winner, row)
            lost = Derivation("elect", elect.meta.id, elect.meta.place, source.bound(row), inputs=(winner[0].id,), key=key)
            out.plain("passed_over", (elect.meta.id, key, row[0].id, winner[0].id), lost)
            if len(keys) > 1 and all(read(row) == read(winner) for _, read in keys[:-1]):
                out.plain("tied", (elect.meta.id, winner[0].id, row[0].id), lost)


def run_take(take: Take, out: Asserting) -> None:
    """The first rows of each group, skipping what may not stand beside a taken one."""
    source = out.source(take.meta, take.source, take.unless)
    into, rest = source.head(take.into, take.meta, "take"), source.head(take.rest, take.meta, "take")
    links = _links(take, out.store)
    sort = source.sorter(take.by)
    for group in source.groups(source.rows(), take.per):
        sort(group)
        taken: dict[str, int] = {}
        number = left = 0
        for row in group:
            beside = links.get(row[0].id, NO_LINKS)
            out.meter.tried(len(beside))
            linked = [other for other in beside if other in taken]
            nearest = min(linked, key=lambda other: taken[other], default=None)
            names: Names = {"nearest": nearest}
            if nearest is None and (take.keep < 0 or number < take.keep):
                number += 1
                taken.setdefault(row[0].id, number)
                names["number"] = number
                made = Derivation("take", take.meta.id, take.meta.place, source.bound(row), key=f"number {number}")
                out.head(into, row, names, made)
            else:
                left += 1
                names["number"] = left
                key = "apart" if nearest is not None else f"keep {take.keep}"
                inputs = (nearest,) if nearest is not None else ()
                out.head(rest, row, names, Derivation("take", take.meta.id, take.meta.place, source.bound(row), inputs=inputs, key=key))


def _links(take: Take, store: FactStore) -> dict[str, list[str]]:
    links: dict[str, list[str]] = {}
    if take.apart is not None:
        for fact in store.facts(take.apart.kind):
            left, right = str(fact.get(take.apart.left)), str(fact.get(take.apart.right))
            if left != right:
                links.setdefault(left, []).append(right)
                links.setdefault(right, []).append(left)
    return links


def run_group(group: Group, out: Asserting) -> None:
    """Connected components over the pairs; the group's name is a digest of its sorted members."""
    store = out.store
    source = out.source(group.meta, group.source, group.unless)
    left, right = source.reader(group.left), source.reader(group.right)
    parents: dict[Value, Value] = {}
    members: dict[Value, None] = {}
    if group.members is not None:
        for row in joined(store, Matcher([group.members], store.kinds), meter=out.meter):
            members[row[0].id] = None
            parents[row[0].id] = row[0].id
    rows = source.rows()
    for row in rows:
        a, b = left(row), right(row)
        if a is None or b is None:
            continue
        if group.members is None:
            members.update({a: None, b: None})
        _union(parents, a, b)
    inputs: dict[Value, list[str]] = {}
    for row in rows:
        if (a := left(row)) is not None and right(row) is not None:
            inputs.setdefault(_root(parents, a), []).extend([fact.id for fact in row])
    components: dict[Value, list[Value]] = {}
    for member in members:
        components.setdefault(_root(parents, member), []).append(member)
    empty = Source(store, (), (), out.meter)
    into, each = empty.head(group.into, group.meta, "group"), empty.head(group.member, group.meta, "group")
    for root, component in components.items():
        ordered: list[Any] = sorted(component, key=lambda value: (str(type(value)), value))
        name, ids = digest(*ordered), tuple(dict.fromkeys(inputs.get(root, ())))
        key = f"{len(component)} members"
        made = Derivation("group", group.meta.id, group.meta.place, inputs=ids or tuple(map(str, component)), key=key)
        out.head(into, (), {"group": name, "size": len(component)}, made)
        for member in component:
            out.head(each, (), {"group": name, "size": len(component), "member": member}, made)


def _root(parents: dict[Value, Value], value: Value) -> Value:
    parents.setdefault(value, value)
    root = value
    while parents[root] != root:
        root = parents[root]
    while parents[value] != root:
        parents[value], value = root, parents[value]
    return root


def _union(parents: dict[Value, Value], a: Value, b: Value) -> None:
    first, second = _root(parents, a), _root(parents, b)
    if first != second:
        parents[second] = first
