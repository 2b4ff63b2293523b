"""Why: a pattern is checked field by field against the kinds, so that a rule that loads can match."""

from __future__ import annotations

from tollens.engine.errors import PackError
from tollens.engine.rulebook.build.constants import constant, fit, list_items
from tollens.engine.rulebook.build.regex import BadRegex, compile_regex
from tollens.engine.rulebook.build.scope import RESERVED, Scope, field_of, scalar_constant
from tollens.engine.rulebook.build.types import comparable, of_field
from tollens.engine.rulebook.source.nodes import Map, Node, Scalar, Seq
from tollens.engine.rulebook.source.problems import fault, unknown
from tollens.engine.rulebook.source.shapes import only_entry, want_bool, want_list, want_map, want_name, what
from tollens.engine.rulebook.syntax import Const, Name, Pattern, Place, Ref, Test
from tollens.facts.kind import Field, Kind

COMPARISONS = ("eq", "ne", "gt", "gte", "lt", "lte")
ORDERED = ("gt", "gte", "lt", "lte")
TEXT_TESTS = ("starts", "ends", "contains", "matches")
OPERATORS = (*COMPARISONS, "in", "exists", *TEXT_TESTS)

#: Patterns and `unless` patterns of one alternative; alternatives of one rule.
PATTERN_LIMIT = 14
ALTERNATIVE_LIMIT = 64

_SHAPE = "`KIND: {as: ALIAS, FIELD: TEST}`"


def build_pattern(node: Node, scope: Scope, alias: str, *, bind: bool) -> Pattern:
    """One pattern. With `bind`, `as` (or else `alias`) becomes a name of the scope; without it a name would bind nothing.

    Faults in single tests go to the world's problems; a pattern that cannot be read at all raises PackError.
    """
    try:
        return _pattern(node, scope, alias, bind=bind)
    except PackError:
        scope.broken |= _names(node)
        raise


def _names(node: Node) -> set[str]:
    """What a faulty pattern would have bound."""
    bodies = [body for _, body in node.entries if isinstance(body, Map)] if isinstance(node, Map) else []
    given = [body.get("as") for body in (*bodies, node) if isinstance(body, Map)]
    return {part.text for part in given if isinstance(part, Scalar)}


def _pattern(node: Node, scope: Scope, alias: str, *, bind: bool) -> Pattern:
    key, body = only_entry(node, "a pattern", _SHAPE, "rules")
    if key.text == "any":
        raise fault(key.place, "`any` cannot stand here", expected=_SHAPE, next_step="`any` is for `when`; write one entry per alternative")
    kind = scope.world.kind(key)
    tests_node = want_map(body, f"the tests of {kind.name}", _SHAPE, "rules")
    given = tests_node.get("as")
    if given is not None and not bind:
        raise fault(given.place, "a name cannot be bound here: nothing else could refer to it", next_step="remove `as`")
    tests: list[Test] = []
    for name, test in tests_node.entries:
        if name.text != "as":
            with scope.world.problems.catch():
                tests += _build_tests(kind, name, test, scope)
    if given is not None:
        alias = new_name(given, scope, "an alias")
    if bind:
        scope.aliases[alias] = kind
    return Pattern(kind.name, alias, tuple(tests), key.place)


def new_name(node: Node, scope: Scope, subject: str) -> str:
    """A name that is free in the scope and not one of the language's own."""
    name = want_name(node, subject)
    if name in RESERVED:
        raise fault(node.place, f"{name} is a name of the language", expected="another name", next_step=f"call it {name}_1, for example")
    if name in scope.aliases or name in scope.names:
        raise fault(node.place, f"the name {name} is bound already", expected="a new name", next_step="choose another name")
    return name


def _build_tests(kind: Kind, key: Scalar, node: Node, scope: Scope) -> list[Test]:
    field = field_of(kind, key.text, key.place)
    if isinstance(node, Scalar):
        return [_comparison(kind, field, "eq", node, scope)]
    if isinstance(node, Seq):
        raise fault(
            node.place,
            f"{kind.name}.{field.name} cannot equal a list",
            expected="a constant, a reference or a mapping of operators",
            next_step="write `in: [...]` for one of several values",
        )
    if not node.entries:
        raise fault(node.place, f"the test of {field.name} is empty", choices=OPERATORS, expected="at least one operator")
    return [_build_test(kind, field, op, operand, scope) for op, operand in node.entries]


def _build_test(kind: Kind, field: Field, key: Scalar, node: Node, scope: Scope) -> Test:
    op, subject = key.text, f"{kind.name}.{field.name}"
    if op not in OPERATORS:
        raise unknown(key.place, f"there is no operator {op!r:.60}", op, OPERATORS, "an operator", "rules")
    if op == "exists":
        if not field.optional:
            raise fault(key.place, f"{subject} is always there", expected="a field that may be absent", next_step="remove the test")
        return Test(field.name, op, Const(want_bool(node, "exists")))
    if field.type == "list":
        raise fault(key.place, f"{subject} is a list: `{op}` cannot test it", choices=("exists",), expected="a field of another type")
    if op in TEXT_TESTS:
        return Test(field.name, op, Const(_text_operand(field, subject, key, node, scope)))
    if op == "in":
        return Test(field.name, op, member_list(node, field, key.place, subject, scope))
    if not isinstance(node, Scalar):
        raise fault(node.place, f"`{op}` compares with one value, not {what(node)}", expected="a constant or a reference")
    return _comparison(kind, field, op, node, scope)


