"""Why: elections, selections and groups decide by an order that the file spells out in full; anything less is an error at load."""

from __future__ import annotations

from tollens.engine.rulebook.build.constants import constant
from tollens.engine.rulebook.build.entries import Site, bound_ref, build_head, heading, with_says
from tollens.engine.rulebook.build.patterns import build_pattern, build_source, build_unless, check_count
from tollens.engine.rulebook.build.scope import Scope, field_of
from tollens.engine.rulebook.build.types import ID, INT, SEQ, TEXT, Type, of_field, overlaps
from tollens.engine.rulebook.source.nodes import Map, Node, Seq
from tollens.engine.rulebook.source.problems import fault
from tollens.engine.rulebook.source.shapes import need, one_of, only_entry, want_list, want_name, what
from tollens.engine.rulebook.syntax import Apart, By, Elect, Group, Head, Meta, Pattern, Ref, Take
from tollens.facts.kind import Field, Kind

_PAGE = "operators-over-finished-stages"


class _Rows:
    """What the three operators share: source patterns, `unless`, and the scope of a row."""

    def __init__(self, node: Map, site: Site, subject: str, meta: Meta) -> None:
        self.scope = Scope(site.world)
        source = need(node, "from", subject, _PAGE)
        unless = node.get("unless")
        count = sum(len(part.items) for part in (source, unless) if isinstance(part, Seq))
        check_count(count, source.place, f"{subject} {meta.id}")
        self.source = build_source(source, self.scope, "`from`")
        self.unless: tuple[Pattern, ...] = ()
        with site.world.problems.catch():
            self.unless = build_unless(unless, self.scope)

    def per(self, node: Map) -> tuple[Ref, ...]:
        """The values that make the groups."""
        given = node.get("per")
        refs: list[Ref] = []
        for item in want_list(given, "`per`", "a list of $alias.field", _PAGE).items if given is not None else ():
            ref = bound_ref(item, self.scope, "an item of `per`")
            if self.field(ref).type == "list":
                raise fault(item.place, "a list cannot make groups", expected="a field that is not a list")
            refs.append(ref)
        return tuple(refs)

    def field(self, ref: Ref) -> Field:
        """The field that a reference names."""
        kind = self.scope.aliases[ref.alias]
        return {ID: Field(ID, "ref", False, (kind.name,)), SEQ: Field(SEQ, "int")}.get(ref.field) or kind.field(ref.field)

    def by(self, node: Map, subject: str) -> tuple[By, ...]:
        """A total order: the last key is the seq or id of a source fact."""
        given = need(node, "by", subject, _PAGE)
        keys: list[By] = []
        items = want_list(given, "`by`", "a list of `asc: $alias.field` and `desc: $alias.field`", _PAGE).items
        for item in items:
            key, value = only_entry(item, "a key of `by`", "`asc: $alias.field` or `desc: $alias.field`", _PAGE)
            turned = one_of(key, ("asc", "desc"), "the direction of a key", _PAGE)
            ref = bound_ref(value, self.scope, "a key of `by`")
            field = self.field(ref)
            if field.type == "list" or (field.type == "enum" and not field.ordered):
                raise fault(
                    value.place,
                    f"{value_text(value)} has no order: it is {field._replace(optional=False).describe()}",
                    expected="a text, number, truth value, reference or ordered enum",
                    next_step="declare the enum with `ordered: true`, or choose another key",
                )
            keys.append(By(ref, turned == "desc"))
        if not keys or keys[-1].value.field not in (ID, SEQ):
            first = next(iter(self.scope.aliases), "alias")
            raise fault(
                items[-1].place if items else given.place,
                "the order is not total: two rows may share all keys",
                expected="a last key that no two facts share: the seq or id of a source fact",
                next_step=f"add `- asc: ${first}.seq`"
                if not first.startswith("_")
                else "name the first pattern by `as: f` and add `- asc: $f.seq`",
            )
        return tuple(keys)


def _head(node: Node | None, bound: Scope, **names: Type) -> Head | None:
    """A head over a row and the operator's own names."""
    if node is None:
        return None
    scope = bound.copy()
    scope.names.update(names)
    with scope.world.problems.catch():
        return build_head(node, scope)
    return None


def value_text(node: Node) -> str:
    """A reference as it is written."""
    return getattr(node, "text", what(node))


def _nothing(node: Map, name: str) -> Head:
    """Stands for a head that has a fault of its own."""
    return Head(name, (), node.place)


def build_elect(node: Map, site: Site) -> Elect:
    """An election from its mapping."""
    meta = heading(node, site, "an election", ("from", "unless", "per", "by", "into"))
    rows = _Rows(node, site, "an election", meta)
    into = _head(need(node, "into", "an election", _PAGE), rows.scope) or _nothing(node, "")
    per, by = rows.per(node), rows.by(node, "an election")
    return Elect(with_says(meta, node, rows.scope), rows.source, rows.unless, per, by, into)


