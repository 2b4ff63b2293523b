"""Why: explanations come from the stored record alone, so one class knows its shape and finds things in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: A fact or derivation as a record holds it.
Json = dict[str, Any]

_SHORT = 8


class Record:
    """A record that `shape.fault` finds no fault in, with indexes: facts by id, who was passed over for whom, short forms of ids."""

    def __init__(self, data: Json) -> None:
        self.data = data
        self.run_id: str = data["run_id"]
        self.facts: list[Json] = data["facts"]
        self.answers: dict[str, list[str]] = data["answers"]
        self.by_id: dict[str, Json] = {fact["id"]: fact for fact in self.facts}
        self._losers: dict[tuple[str, str], list[Json]] = {}
        for fact in self.facts:
            if fact["kind"] == "passed_over":
                fields = fact["fields"]
                self._losers.setdefault((str(fields.get("by")), str(fields.get("winner"))), []).append(fact)
        self._short: dict[str, str] = {}

    def rule(self, name: str) -> Mapping[str, Any]:
        """What the record says of a rule, operator, pattern or measure; empty where it says nothing."""
        found: Json = self.data["rules"].get(name, {})
        return found

    def of_kind(self, kind: str) -> list[Json]:
        """The facts of a kind, in canonical order."""
        return [fact for fact in self.facts if fact["kind"] == kind]

    def kinds(self) -> list[str]:
        """The kinds of the facts, sorted."""
        return sorted({str(fact["kind"]) for fact in self.facts})

    def losers(self, elect: str, winner: str) -> list[Json]:
        """The passed_over facts of an election that name this winner."""
        return self._losers.get((elect, winner), [])

    def short(self, fact_id: str) -> str:
        """The id with as few of its digits as no other fact of the record shares, at least eight."""
        if not self._short:
            self._shorten()
        return self._short.get(fact_id, fact_id)

    def _shorten(self) -> None:
        ids = sorted(self.by_id)
        for position, fact_id in enumerate(ids):
            around = ids[max(0, position - 1) : position] + ids[position + 1 : position + 2]
            least = fact_id.find(":") + 1 + _SHORT
            while least < len(fact_id) and any(other.startswith(fact_id[:least]) for other in around):
                least += 1
            self._short[fact_id] = fact_id[:least]

    def line(self, number: int) -> list[tuple[int, str]]:
        """What is kept of a raw line: pieces as (column of the first character, text)."""
        found = self.data["signal"]["lines"].get(str(number), [])
        return [(0, found)] if isinstance(found, str) else [(column, text) for column, text in found]

    def value(self, name: str) -> object:
        """The value of a field of the result, looked for at its top and one level down; None where there is none."""
        result: Json = self.data["result"]
        places: list[object] = [result, *result.values()]
        return next((place[name] for place in places if isinstance(place, dict) and name in place), None)
