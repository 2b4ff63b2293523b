"""Why: a rule is checked as a whole: what it sees, computes, demands and asserts must fit together under every alternative."""

from __future__ import annotations

from collections.abc import Sequence

from tollens.engine.rulebook.build.entries import Site, build_heads, heading, with_says
from tollens.engine.rulebook.build.expressions import Typed, build, settle
from tollens.engine.rulebook.build.patterns import (
    ALTERNATIVE_LIMIT,
    COMPARISONS,
    ORDERED,
    build_source,
    build_unless,
    check_count,
    member_list,
    new_name,
)
from tollens.engine.rulebook.build.scope import Scope
from tollens.engine.rulebook.build.types import Type, comparable
from tollens.engine.rulebook.source.nodes import Map, Node, Scalar, Seq
from tollens.engine.rulebook.source.problems import fault, unknown
from tollens.engine.rulebook.source.shapes import need, only_entry, want_list, want_map
from tollens.engine.rulebook.syntax import Condition, Const, Expr, Let, Pattern, Place, Rule
from tollens.facts.kind import Field

CONDITIONS = (*COMPARISONS, "in", "exists")


def build_rule(node: Map, site: Site) -> Rule:
    """A rule from its mapping. Faults in its parts go to the problems; the rule is of use only when there are none."""
    meta = heading(node, site, "a rule", ("when", "unless", "let", "if", "then"))
    world = site.world
    when = need(node, "when", "a rule", "rules")
    unless_node = node.get("unless")
    branches = expand(when)
    negated = len(unless_node.items) if isinstance(unless_node, Seq) else 0
    longest = max(branches, key=len)
    check_count(len(longest) + negated, when.place, f"the rule {meta.id}")
    scopes, alternatives = [], []
    for branch in branches:
        scope = Scope(world)
        alternatives.append(build_source(Seq(tuple(branch), when.place), scope, "`when`"))
        scopes.append(scope)
    scope = common(scopes)
    unless: tuple[Pattern, ...] = ()
    with world.problems.catch():
        unless = build_unless(unless_node, scope)
    lets = _lets(node.get("let"), scope)
    conditions = _conditions(node.get("if"), scope)
    heads = build_heads(need(node, "then", "a rule", "rules"), scope)
    return Rule(with_says(meta, node, scope), tuple(alternatives), unless, lets, conditions, heads)


def expand(when: Node) -> list[list[Node]]:
    """`when` in disjunctive form: every `any` is replaced by each of its lists in turn."""
    branches: list[list[Node]] = [[]]
    for item in want_list(when, "`when`", "a list of patterns", "rules").items:
        choices: list[list[Node]] = [[item]]
        if isinstance(item, Map) and len(item.entries) == 1 and item.entries[0][0].text == "any":
            lists = want_list(item.entries[0][1], "`any`", "a list of lists of patterns", "rules")
            if not lists.items:
                raise fault(lists.place, "`any` is empty: nothing could satisfy it", expected="a list of lists of patterns")
            choices = [branch for part in lists.items for branch in expand(part)]
        if len(branches) * len(choices) > ALTERNATIVE_LIMIT:
            raise fault(
                item.place,
                f"the rule has more than {ALTERNATIVE_LIMIT} alternatives after `any` is expanded",
                expected=f"at most {ALTERNATIVE_LIMIT}",
                next_step="split the rule, or derive a helper kind in an earlier rule",
            )
        branches = [[*branch, *choice] for branch in branches for choice in choices]
    return branches


def common(scopes: Sequence[Scope]) -> Scope:
    """What all alternatives bind to one kind; other names are remembered with the reason why they cannot be used."""
    scope = scopes[0].copy()
    for other in scopes[1:]:
        scope.broken |= other.broken
        for name, kind in [*scope.aliases.items(), *other.aliases.items()]:
            mine, theirs = scope.aliases.get(name), other.aliases.get(name)
            if mine is None or theirs is None:
                scope.partial.setdefault(name, "is bound in some alternatives of `any` only")
            elif mine.name != theirs.name:
                scope.partial[name] = f"is bound to {mine.name} in one alternative of `any` and to {theirs.name} in another"
            else:
                scope.aliases[name] = kind
        for name in scope.partial:
            scope.aliases.pop(name, None)
    return scope


