"""Why: an editor that knows the language completes keys and marks slips while they are typed; JSON Schema is what editors understand.

The schemas describe the form of rule files, pack.yaml and files of cases. With a rulebook they also know its kinds, fields, stages and
members. What needs a look at other places (bound names, types of both sides, strata) is left to `tollens rules check`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tollens.engine.bench.schema_parts import ANY, BOOL, COUNT, ID, NAME, TEXT, body, either, items, obj, ref
from tollens.engine.rulebook.build.entries import HEADING, STATUSES
from tollens.engine.rulebook.build.packfile import FINDING_LEVELS
from tollens.engine.rulebook.builtin import PRODUCER_FIELDS
from tollens.engine.rulebook.syntax import Rulebook
from tollens.facts.kind import Field, Kind

Json = dict[str, Any]
DRAFT = "https://json-schema.org/draft/2020-12/schema"
#: What each schema is about, by its name on the command line.
WHAT = {"rules": "a rule file", "pack": "pack.yaml", "cases": "a file of cases"}


def schema(what: str, book: Rulebook | None = None) -> Json:
    """The JSON Schema of rules, pack or cases (see WHAT); with a rulebook it knows its kinds, and else it lets every name through."""
    kinds = {kind.name: kind for kind in book.kinds} if book is not None else None
    stages = [stage.name for stage in book.stages] if book is not None else None
    made = _rules(kinds, stages) if what == "rules" else _pack() if what == "pack" else _cases(kinds)
    return {"$schema": DRAFT, "title": f"Tollens: {WHAT[what]}", "description": "The form; docs/language.md says what it means.", **made}


def _heading() -> Json:
    known: Json = {
        "id": {**ID, "description": "unique over all packs"},
        "says": {**TEXT, "description": "the sentence of explanations; {alias.field} stands for a value"},
        "status": {"enum": list(STATUSES)},
        "refs": items(TEXT),
        "since": {"type": ["string", "number"]},
        "sealed": {**BOOL, "description": "no pack may replace or disable it"},
        "replaces": {**ID, "description": "the rule of an earlier pack in whose place this one stands"},
    }
    return {name: known[name] for name in HEADING}


def _entry(required: Sequence[str], **more: Json) -> Json:
    return obj({**_heading(), **more}, ["id", *required])


def _rules(kinds: Mapping[str, Kind] | None, stages: Sequence[str] | None) -> Json:
    patterns, head, row = ref("patterns"), ref("head"), ref("row")
    per, by = items(TEXT), items(obj({"asc": TEXT, "desc": TEXT}, size=1), least=1)
    when = items(either(ref("pattern"), obj({"any": items(ref("when"), least=1)}, ["any"])))
    condition = obj(
        {**{op: items(ref("expression"), size=2) for op in ("eq", "ne", "gt", "gte", "lt", "lte", "in")}, "exists": ref("expression")},
        size=1,
    )
    sections = {
        "rules": _entry(
            ["when", "then"],
            when=ref("when"),
            unless=patterns,
            let={"type": "object", "propertyNames": NAME, "additionalProperties": ref("expression")},
            **{"if": items(condition)},
            then=items(head, least=1),
        ),
        "elect": _entry(["from", "by", "into"], unless=patterns, per=per, by=by, into=head, **{"from": patterns}),
        "take": _entry(
            ["from", "by", "into"],
            unless=patterns,
            per=per,
            by=by,
            keep=either(COUNT, TEXT),
            apart=body(items(TEXT, size=2)),
            into=head,
            rest=head,
            **{"from": patterns},
        ),
        "group": _entry(
            ["from", "pair"],
            unless=patterns,
            pair=items(TEXT, size=2),
            members=either(TEXT, ref("pattern")),
            into=head,
            member=head,
            **{"from": patterns},
        ),
        "patterns": _entry(["over", "regex"], over=body(TEXT), regex=TEXT),
        "measures": _entry(
            ["function", "from", "output"],
            function=TEXT,
            block=items(TEXT),
            output=TEXT,
            options={"type": "object"},
            **{"from": patterns},
        ),
        "redactions": _entry(["regex"], regex=TEXT),
    }
    stage = {"enum": list(stages)} if stages is not None else NAME
    top = obj({"stage": stage, **{name: items(entry) for name, entry in sections.items()}, "facts": items(row)})
    return {**top, "$defs": _definitions(kinds, when)}


def _definitions(kinds: Mapping[str, Kind] | None, when: Json) -> Json:
    expression, pattern = ref("expression"), ref("pattern")
    many = items(expression, least=1)
    calls: Json = dict.fromkeys(("add", "mul", "least", "most", "digest"), many)
    calls |= {"sub": items(expression, size=2), "ratio": items(expression, size=3), "clamp": items(expression, size=3)}
    calls |= {name: items(expression, size=2) for name in ("round", "last_part", "default")}
    calls |= {"lower": expression, "format": TEXT}
    aggregates = dict.fromkeys(("count", "first", "sum", "min", "max", "collect"), pattern)
    function = {
        "type": "object",
        "properties": {**calls, **aggregates, "of": TEXT, "distinct": items(TEXT)},
        "additionalProperties": False,
        "minProperties": 1,
    }
    tests = {
        **dict.fromkeys(("eq", "ne", "gt", "gte", "lt", "lte"), ANY),
        "in": either(items(ANY), TEXT),
        "exists": BOOL,
        **dict.fromkeys(("starts", "ends", "contains", "matches"), TEXT),
    }
    test = either(ANY, {**obj(tests), "minProperties": 1})
    return {
        "expression": either(ANY, function),
        "test": test,
        "when": when,
        "pattern": _of_kind(kinds, lambda field: _test(field, test), {"as": NAME, "id": ref("test"), "seq": ref("test")}),
        "patterns": items(pattern),
        "head": _of_kind(_asserted(kinds), lambda field: _value(field, expression), {}, whole=True),
        "row": _of_kind(_asserted(kinds), lambda field: _value(field, ANY), {}, whole=True),
    }


def _asserted(kinds: Mapping[str, Kind] | None) -> Mapping[str, Kind] | None:
    return None if kinds is None else {name: kind for name, kind in kinds.items() if name not in PRODUCER_FIELDS}


def _of_kind(kinds: Mapping[str, Kind] | None, value: Any, more: Json, *, whole: bool = False) -> Json:  # noqa: ANN401 - a function of a field or None
    """`KIND: {FIELD: ...}`."""
    if kinds is None:
        return body({"type": "object", "propertyNames": NAME, "additionalProperties": value(None), "properties": more})
    made = {}
    for name, kind in kinds.items():
        fields = {field.name: {**value(field), "description": field.doc or field.describe()} for field in kind.fields}
        needed = [field.name for field in kind.fields if not field.optional] if whole else []
        made[name] = {**obj({**more, **fields}, needed), "description": kind.doc}
    return obj(made, size=1)


def _value(field: Field | None, other: Json) -> Json:
    """What may be written to a field: a member of an enum, a reference or a function; or whatever `other` lets through."""
    if field is None:
        return either(other, items(TEXT))
    if field.type == "enum":
        return either({"enum": list(field.choices)}, {"type": "string", "pattern": r"^\$"}, {"type": "object"})
    return either(other, items(TEXT)) if field.type == "list" else other


def _test(field: Field | None, test: Json) -> Json:
    if field is None:
        return ref("test")
    if field.type == "enum":
        return either({"enum": list(field.choices)}, {"type": "string", "pattern": r"^\$"}, test["anyOf"][1])
    return test


def _pack() -> Json:
    plain = {"enum": [name + mark for name in ("text", "int", "number", "bool") for mark in ("", "?")]}
    shaped = obj(
        {
            "type": {"enum": ["text", "int", "number", "bool"]},
            "enum": items(TEXT, least=1),
            "ref": either(TEXT, items(TEXT, least=1)),
            "list": {"const": "text"},
            "ordered": BOOL,
            "optional": BOOL,
            "says": TEXT,
        }
    )
    kind = obj(
        {
            "says": TEXT,
            "fields": {"type": "object", "propertyNames": NAME, "additionalProperties": either(plain, shaped), "minProperties": 1},
            "key": items(NAME),
            "rival": BOOL,
            "verdict": BOOL,
            "closes": NAME,
        },
        ["fields"],
    )
    setting = obj({"level": {"enum": list(FINDING_LEVELS)}, "reason": TEXT, "only": items(TEXT)}, ["level", "reason"])
    stage = either(NAME, obj({"stage": NAME, "after": NAME, "before": NAME}, ["stage"]))
    table = obj({"value": either(ANY, items(TEXT)), "reason": TEXT}, ["value", "reason"])
    parts: Json = {
        "name": ID,
        "version": {"type": ["string", "number"]},
        "language": {"const": 1},
        "says": TEXT,
        "stages": items(stage),
        "kinds": {"type": "object", "additionalProperties": kind},
        "tables": {"type": "object", "propertyNames": NAME, "additionalProperties": table},
        "disable": items(obj({"id": ID, "reason": TEXT}, ["id", "reason"])),
        "findings": {"type": "object", "additionalProperties": either({"enum": ["warn", "error"]}, setting, items(setting))},
    }
    return obj(parts, ["name", "version", "language"])


def _cases(kinds: Mapping[str, Kind] | None) -> Json:
    value = either(ANY, {"type": "null"}, items(TEXT))
    fact = _of_kind(kinds, lambda field: value, {"as": NAME, "id": TEXT})
    shared = {"text": TEXT, "roots": items(TEXT), "timestamp": TEXT, "facts": items(ref("fact"))}
    reasons = items(obj({"of": TEXT, "reason": TEXT}, ["of", "reason"]))
    case = obj(
        {
            "name": TEXT,
            "each": items({"type": "object"}, least=1),
            **shared,
            "fires": items(TEXT),
            "does_not_fire": items(TEXT),
            "expect": items(ref("fact")),
            "not_expected": items(ref("fact")),
            "exactly": items(TEXT),
            "explains": {"type": "object", "additionalProperties": {"type": ["string", "null"]}},
        },
        ["name"],
    )
    return {**obj({**shared, "cases": items(case), "equivalent": reasons, "unreachable": reasons}), "$defs": {"fact": fact}}
