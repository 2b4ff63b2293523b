"""Why: the fact base of one session: facts only grow, have one identity each, and are found by any field."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter, itemgetter

from tollens.facts.fact import BadFact, Draft, Fact, make_fact
from tollens.facts.kind import Kind, KindTable

NO_FACTS: Sequence[Fact] = ()


class Index:
    """Facts of one kind by the values of some fields: one value, or a tuple where there are several fields."""

    __slots__ = ("_found", "_read")

    def __init__(self, kind: Kind, fields: tuple[str, ...], facts: Sequence[Fact]) -> None:
        self._read = _reader(kind, fields)
        self._found: dict[object, list[Fact]] = {}
        for fact in facts:
            self.add(fact)

    def add(self, fact: Fact) -> None:
        """One more fact."""
        key = self._read(fact)
        found = self._found.get(key)
        if found is None:
            self._found[key] = [fact]
        else:
            found.append(fact)

    def get(self, key: object) -> Sequence[Fact]:
        """The facts with this value, or these values."""
        return self._found.get(key, NO_FACTS)


def _reader(kind: Kind, fields: tuple[str, ...]) -> Callable[[Fact], object]:
    if "id" in fields or "seq" in fields:
        if len(fields) == 1:
            return attrgetter(fields[0])
        return lambda fact: tuple([fact.get(field) for field in fields])
    read = itemgetter(*[kind.index[field] for field in fields])
    return lambda fact: read(fact.values)


NO_INDEXES: dict[tuple[str, ...], Index] = {}


class FactStore:
    """Facts in canonical order, by id, by kind, and by the values of any fields of a kind (indexes are built when first asked for)."""

    def __init__(self, kinds: KindTable) -> None:
        self.kinds = kinds
        self._by_id: dict[str, Fact] = {}
        self._by_kind: dict[str, list[Fact]] = {}
        self._indexes: dict[str, dict[tuple[str, ...], Index]] = {}

    def __len__(self) -> int:
        return len(self._by_id)

    def __contains__(self, fact_id: object) -> bool:
        return fact_id in self._by_id

    def __iter__(self) -> Iterator[Fact]:
        return iter(self._by_id.values())

    def get(self, fact_id: str) -> Fact | None:
        """The fact with this id, if it is there."""
        return self._by_id.get(fact_id)

    def facts(self, kind: str) -> Sequence[Fact]:
        """All facts of a kind, in canonical order."""
        return self._by_kind.get(kind, NO_FACTS)

    def make(self, draft: Draft) -> Fact:
        """A checked fact that is not stored yet; BadFact where the kind or a field does not fit."""
        if draft.kind not in self.kinds:
            raise BadFact(f"{':'.join(draft.origin)}: there is no kind {draft.kind!r}")
        return make_fact(self.kinds[draft.kind], draft)

    def add(self, fact: Fact) -> Fact:
        """Store a fact at the next position, or give the one that is already there.

        BadFact names both producers where the same key comes with other values.
        """
        known = self._by_id.get(fact.id)
        if known is not None:
            if known.values != fact.values:
                raise conflict(known, fact)
            return known
        fact.seq = len(self._by_id)
        self._by_id[fact.id] = fact
        kind = fact.kind.name
        facts = self._by_kind.get(kind)
        if facts is None:
            self._by_kind[kind] = [fact]
        else:
            facts.append(fact)
        for index in self._indexes.get(kind, NO_INDEXES).values():
            index.add(fact)
        return fact

    def matching(self, kind: str, fields: tuple[str, ...], key: object) -> Sequence[Fact]:
        """The facts of a kind whose `fields` have these values (one value, or a tuple where there are several fields)."""
        indexes = self._indexes.get(kind, NO_INDEXES)
        index = indexes[fields] if fields in indexes else self.index(kind, fields)
        return index.get(key)

    def index(self, kind: str, fields: tuple[str, ...]) -> Index:
        """The facts of a kind by the values of some fields; it grows with the store."""
        indexes = self._indexes.setdefault(kind, {})
        index = indexes.get(fields)
        if index is None:
            index = indexes[fields] = Index(self.kinds[kind], fields, self.facts(kind))
        return index


def conflict(known: Fact, fact: Fact) -> BadFact:
    """The error for one identity with two contents."""
    kind: Kind = known.kind
    differing = [f.name for f, a, b in zip(kind.fields, known.values, fact.values, strict=True) if a != b]
    first, second = sorted([":".join(filter(None, known.origin)), ":".join(filter(None, fact.origin))])
    return BadFact(
        f"{kind.name} with the same key ({', '.join(kind.key)}) has two values for {', '.join(differing)}: "
        f"one from {first}, one from {second}; declare the kind a rival if both may stand"
    )
