"""Why: `says` and `format` are templates over bound names; a placeholder that names nothing is found at load, not when a proof is shown."""

from __future__ import annotations

import re

from tollens.engine.rulebook.build.scope import Raw, Scope
from tollens.engine.rulebook.source.nodes import Node, Scalar
from tollens.engine.rulebook.source.problems import fault
from tollens.engine.rulebook.source.shapes import want_text
from tollens.engine.rulebook.syntax import Format, Name, Ref

_PART = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


def build_template(node: Node, scope: Scope, subject: str) -> Format:
    """The template in a text: `{name}`, `{alias.field}`, `{tables.NAME}`; `{{` and `}}` are braces."""
    if isinstance(node, Scalar) and not isinstance(node.value, str) and node.text:
        text = node.text
    else:
        text = want_text(node, subject, 'a template such as "{f.file} lies in the project"')
    parts: list[str | Ref | Name] = []
    literal, position = "", 0
    for found in _PART.finditer(text):
        literal += text[position : found.start()]
        position = found.end()
        token = found.group()
        if token in ("{{", "}}"):
            literal += token[0]
        elif found.group(1) is None:
            raise fault(
                node.place,
                f"{subject} has a lone `{token}` after {text[: found.start()][-20:]!r}",
                expected="{name}, {alias.field}, or {{ and }} for braces",
                next_step=f"write `{token * 2}` for a brace",
            )
        else:
            part = _placeholder(found.group(1), node, scope)
            if isinstance(part, str):
                literal += part
            else:
                parts += [literal, part] if literal else [part]
                literal = ""
    literal += text[position:]
    return Format((*parts, literal) if literal else tuple(parts))


def _placeholder(text: str, node: Node, scope: Scope) -> str | Ref | Name:
    name = text.strip()
    if name.startswith("tables."):
        return plain_text(scope.world.table(name[len("tables.") :], node.place))
    return scope.reference(name.removeprefix("$"), node.place)[0]


def plain_text(value: Raw) -> str:
    """A constant as a template shows it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return ", ".join(value) if isinstance(value, tuple) else str(value)
