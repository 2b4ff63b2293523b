"""Why: explanations come from the stored record alone, so one class knows its shape and finds things in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

#: The form of a record. A reader refuses a form that it does not know.
FORMAT = 1
#: A fact or derivation as a record holds it.
Json = dict[str, Any]

_SHORT = 8
_SHAPE: tuple[tuple[str, type], ...] = (
    ("run_id", str),
    ("pack", dict),
    ("evaluator", str),
    ("signal", dict),
    ("rules", dict),
    ("answers", dict),
    ("result", dict),
    ("facts", list),
)


class Record:
    """A checked record with indexes: facts by id and kind, who was passed over for whom, and short forms of ids."""

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
        found = self.data["rules"].get(name, {})
        return found if isinstance(found, dict) else {}

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
        lines = self.data["signal"].get("lines", {})
        found = lines.get(str(number), []) if isinstance(lines, dict) else []
        if isinstance(found, str):
            return [(0, found)]
        return [(int(column), str(text)) for column, text in found]

    def value(self, name: str) -> object:
        """The value of a field of the result, looked for at its top and one level down; None where there is none."""
        result: Json = self.data["result"]
        places: list[object] = [result, *result.values()]
        return next((place[name] for place in places if isinstance(place, dict) and name in place), None)


def fault(data: object) -> str:
    """What makes an object no record that can be read, or nothing."""
    if not isinstance(data, dict):
        return "it is not an object"
    if data.get("format") != FORMAT:
        return f"its format is {data.get('format')!r:.40}, and this version reads format {FORMAT}"
    for name, expected in _SHAPE:
        if not isinstance(data.get(name), expected):
            return f"{name} is missing or is not of the right type"
    if not _lines_fit(data["signal"].get("lines")):
        return "its raw lines are damaged"
    if not all(isinstance(ids, list) and all(isinstance(item, str) for item in ids) for ids in data["answers"].values()):
        return "its answers are damaged"
    if not all(isinstance(rule, dict) and isinstance(rule.get("says"), list) for rule in data["rules"].values()):
        return "its rules are damaged"
    for number, fact in enumerate(data["facts"]):
        if not _fact_fits(fact):
            return f"fact number {number + 1} is damaged"
    return ""


def _lines_fit(lines: object) -> bool:
    if not isinstance(lines, dict):
        return False
    return all(
        isinstance(kept, str) or (isinstance(kept, list) and all(_is_row(piece, (int, str)) for piece in kept)) for kept in lines.values()
    )


def _fact_fits(fact: object) -> bool:
    if not isinstance(fact, dict) or not isinstance(fact.get("id"), str) or not isinstance(fact.get("kind"), str):
        return False
    fields, spans, derivations = fact.get("fields"), fact.get("spans"), fact.get("derivations")
    if not isinstance(fields, dict) or not isinstance(spans, dict) or not isinstance(derivations, list):
        return False
    if not all(_is_row(span, (int, int, int)) for span in spans.values()):
        return False
    return bool(derivations) and all(_derivation_fits(derivation) for derivation in derivations)


def _derivation_fits(data: object) -> bool:
    if not isinstance(data, dict):
        return False
    texts = all(isinstance(data.get(name, ""), str) for name in ("by", "name", "place", "key")) and "by" in data
    lists = all(isinstance(data.get(name, []), list) for name in ("bound", "absent", "computed", "inputs"))
    if not texts or not lists:
        return False
    bound = all(_is_row(pair, (str, str)) for pair in data.get("bound", []))
    plain = all(isinstance(item, str) for name in ("absent", "inputs") for item in data.get(name, []))
    computed = all(_is_row(item, (str, object, list)) for item in data.get("computed", []))
    return bound and plain and computed and all(isinstance(i, str) for c in data.get("computed", []) for i in c[2])


def _is_row(row: object, types: Sequence[type]) -> bool:
    return (
        isinstance(row, list)
        and len(row) == len(types)
        and all(isinstance(item, expected) for item, expected in zip(row, types, strict=True))
    )
