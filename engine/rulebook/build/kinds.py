"""Why: a pack's own kinds are declared in its files and become the same objects as the ones that Python declares."""

from __future__ import annotations

import re

from tollens.engine.rulebook.source.nodes import Map, Node, Scalar, Seq
from tollens.engine.rulebook.source.problems import Problems, fault, unknown
from tollens.engine.rulebook.source.shapes import check_keys, need, want_bool, want_list, want_map, want_name, want_text, what
from tollens.engine.rulebook.syntax import Place
from tollens.facts.kind import Field, Kind

PLAIN = ("text", "int", "number", "bool")
_SHAPES = (*PLAIN, "{enum: [...]}", "{ref: KIND}", "{list: text}")
_FIELD_NAMES_TAKEN = ("id", "seq", "as", "any")
_KIND_NAMES_TAKEN = ("any",)
_NAME = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)


class Declared:
    """A kind with the places that later checks point at."""

    def __init__(self, kind: Kind, place: Place, closes: Place | None, refs: list[tuple[str, Place]]) -> None:
        self.kind = kind
        self.place = place
        self.closes = closes
        self.refs = refs


def build_kinds(node: Node, pack: str, problems: Problems) -> tuple[list[Declared], list[str]]:
    """The kinds of a pack.yaml, and the names of those that have a fault; the faults go to the problems."""
    declared: list[Declared] = []
    broken: list[str] = []
    for key, body in want_map(node, "`kinds`", "`KIND: {fields: {...}}`", "packs").entries:
        mark = len(problems)
        with problems.catch():
            declared.append(_kind(key, want_map(body, f"the kind {key.text:.60}", "`{fields: {...}}`", "packs"), pack, problems))
        if len(problems) > mark:
            broken.append(key.text)
    return declared, broken


def _kind(key: Scalar, body: Map, pack: str, problems: Problems) -> Declared:
    name = _lower_name(key, "the name of a kind", _KIND_NAMES_TAKEN)
    check_keys(body, ("says", "fields", "key", "rival", "verdict", "closes"), "a kind", problems, "packs")
    fields: list[Field] = []
    refs: list[tuple[str, Place]] = []
    fields_node = want_map(need(body, "fields", "a kind", "packs"), "`fields`", "`FIELD: TYPE`", "packs")
    for field_key, type_node in fields_node.entries:
        with problems.catch():
            field = _field(field_key, type_node, problems)
            fields.append(field)
            refs += [(choice, type_node.place) for choice in field.choices if field.type == "ref"]
    if not fields_node.entries:
        raise fault(fields_node.place, f"the kind {name} has no fields", expected="at least one field")
    given = body.get("key")
    names = [field.name for field in fields]
    identity = _key(given, names, name) if given is not None and len(names) == len(fields_node.entries) else None
    closes, says = body.get("closes"), body.get("says")
    kind = Kind(
        name,
        fields,
        key=identity,
        rival=_flag(body, "rival"),
        verdict=_flag(body, "verdict"),
        closes=want_name(closes, "`closes`") if closes is not None else "",
        doc=want_text(says, "`says`") if says is not None else "",
        origin=pack,
    )
    return Declared(kind, key.place, closes.place if closes is not None else None, refs)


def _lower_name(key: Scalar, subject: str, taken: tuple[str, ...]) -> str:
    if not _NAME.fullmatch(key.text) or len(key.text) > 100:
        raise fault(
            key.place,
            f"{subject} cannot be {key.text!r:.60}",
            expected="a small letter, then small letters, digits and _",
            next_step="for example project_frame",
        )
    if key.text in taken:
        raise fault(key.place, f"{subject} cannot be {key.text}: it is a word of the language", expected="another name")
    return key.text


def _flag(body: Map, name: str) -> bool:
    node = body.get(name)
    return want_bool(node, f"`{name}`") if node is not None else False


def _key(node: Node, fields: list[str], kind: str) -> tuple[str, ...]:
    names: list[str] = []
    for item in want_list(node, "`key`", f"a list of fields of {kind}", "packs").items:
        name = item.text if isinstance(item, Scalar) else ""
        if name not in fields:
            raise unknown(item.place, f"{kind} has no field {name!r:.60}", name, sorted(fields), f"a field of {kind}", "packs")
        names.append(name)
    if len(set(names)) < len(names):
        raise fault(node.place, "`key` must name each field once", expected=f"fields of {kind}", choices=sorted(fields))
    return tuple(names)


def _field(key: Scalar, node: Node, problems: Problems) -> Field:
    name = _lower_name(key, "the name of a field", _FIELD_NAMES_TAKEN)
    if isinstance(node, Scalar):
        text, optional = (node.text[:-1], True) if node.text.endswith("?") else (node.text, False)
        if text not in PLAIN:
            raise unknown(node.place, f"there is no type {node.text!r:.60}", text, _SHAPES, "the type of a field", "packs")
        return Field(name, text, optional)
    body = want_map(node, f"the type of {name}", "a plain type or a mapping", "packs")
    check_keys(body, ("type", "enum", "ref", "list", "ordered", "optional", "says"), "the type of a field", problems, "packs")
    shapes = [entry for entry in body.entries if entry[0].text in ("type", "enum", "ref", "list")]
    if len(shapes) != 1:
        raise fault(
            node.place, f"the type of {name} must be one of `enum`, `ref`, `list` or `type`", expected="one of them", choices=_SHAPES
        )
    shape, value = shapes[0]
    says = body.get("says")
    base, choices = _shape(shape.text, value)
    field = Field(
        name, base, _flag(body, "optional"), choices, _flag(body, "ordered"), want_text(says, "`says`") if says is not None else ""
    )
    if field.ordered and field.type != "enum":
        raise fault(
            node.place, f"{name} cannot be `ordered`: only an enum can", expected="`ordered` beside `enum`", next_step="remove `ordered`"
        )
    return field


def _shape(shape: str, value: Node) -> tuple[str, tuple[str, ...]]:
    if shape == "enum":
        members = tuple(want_text(item, "a member of an enum") for item in want_list(value, "`enum`", "a list of texts", "packs").items)
        if not members or len(set(members)) < len(members):
            raise fault(value.place, "an enum needs at least one member, and each once", expected="a list of different texts")
        return "enum", members
    if shape == "ref":
        if isinstance(value, Scalar) and value.text == "any":
            return "ref", ()
        nodes = value.items if isinstance(value, Seq) else (value,)
        kinds = tuple(want_name(item, "the kind of a reference") for item in nodes)
        if not kinds:
            raise fault(value.place, "`ref` needs at least one kind", expected="a kind, a list of kinds, or any")
        return "ref", kinds
    text = value.text if isinstance(value, Scalar) else what(value)
    if shape == "list":
        if text != "text":
            raise fault(value.place, "a list holds texts only", expected="{list: text}", next_step="write `list: text`")
        return "list", ()
    if text not in PLAIN:
        raise unknown(value.place, f"there is no type {text!r:.60}", text, PLAIN, "a plain type", "packs")
    return text, ()
