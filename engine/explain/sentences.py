"""Why: what a fact means in words comes from the template of the rule that made it and from the facts that the rule bound."""

from __future__ import annotations

from typing import Any

from tollens.engine.explain.reading import Json, Record
from tollens.facts.values import unscaled

_VALUE_LIMIT = 60


def sentence(record: Record, fact: Json, way: Json) -> str:
    """One sentence for a fact, as this derivation of it tells it."""
    if way["by"] == "elect" and fact["kind"] in ("passed_over", "tied"):
        return _loss(record, fact)
    if way["by"] == "take" and not str(way.get("key", "")).startswith("number "):
        bound = way.get("bound") or [["", ""]]
        return f"left out: {mention(record, bound[0][1])}"
    text = _filled(record, record.rule(way["name"]).get("says", []), fact, way).strip()
    if not text:
        return summary(record, fact)
    if way["by"] == "pattern" and fact["kind"] == "match_group":
        return f"{text}; {plain(fact['fields'].get('name'))} is {shown(record, fact['fields'].get('text'))}"
    return text


def _loss(record: Record, fact: Json) -> str:
    fields = fact["fields"]
    if fact["kind"] == "tied":
        first, second = str(fields.get("first")), str(fields.get("second"))
        return f"a tie up to the last key: {mention(record, first)} before {mention(record, second)}"
    return f"passed over: {mention(record, str(fields.get('loser')))} for {mention(record, str(fields.get('winner')))}"


def mention(record: Record, fact_id: str) -> str:
    """A fact in few words: its sentence and short id, or the id where the record does not hold it."""
    fact = record.by_id.get(fact_id)
    if fact is None:
        return fact_id
    way = fact["derivations"][0]
    told = summary(record, fact) if way["by"] in ("elect", "take") else sentence(record, fact, way)  # those mention others in turn
    return f"{told} [{record.short(fact_id)}]"


def summary(record: Record, fact: Json) -> str:
    """A fact as its kind and fields."""
    return f"{fact['kind']} {fields_text(record, fact)}".rstrip()


def fields_text(record: Record, fact: Json) -> str:
    """The fields of a fact as `name=value`, in the order of its kind."""
    return " ".join(f"{name}={shown(record, value)}" for name, value in fact["fields"].items())


def again(record: Record, fact: Json, way: Json) -> str:
    """A fact that was told before, in one line: its sentence, or as much of its summary as is needed to know it again."""
    told = sentence(record, fact, way)
    return f"{_cut(told) if told == summary(record, fact) else told} [{record.short(fact['id'])}, shown above]"


def shown(record: Record, value: object) -> str:
    """A value as a person reads it: texts in quotes, ids of facts in their short form, long ones cut."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return record.short(value) if value in record.by_id else f'"{_cut(value)}"'
    if isinstance(value, list):
        return _cut("[" + ", ".join(shown(record, item) for item in value[:20]) + ("" if len(value) <= 20 else ", ...") + "]")
    return _cut("absent" if value is None else str(value))


def _cut(text: str) -> str:
    return text if len(text) <= _VALUE_LIMIT else text[: _VALUE_LIMIT - 3] + "..."


def _filled(record: Record, parts: list[Any], fact: Json, way: Json) -> str:
    bound = dict(way.get("bound", ()))
    if way["by"] == "pattern":
        bound["match"] = fact["fields"].get("match", fact["id"])
    elif way["by"] == "measure":
        bound["output"] = fact["id"]
    texts: list[str] = []
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, list) and len(part) == 2:
            texts.append(plain(field_of(record, str(bound.get(part[0], "")), str(part[1]))))
        elif isinstance(part, list) and len(part) == 1:
            texts.append(plain(_named(record, str(part[0]), fact, way)))
    return "".join(texts)


def plain(value: object) -> str:
    """A value as templates write it: absent ones as `?`, lists with commas."""
    if value is None:
        return "?"
    if isinstance(value, bool):
        return "true" if value else "false"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def field_of(record: Record, fact_id: str, field: str) -> object:
    """The value of a field of a fact; `id` in its short form; None where it is absent."""
    fact = record.by_id.get(fact_id)
    if fact is None:
        return None
    if field == "id":
        return record.short(fact_id)
    found: object = fact.get("seq") if field == "seq" else fact["fields"].get(field)
    return record.short(found) if isinstance(found, str) and found in record.by_id else found


def _named(record: Record, name: str, fact: Json, way: Json) -> object:
    for position, (computed, _, _) in enumerate(way.get("computed", ())):
        if computed == name:
            return computed_value(record, way, position)
    names = record.rule(way["name"]).get("names", {})
    field = names.get(fact["kind"], {}).get(name, name)
    value = fact["fields"].get(field)
    if value is None and name == "size":
        return str(way.get("key", "")).split(" ", maxsplit=1)[0] or None
    return value


def computed_value(record: Record, way: Json, position: int) -> object:
    """A computed value in its own unit: numbers are kept in millionths."""
    name, value, _ = way["computed"][position]
    if name in record.rule(way["name"]).get("numbers", []) and isinstance(value, int):
        return unscaled(value)
    return record.short(value) if isinstance(value, str) and value in record.by_id else value


def deciding(record: Record, key: str, winner: Json, loser: Json) -> str:
    """The key that decided an election, with the values on both sides where the key names a field."""
    alias, _, field = key.partition("$")[2].partition(".")
    if not alias:
        return key
    sides = [field_of(record, str(dict(way.get("bound", ())).get(alias, "")), field or "id") for way in (winner, loser)]
    return f"{key}: {plain(sides[0])} before {plain(sides[1])}"


_INPUTS = {
    "parser": "read by the parser",
    "caller": "given by the caller",
    "probe": "observed by the probe",
    "learned": "proposed by the learned stage",
}


def producer(record: Record, way: Json) -> str:
    """Who made a fact in this way, and where that is written."""
    by, name, key = way["by"], way["name"], str(way.get("key", ""))
    at = f" at {way['place'].rpartition(':')[0]}" if way.get("place") else ""
    if by in _INPUTS:
        return f"{_INPUTS[by]} {name}".rstrip()
    if by == "row":
        return f"stated in the pack {name}{at}"
    rule = record.rule(name)
    status = f" ({rule['status']})" if rule.get("status") else ""
    named = f"{name}{status}{at}"
    if by == "elect":
        inputs = way.get("inputs", ())
        if any(fact_id in inputs for _, fact_id in way.get("bound", [])[:1]):
            return f"chosen by {named}{f' among {len(inputs)}' if len(inputs) > 1 else ''}, {key}"
        return f"lost in {named}, {key}"
    if by == "take":
        return f"taken by {named}, {key}" if key.startswith("number ") else f"left out by {named}, {key}"
    if by == "group":
        return f"grouped by {named}, {key}"
    if by == "pattern":
        return f"found by pattern {named} in {key}"
    if by == "measure":
        return f"measured by {named}, function {key}"
    return f"by {by} {named}"
