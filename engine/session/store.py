"""Why: the fact base of one session: facts only grow, have one identity each, and are found by any field."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tollens.facts.fact import BadFact, Draft, Fact, make_fact
from tollens.facts.kind import Kind, KindTable

NO_FACTS: Sequence[Fact] = ()


class FactStore:
    """Facts in canonical order, by id, by kind, and by the values of any fields of a kind (indexes are built when first asked for)."""

    def __init__(self, kinds: KindTable) -> None:
        self.kinds = kinds
        self._by_id: dict[str, Fact] = {}
        self._by_kind: dict[str, list[Fact]] = {}
        self._indexes: dict[tuple[str, tuple[str, ...]], dict[object, list[Fact]]] = {}

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
        self._by_kind.setdefault(fact.kind.name, []).append(fact)
        for (kind, fields), index in self._indexes.items():
            if kind == fact.kind.name:
                index.setdefault(_key(fact, fields), []).append(fact)
        return fact

    def matching(self, kind: str, fields: tuple[str, ...], key: object) -> Sequence[Fact]:
        """The facts of a kind whose `fields` have these values (one value, or a tuple where there are several fields)."""
        index = self._indexes.get((kind, fields))
        if index is None:
            index = {}
            for fact in self._by_kind.get(kind, NO_FACTS):
                index.setdefault(_key(fact, fields), []).append(fact)
            self._indexes[kind, fields] = index
        return index.get(key, NO_FACTS)


def _key(fact: Fact, fields: tuple[str, ...]) -> object:
    if len(fields) == 1:
        return fact.get(fields[0])
    return tuple(fact.get(field) for field in fields)


def conflict(known: Fact, fact: Fact) -> BadFact:
    """The error for one identity with two contents."""
    kind: Kind = known.kind
    differing = [f.name for f, a, b in zip(kind.fields, known.values, fact.values, strict=True) if a != b]
    first, second = sorted([":".join(filter(None, known.origin)), ":".join(filter(None, fact.origin))])
    return BadFact(
        f"{kind.name} with the same key ({', '.join(kind.key)}) has two values for {', '.join(differing)}: "
        f"one from {first}, one from {second}; declare the kind a rival if both may stand"
    )