def build_take(node: Map, site: Site) -> Take:
    """A selection from its mapping."""
    meta = heading(node, site, "a selection", ("from", "unless", "per", "by", "keep", "apart", "into", "rest"))
    rows = _Rows(node, site, "a selection", meta)
    first = rows.scope.aliases[rows.source[0].alias] if rows.source else None
    into = _head(need(node, "into", "a selection", _PAGE), rows.scope, number=INT) or _nothing(node, "")
    nearest = {"nearest": Type("ref", (first.name,))} if first is not None and node.get("apart") is not None else {}
    rest = _head(node.get("rest"), rows.scope, number=INT, **nearest)
    per, by = rows.per(node), rows.by(node, "a selection")
    keep = _keep(node.get("keep"), site)
    apart = _apart(node.get("apart"), site, first)
    return Take(with_says(meta, node, rows.scope), rows.source, rows.unless, per, by, keep, apart, into, rest)


def _keep(node: Node | None, site: Site) -> int:
    if node is None:
        return -1
    value = constant(node, site.world)
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value < 2**31:
        return value
    raise fault(node.place, f"`keep` must be an int from 1, not {what(node)}", expected="how many rows of a group are taken")


def _apart(node: Node | None, site: Site, first: Kind | None) -> Apart | None:
    if node is None or first is None:
        return None
    key, value = only_entry(node, "`apart`", "`KIND: [LEFT, RIGHT]`", _PAGE)
    kind = site.world.kind(key)
    items = want_list(value, "the fields of `apart`", "a list of two fields", _PAGE).items
    if len(items) != 2:
        raise fault(
            value.place, f"`apart` names two fields, not {len(items)}", expected=f"two fields of {kind.name}", choices=sorted(kind.index)
        )
    names = []
    for item in items:
        field = field_of(kind, want_name(item, "a field of `apart`"), item.place)
        if field.type != "ref" or not overlaps(field.choices, (first.name,)):
            raise fault(
                item.place,
                f"{kind.name}.{field.name} does not refer to {first.name}: it is {field.describe()}",
                expected=f"a reference to {first.name}",
            )
        names.append(field.name)
    return Apart(kind.name, names[0], names[1])


def build_group(node: Map, site: Site) -> Group:
    """A grouping from its mapping."""
    meta = heading(node, site, "a grouping", ("from", "unless", "pair", "members", "into", "member"))
    rows = _Rows(node, site, "a grouping", meta)
    pair = need(node, "pair", "a grouping", _PAGE)
    items = want_list(pair, "`pair`", "a list of two $alias.field", _PAGE).items
    if len(items) != 2:
        raise fault(pair.place, f"`pair` names two values, not {len(items)}", expected="[$alias.field, $alias.field]")
    left, right = (bound_ref(item, rows.scope, "a side of `pair`") for item in items)
    for ref, item in zip((left, right), items, strict=True):
        if rows.field(ref).type not in ("text", "enum", "ref", "int"):
            raise fault(item.place, f"a side of `pair` cannot be {rows.field(ref).describe()}", expected="a text, enum, int or reference")
    members = None
    given = node.get("members")
    left_type, right_type = of_field(rows.field(left)), of_field(rows.field(right))
    if given is not None:
        members = _members(given, rows.scope)
        member = Type("ref", (members.kind,))
        if not any(side.base == "ref" and overlaps(side.choices, member.choices) for side in (left_type, right_type)):
            raise fault(given.place, f"no side of `pair` refers to {members.kind}", expected="the kind of one side of `pair`")
    else:
        if left_type.base != right_type.base:
            raise fault(
                items[1].place,
                f"both sides of `pair` are members and must have one type: {left_type.describe()} and {right_type.describe()}",
                expected=left_type.describe(),
                next_step="name the members by `members: KIND` where the other side only connects",
            )
        choices = () if not (left_type.choices and right_type.choices) else tuple(dict.fromkeys((*left_type.choices, *right_type.choices)))
        member = Type(left_type.base, choices)
    names = {"group": TEXT, "size": INT}
    outer = Scope(site.world)
    into = _head(node.get("into"), outer, **names)
    each = _head(node.get("member"), outer, **names, member=member)
    if node.get("into") is None and node.get("member") is None:
        raise fault(node.place, "a grouping asserts nothing", expected="`into`, `member` or both", choices=("into", "member"))
    outer.names.update(names)
    return Group(with_says(meta, node, outer), rows.source, rows.unless, left, right, members, into, each)


def _members(node: Node, scope: Scope) -> Pattern:
    """`members: KIND`, or a pattern that only some facts of the kind satisfy."""
    if isinstance(node, Map):
        return build_pattern(node, Scope(scope.world), "_members", bind=False)
    if not isinstance(node, Seq) and node.text:
        return Pattern(scope.world.kind(node).name, "_members", (), node.place)
    raise fault(node.place, f"`members` must be a kind, not {what(node)}", expected="`members: KIND`")
