"""Why: everything with an id in a rule file has the same heading and asserts facts in the same way."""

from __future__ import annotations

from typing import NamedTuple

from tollens.engine.rulebook.build.expressions import build, settle
from tollens.engine.rulebook.build.scope import Scope, World
from tollens.engine.rulebook.build.templates import build_template
from tollens.engine.rulebook.builtin import PRODUCER_FIELDS
from tollens.engine.rulebook.source.nodes import Map, Node, Scalar
from tollens.engine.rulebook.source.problems import Followup, fault, unknown
from tollens.engine.rulebook.source.shapes import (
    check_keys,
    need,
    one_of,
    only_entry,
    texts,
    want_bool,
    want_id,
    want_list,
    want_map,
    want_text,
)
from tollens.engine.rulebook.syntax import Elect, Expr, Format, Group, Head, Measure, Meta, Redaction, Ref, Rule, Take, TextPattern

#: What runs in a stage, and what may stand in a rule file beside it.
Entry = Rule | Elect | Take | Group | TextPattern | Measure
Item = Entry | Redaction

STATUSES = ("stable", "experimental", "deprecated")
HEADING = ("id", "says", "status", "refs", "since", "sealed", "replaces")

_HEAD = "`KIND: {FIELD: EXPRESSION}`"


class Site(NamedTuple):
    """Where an entry stands: the pack and stage it belongs to, and what all files share."""

    pack: str
    stage: str
    world: World


def heading(node: Map, site: Site, what: str, more: tuple[str, ...]) -> Meta:
    """The heading of an entry (its position and `says` come later). Raises PackError where the id cannot be used."""
    problems = site.world.problems
    check_keys(node, (*HEADING, *more), what, problems)
    name = want_id(need(node, "id", what), "the id")
    meta = Meta(name, site.stage, 0, node.place, site.pack, Format(()))
    for key, value in node.entries:
        with problems.catch():
            if key.text == "status":
                meta = meta._replace(status=one_of(value, STATUSES, "`status`"))
            elif key.text == "refs":
                meta = meta._replace(refs=texts(value, "`refs`"))
            elif key.text == "since":
                since = value.text if isinstance(value, Scalar) and value.text else want_text(value, "`since`")
                meta = meta._replace(since=since)
            elif key.text == "sealed":
                meta = meta._replace(sealed=want_bool(value, "`sealed`"))
            elif key.text == "replaces":
                meta = meta._replace(replaces=want_id(value, "`replaces`"))
    return meta


def with_says(meta: Meta, node: Map, scope: Scope) -> Meta:
    """The heading with its sentence, whose placeholders must be bound in the scope."""
    says = node.get("says")
    if says is not None:
        with scope.world.problems.catch():
            return meta._replace(says=build_template(says, scope, "`says`"))
    return meta


def build_head(node: Node, scope: Scope) -> Head:
    """One fact to assert: every field of the kind that is not optional must be given."""
    key, body = only_entry(node, "a fact", _HEAD, "rules")
    kind, problems = scope.world.kind(key), scope.world.problems
    if kind.name in PRODUCER_FIELDS:
        raise fault(
            key.place, f"only the engine asserts {kind.name}", expected="a kind of the pack", next_step="declare a kind of your own"
        )
    given: dict[str, Expr | None] = {}
    told = len(problems)
    for name, value in want_map(body, f"the fields of {kind.name}", _HEAD, "rules").entries:
        with problems.catch():
            if name.text not in kind.index:
                raise unknown(
                    name.place,
                    f"{kind.name} has no field {name.text!r:.60}",
                    name.text,
                    sorted(kind.index),
                    f"a field of {kind.name}",
                    "rules",
                )
            field = kind.field(name.text)
            given[name.text] = None
            given[name.text] = settle(build(value, scope), field, value.place, f"{kind.name}.{name.text}")
    missing = [field.name for field in kind.fields if not field.optional and field.name not in given]
    if missing and len(problems) == told:
        raise fault(
            key.place,
            f"{kind.name} needs {', '.join(missing)}",
            expected="a value for every field that is not optional",
            choices=missing,
            next_step=f"add `{missing[0]}: ...`",
        )
    if missing:
        raise Followup("a field that was told already is missing", place=key.place)
    fields = [(field.name, expr) for field in kind.fields if (expr := given.get(field.name)) is not None]
    return Head(kind.name, tuple(fields), key.place)


def build_heads(node: Node, scope: Scope) -> tuple[Head, ...]:
    """The facts of `then`."""
    heads: list[Head] = []
    items = want_list(node, "`then`", f"a list of {_HEAD}", "rules").items
    for item in items:
        with scope.world.problems.catch():
            heads.append(build_head(item, scope))
    if not items:
        raise fault(node.place, "`then` is empty", expected="at least one fact to assert", next_step="add `- KIND: {...}`")
    return tuple(heads)


def bound_ref(node: Node, scope: Scope, subject: str) -> Ref:
    """`$alias` or `$alias.field` of a bound fact."""
    if isinstance(node, Scalar) and isinstance(node.value, str) and node.value.startswith("$"):
        ref, _ = scope.reference(node.value[1:], node.place)
        if isinstance(ref, Ref):
            return ref
    raise fault(
        node.place,
        f"{subject} must be a field of a bound fact",
        expected="$alias.field or $alias",
        next_step="name a pattern by `as:` and refer to it",
    )
