"""Why: what the bench writes into rule files is YAML that the loader reads back as the same values."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from tollens.facts.fact import Fact
from tollens.facts.kind import Field
from tollens.facts.values import Value, unscaled

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*( [A-Za-z0-9_./-]+)*")
_WORDS = ("true", "false", "null", "yes", "no", "on", "off", "~")


def scalar(value: object) -> str:
    """A constant as a rule file writes it; texts in quotes unless they are plain words, `~` for nothing."""
    if value is None:
        return "~"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(scalar(item) for item in value) + "]"
    text = str(value)
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS and not text.endswith(":"):
        return text
    return json.dumps("$" + text if text.startswith("$") else text, ensure_ascii=False).replace("\x7f", "\\x7f")


def plain(field: Field, value: Value) -> object:
    """A field's value as it is written: numbers without their scale."""
    if field.type == "number" and isinstance(value, int):
        return unscaled(value)
    return value


def fact_line(kind: str, fields: Mapping[str, str], label: str = "") -> str:
    """`KIND: {as: LABEL, FIELD: VALUE}`; the values are written already."""
    parts = ([f"as: {label}"] if label else []) + [f"{name}: {value}" for name, value in fields.items()]
    return f"{kind}: {{{', '.join(parts)}}}"


def case_facts(facts: list[Fact]) -> list[str]:
    """Facts as the `facts` of a case: references among them become labels, those to others are left out. Referred facts come first."""
    ids = {fact.id: fact for fact in facts}
    referred = {str(fact.values[position]) for fact in facts for position in fact.kind.references}
    labels = {fact_id: f"f{number}" for number, fact_id in enumerate([one for one in ids if one in referred], 1)}
    lines: list[str] = []
    done: set[str] = set()

    def put(fact: Fact) -> None:
        if fact.id in done:
            return
        done.add(fact.id)
        fields: dict[str, str] = {}
        for field, value in zip(fact.kind.fields, fact.values, strict=True):
            if value is None:
                continue
            if field.type == "ref":
                if str(value) in ids:
                    put(ids[str(value)])
                    fields[field.name] = f"${labels[str(value)]}"
                continue
            fields[field.name] = scalar(plain(field, value))
        lines.append(fact_line(fact.kind.name, fields, labels.get(fact.id, "")))

    for fact in facts:
        put(fact)
    return lines