def _lets(node: Node | None, scope: Scope) -> tuple[Let, ...]:
    lets: list[Let] = []
    problems = scope.world.problems
    with problems.catch():
        for key, value in want_map(node, "`let`", "NAME: EXPRESSION", "rules").entries if node is not None else ():
            with problems.catch():
                name = new_name(key, scope, "a name of `let`")
                scope.broken.add(name)
                expr, have = build(value, scope)
                lets.append(Let(name, expr, "text" if have.base == "enum" else have.base))
                scope.names[name] = have._replace(literal=False)
                scope.broken.discard(name)
    return tuple(lets)


def _conditions(node: Node | None, scope: Scope) -> tuple[Condition, ...]:
    conditions: list[Condition] = []
    problems = scope.world.problems
    with problems.catch():
        for item in want_list(node, "`if`", "a list of `OP: [EXPRESSION, EXPRESSION]`", "rules").items if node is not None else ():
            with problems.catch():
                conditions.append(_condition(item, scope))
    return tuple(conditions)


def _condition(node: Node, scope: Scope) -> Condition:
    key, value = only_entry(node, "a condition", "`OP: [EXPRESSION, EXPRESSION]`", "rules")
    op = key.text
    if op not in CONDITIONS:
        raise unknown(key.place, f"there is no condition {op!r:.60}", op, CONDITIONS, "a condition", "rules")
    if op == "exists":
        return Condition(op, build(value, scope)[0], Const(True), key.place)
    sides = want_list(value, f"`{op}`", "two expressions", "rules").items
    if len(sides) != 2:
        raise fault(value.place, f"`{op}` compares two expressions, not {len(sides)}", expected="a list of two expressions")
    left, right = _in(sides[0], sides[1], scope, key.place) if op == "in" else _sides(op, sides[0], sides[1], scope)
    return Condition(op, left, right, key.place)


def _sides(op: str, left_node: Node, right_node: Node, scope: Scope) -> tuple[Expr, Expr]:
    left, right = build(left_node, scope), build(right_node, scope)
    if op in ORDERED:
        for (_, have), place in ((left, left_node.place), (right, right_node.place)):
            if have.base not in ("int", "number"):
                raise fault(
                    place,
                    f"`{op}` under `if` compares ints and numbers; this is {have.describe()}",
                    expected="an int or a number",
                    next_step="compare the members of an ordered enum in a pattern of `when`",
                )
    if left[1].literal != right[1].literal:
        return _literal(left, right[1], left_node.place), _literal(right, left[1], right_node.place)
    reason = comparable(left[1], right[1], op)
    if reason:
        raise fault(right_node.place, f"the two sides of `{op}` cannot be compared: {reason}", expected=left[1].describe())
    return left[0], right[0]


def _literal(side: Typed, other: Type, place: Place) -> Expr:
    """A constant in the form of the other side; anything else as it is."""
    if not side[1].literal:
        return side[0]
    if other.base == "list":
        raise fault(place, "lists cannot be compared", expected="a value that is not a list")
    return settle(side, _as_field(other), place, "this side")


def _as_field(have: Type) -> Field:
    return Field("this side", have.base, False, have.choices, have.ordered)


def _in(left_node: Node, right_node: Node, scope: Scope, place: Place) -> tuple[Expr, Expr]:
    left, have = build(left_node, scope)
    if isinstance(right_node, Scalar):
        right, right_type = build(right_node, scope)
        if right_type.base == "list" and not right_type.literal and have.base in ("text", "enum"):
            return left, right
        if not right_type.literal:
            raise fault(right_node.place, f"`in` needs a list of constants or of texts, not {right_type.describe()}", expected="a list")
    return left, member_list(right_node, _as_field(have), place, "the left side", scope)
