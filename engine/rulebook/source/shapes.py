"""Why: every part of a rule file asks for the same few shapes; what does not fit is told in one way, at its own place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tollens.engine.rulebook.source.nodes import Map, Node, Scalar, Seq
from tollens.engine.rulebook.source.problems import Problems, fault, unknown

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*", re.ASCII)
_ID = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*", re.ASCII)
#: Characters of a name or id.
NAME_LIMIT = 100


def what(node: Node) -> str:
    """A node as an error message says it."""
    if isinstance(node, Map):
        return "a mapping"
    if isinstance(node, Seq):
        return "a list"
    if node.value is None:
        return "nothing"
    if isinstance(node.value, bool):
        return f"the truth value {node.text}"
    if isinstance(node.value, int | float):
        return f"the number {node.text:.40}"
    return f"the text {node.text!r:.60}"


def want_map(node: Node, subject: str, expected: str = "a mapping", page: str = "rule-files") -> Map:
    """The node as a mapping."""
    if isinstance(node, Map):
        return node
    raise fault(node.place, f"{subject} must be a mapping, not {what(node)}", expected=expected, next_step=f"see docs/language.md#{page}")


def want_list(node: Node, subject: str, expected: str = "a list", page: str = "rule-files") -> Seq:
    """The node as a list."""
    if isinstance(node, Seq):
        return node
    raise fault(
        node.place,
        f"{subject} must be a list, not {what(node)}",
        expected=expected,
        next_step=f"begin each item with `- `; see docs/language.md#{page}",
    )


def want_text(node: Node, subject: str, expected: str = "a text") -> str:
    """The node as a text that is not empty."""
    if isinstance(node, Scalar) and isinstance(node.value, str) and node.value:
        return node.value
    hint = "put it in quotes" if isinstance(node, Scalar) and node.text else ""
    raise fault(node.place, f"{subject} must be a text, not {what(node)}", expected=expected, next_step=hint)


def want_bool(node: Node, subject: str) -> bool:
    """The node as a truth value."""
    if isinstance(node, Scalar) and isinstance(node.value, bool):
        return node.value
    raise fault(
        node.place, f"{subject} must be true or false, not {what(node)}", choices=("false", "true"), next_step="write true or false"
    )


def want_name(node: Node, subject: str) -> str:
    """The node as a name: a letter, then letters, digits and `_`."""
    text = node.text if isinstance(node, Scalar) else ""
    if _NAME.fullmatch(text) and len(text) <= NAME_LIMIT:
        return text
    raise fault(
        node.place,
        f"{subject} must be a name, not {what(node)}",
        expected=f"a letter, then letters, digits and _ (at most {NAME_LIMIT})",
        next_step="choose a name of these characters",
    )


def want_id(node: Node, subject: str) -> str:
    """The node as an id: letters, digits, `_` and `-` in parts with dots between."""
    text = node.text if isinstance(node, Scalar) else ""
    if _ID.fullmatch(text) and len(text) <= NAME_LIMIT:
        return text
    raise fault(
        node.place,
        f"{subject} must be an id, not {what(node)}",
        expected=f"letters, digits, _ and -, in parts with dots between (at most {NAME_LIMIT})",
        next_step="for example frame.project",
    )


def check_keys(node: Map, allowed: Sequence[str], subject: str, problems: Problems, page: str = "rule-files") -> None:
    """Report every key that is not among the allowed ones."""
    for key, _ in node.entries:
        if key.text not in allowed:
            problems.add(unknown(key.place, f"{subject} has no key {key.text!r:.60}", key.text, allowed, f"a key of {subject}", page))


def need(node: Map, name: str, subject: str, page: str = "rule-files") -> Node:
    """The value of a key that must be there."""
    value = node.get(name)
    if value is None:
        raise fault(
            node.place, f"{subject} needs `{name}`", expected=f"the key {name}", next_step=f"add `{name}:`; see docs/language.md#{page}"
        )
    return value


def only_entry(node: Node, subject: str, expected: str, page: str = "rule-files") -> tuple[Scalar, Node]:
    """The one entry of a mapping such as `KIND: {...}`."""
    entries = want_map(node, subject, expected, page).entries
    if len(entries) == 1:
        return entries[0]
    names = ", ".join(key.text for key, _ in entries[:6])
    raise fault(
        entries[1][0].place if entries else node.place,
        f"{subject} must hold one key, not {len(entries)}" + (f" ({names})" if entries else ""),
        expected=expected,
        next_step=f"indent what belongs to `{entries[0][0].text}` further" if entries else f"see docs/language.md#{page}",
    )


def texts(node: Node, subject: str) -> tuple[str, ...]:
    """A list of texts."""
    return tuple(want_text(item, f"an item of {subject}") for item in want_list(node, subject).items)


def one_of(node: Node, choices: Iterable[str], subject: str, page: str = "rule-files") -> str:
    """A text that must be among the choices."""
    options = tuple(choices)
    text = node.text if isinstance(node, Scalar) else ""
    if text in options:
        return text
    raise unknown(node.place, f"{subject} cannot be {what(node)}", text, options, f"one of the choices for {subject}", page)