def _comparison(kind: Kind, field: Field, op: str, node: Scalar, scope: Scope) -> Test:
    subject = f"{kind.name}.{field.name}"
    if node.value is None:
        raise fault(
            node.place,
            f"{subject} has nothing to be compared with",
            expected="a constant or a reference",
            next_step="write `exists: false` for absence",
        )
    if op in ORDERED and not field.comparable:
        raise fault(
            node.place,
            f"{subject} has no order: it is {field._replace(optional=False).describe()}",
            expected="an int, a number, or an enum declared with `ordered: true`",
            choices=("eq", "ne", "in"),
        )
    operand, type_ = scope.value(node)
    if isinstance(operand, Name):
        raise fault(
            node.place,
            f"${operand.name} is a computed value; a test compares with constants and bound facts",
            expected="a constant, $alias or $alias.field",
            next_step="compare it under `if`",
        )
    if isinstance(operand, Ref):
        reason = comparable(of_field(field), type_, op)
        if reason:
            raise fault(node.place, f"{subject} cannot be compared with {node.text:.60}: {reason}", expected=of_field(field).describe())
        return Test(field.name, op, operand)
    if field.type == "list":
        raise fault(node.place, f"{subject} is a list and cannot be compared", expected="a field of another type", choices=("exists",))
    return Test(field.name, op, Const(fit(scalar_constant(node, scope.world), field, node.place, subject)))


def member_list(node: Node, field: Field, place: Place, subject: str, scope: Scope) -> Const:
    """The operand of `in`: a list of constants of the field's type, sorted out of duplicates, in the order written."""
    if field.type not in ("text", "enum", "int", "number"):
        raise fault(place, f"{subject} cannot be tested by `in`: it is {field.describe()}", expected="a text, enum, int or number")
    values: list[object] = []
    if isinstance(node, Scalar):
        raw = constant(node, scope.world)
        if not isinstance(raw, tuple):
            raise fault(node.place, f"the operand of `in` must be a list, not {what(node)}", expected="a list of constants")
        values = [fit(item, field, node.place, subject) for item in raw]
    else:
        for item in want_list(node, "the operand of `in`", "a list of constants").items:
            values += [fit(part, field, item.place, subject) for part in list_items(item, scope.world)]
    if not values:
        raise fault(node.place, "the operand of `in` is an empty list: nothing could satisfy it", expected="at least one constant")
    return Const(tuple(dict.fromkeys(values)))  # type: ignore[arg-type]  # texts, or ints: the field's type is one of four


def _text_operand(field: Field, subject: str, key: Scalar, node: Node, scope: Scope) -> str:
    if field.type != "text":
        raise fault(
            key.place, f"`{key.text}` tests texts; {subject} is {field.describe()}", expected="a text field", choices=("eq", "ne", "in")
        )
    if key.text == "matches":
        return regex_text(node, scope)
    value = constant(node, scope.world)
    if not isinstance(value, str):
        raise fault(node.place, f"`{key.text}` needs a text, not {what(node)}", expected="a text", next_step="put it in quotes")
    if not value:
        raise fault(node.place, f"`{key.text}` with an empty text is true of every text", expected="a text that is not empty")
    return value


def regex_text(node: Node, scope: Scope) -> str:
    """A regular expression that compiles in the dialect; only `$tables.NAME` is replaced, any other `$` is the expression's own."""
    if not isinstance(node, Scalar) or not isinstance(node.value, str) or not node.value:
        raise fault(
            node.place, f"a regular expression must be a text, not {what(node)}", expected="a text", next_step="put it in single quotes"
        )
    text = node.value
    if text.startswith("$tables."):
        value = scope.world.table(text[len("$tables.") :], node.place)
        if not isinstance(value, str):
            raise fault(node.place, f"{text} is not a text", expected="a text with a regular expression")
        text = value
    try:
        compile_regex(text)
    except BadRegex as error:
        raise fault(
            node.place,
            f"the regular expression cannot be used: {error}",
            expected="RE2's dialect: no look-around, no back-references, bounded size",
            next_step="see docs/language.md#operators-over-finished-stages",
        ) from None
    return text


def build_source(node: Node, scope: Scope, subject: str) -> tuple[Pattern, ...]:
    """A list of patterns joined left to right; each binds its alias in the scope. `any` is not possible here."""
    patterns: list[Pattern] = []
    for position, item in enumerate(want_list(node, subject, f"a list of {_SHAPE}", "rules").items, 1):
        with scope.world.problems.catch():
            patterns.append(build_pattern(item, scope, f"_{position}", bind=True))
    if isinstance(node, Seq) and not node.items:
        raise fault(
            node.place, f"{subject} is empty", expected="at least one pattern", next_step="something must be seen before anything follows"
        )
    return tuple(patterns)


def build_unless(node: Node | None, scope: Scope) -> tuple[Pattern, ...]:
    """Independent negated patterns."""
    if node is None:
        return ()
    patterns: list[Pattern] = []
    for position, item in enumerate(want_list(node, "`unless`", f"a list of {_SHAPE}", "rules").items, 1):
        with scope.world.problems.catch():
            patterns.append(build_pattern(item, scope, f"_u{position}", bind=False))
    return tuple(patterns)


def check_count(count: int, place: Place, subject: str) -> None:
    """The bound on patterns and `unless` patterns together."""
    if count > PATTERN_LIMIT:
        raise fault(
            place,
            f"{subject} has {count} patterns and `unless` patterns together, more than {PATTERN_LIMIT}",
            expected=f"at most {PATTERN_LIMIT}",
            next_step="derive a helper kind in an earlier stage and use it here",
        )
