"""Why: every computed value has a known type before anything runs, and the checked form spells every conversion out."""

from __future__ import annotations

from tollens.engine.rulebook.build.constants import constant, fit
from tollens.engine.rulebook.build.functions import AGGREGATES, DIGEST, FUNCTIONS, RATIO, ROUND, SAME, TEXT, WRITTEN, Signature
from tollens.engine.rulebook.build.patterns import build_pattern
from tollens.engine.rulebook.build.scope import Scope, constant_type, constant_value, field_of
from tollens.engine.rulebook.build.templates import build_template
from tollens.engine.rulebook.build.types import INT, NUMBER, Type, assignable
from tollens.engine.rulebook.build.types import TEXT as TEXT_TYPE
from tollens.engine.rulebook.source.nodes import Map, Node, Scalar, Seq
from tollens.engine.rulebook.source.problems import fault, unknown
from tollens.engine.rulebook.source.shapes import check_keys, want_list, want_name, what
from tollens.engine.rulebook.syntax import Aggregate, Call, Const, Expr, Place
from tollens.facts.kind import Field, Kind
from tollens.facts.values import SCALE, scaled

Typed = tuple[Expr, Type]

#: How a value of one type can be written to a field of another.
_WAYS = {
    ("int", "number"): "add 0.0 to it: `{add: [..., 0.0]}`",
    ("int", "text"): "write it as a template: `{format: ...}`",
    ("number", "text"): "write it as a template: `{format: ...}`",
    ("ref", "text"): "name a text field of the fact, or write its id by `{format: ...}`",
}

#: Name of the pattern inside an aggregate; nothing can refer to it.
COUNTED = "_counted"


def build(node: Node, scope: Scope) -> Typed:
    """An expression and its type. Constants keep the type they are written in until `settle` or a function decides."""
    if isinstance(node, Scalar):
        return scope.value(node)
    if isinstance(node, Seq):
        raw = constant(node, scope.world)
        return Const(constant_value(raw, node.place)), constant_type(raw)
    return _function(node, scope)


def settle(typed: Typed, field: Field, place: Place, subject: str) -> Expr:
    """The expression in the form of the field it is written to; PackError where the types do not agree."""
    expr, have = typed
    if isinstance(expr, Const) and have.literal:
        if have.base == "number" and field.type == "number":
            return expr
        raw = expr.value if have.base != "number" or not isinstance(expr.value, int) else expr.value / SCALE
        return Const(fit(raw, field, place, subject))  # type: ignore[arg-type]  # tuples of ints occur in `in` only
    reason = assignable(have, field)
    if reason:
        hint = _WAYS.get((have.base, field.type), "")
        raise fault(
            place, f"this cannot be written to {subject}: {reason}", expected=field._replace(optional=False).describe(), next_step=hint
        )
    return expr


def _function(node: Map, scope: Scope) -> Typed:
    for key, value in node.entries:
        if key.text in AGGREGATES:
            return _aggregate(node, key, value, scope)
    if len(node.entries) != 1:
        raise fault(
            node.place,
            f"an expression has one function, not {len(node.entries)}",
            expected="{FUNCTION: [arguments]}",
            choices=(*WRITTEN, "format", *sorted(AGGREGATES)),
        )
    key, value = node.entries[0]
    if key.text == "format":
        return build_template(value, scope, "`format`"), TEXT_TYPE
    if key.text not in WRITTEN:
        names = (*WRITTEN, "format", *sorted(AGGREGATES))
        raise unknown(key.place, f"there is no function {key.text!r:.60}", key.text, names, "a function", "expressions")
    signature = FUNCTIONS[key.text]
    nodes = value.items if isinstance(value, Seq) else (value,)
    if not signature.fewest <= len(nodes) <= signature.most:
        count = str(signature.fewest) if signature.fewest == signature.most else f"{signature.fewest} to {signature.most}"
        raise fault(value.place, f"`{key.text}` takes {count} arguments, not {len(nodes)}", expected=f"a list of {count} expressions")
    arguments = [(build(item, scope), item.place) for item in nodes]
    return _typed_call(signature, arguments)


Argument = tuple[Typed, Place]


def _typed_call(signature: Signature, arguments: list[Argument]) -> Typed:
    name = signature.name
    if signature.rule == SAME:
        exprs, base = _alike(arguments, name)
        return Call("mul_number" if name == "mul" and base.base == "number" else name, exprs), base
    if signature.rule == RATIO:
        exprs, _ = _alike(arguments[:2], name)
        other, _ = _alike([arguments[2], ((Const(0), NUMBER), arguments[2][1])], name)
        return Call(name, (*exprs, other[0])), NUMBER
    if signature.rule == ROUND:
        return _round(arguments), NUMBER
    if signature.rule == TEXT:
        for (_, have), place in arguments:
            if have.base not in ("text", "enum"):
                raise fault(place, f"`{name}` takes texts; this is {have.describe()}", expected="a text")
        return Call(name, tuple(expr for (expr, _), _ in arguments)), TEXT_TYPE
    if signature.rule == DIGEST:
        return Call(name, tuple(expr for (expr, _), _ in arguments)), TEXT_TYPE
    return _default(arguments)


def _alike(arguments: list[Argument], name: str) -> tuple[tuple[Expr, ...], Type]:
    """Arguments that are all ints, or all numbers: one number among them makes all of them numbers."""
    for (_, have), place in arguments:
        if have.base not in ("int", "number"):
            raise fault(place, f"`{name}` computes with numbers; this is {have.describe()}", expected="an int or a number")
    if all(have.base == "int" for (_, have), _ in arguments):
        return tuple(expr for (expr, _), _ in arguments), INT
    return tuple(_number(typed, place) for typed, place in arguments), NUMBER


def _number(typed: Typed, place: Place) -> Expr:
    """An expression as a number."""
    expr, have = typed
    if have.base == "number":
        return expr
    if isinstance(expr, Const) and isinstance(expr.value, int):
        try:
            return Const(scaled(expr.value))
        except ValueError as error:
            raise fault(place, f"{expr.value} cannot be used as a number: {error}", expected="a number within bounds") from None
    return Call("to_number", (expr,))


def _round(arguments: list[Argument]) -> Expr:
    ((expr, have), place), ((digits, _), digits_place) = arguments
    if have.base != "number":
        raise fault(place, f"`round` rounds numbers; this is {have.describe()}", expected="a number")
    if not isinstance(digits, Const) or isinstance(digits.value, bool) or digits.value not in range(7):
        raise fault(digits_place, "the digits of `round` must be a constant from 0 to 6", expected="0, 1, 2, 3, 4, 5 or 6")
    return Call("round", (expr, digits))


def _default(arguments: list[Argument]) -> Typed:
    (first, place), (second, other_place) = arguments
    have, other = first[1], second[1]
    bases = {have.base, other.base}
    if bases <= {"int", "number"}:
        exprs, base = _alike(arguments, "default")
        return Call("default", exprs), base
    if bases == {"text", "enum"}:
        (enum, _), (text, text_place) = (
            ((first, place), (second, other_place)) if have.base == "enum" else ((second, other_place), (first, place))
        )
        if text[1].literal:
            settle(text, Field("the other side", "enum", False, enum[1].choices), text_place, "the other side")
            return Call("default", (first[0], second[0])), enum[1]
        return Call("default", (first[0], second[0])), TEXT_TYPE
    if len(bases) > 1:
        raise fault(other_place, f"`default` needs two of one type: {have.describe()} and {other.describe()}", expected=have.describe())
    choices = have.choices
    if have.choices != other.choices:
        choices = (
            () if have.base == "ref" and not (have.choices and other.choices) else tuple(dict.fromkeys((*have.choices, *other.choices)))
        )
    return Call("default", (first[0], second[0])), Type(have.base, choices, have.ordered and have.choices == other.choices)


def _aggregate(node: Map, key: Scalar, pattern_node: Node, scope: Scope) -> Typed:
    name, problems = key.text, scope.world.problems
    check_keys(node, (name, "of", "distinct") if AGGREGATES[name] else (name, "distinct"), f"`{name}`", problems, "expressions")
    pattern = build_pattern(pattern_node, scope, COUNTED, bind=False)
    kind = scope.world.kinds[pattern.kind]
    distinct_node = node.get("distinct")
    distinct = () if distinct_node is None else _distinct(distinct_node, kind)
    if not AGGREGATES[name]:
        return Aggregate(name, pattern, "", distinct), INT
    of = node.get("of")
    if of is None:
        raise fault(
            key.place, f"`{name}` needs `of`", expected=f"a field of {kind.name}", choices=sorted(kind.index), next_step="add `of: FIELD`"
        )
    field = field_of(kind, want_name(of, "`of`"), of.place)
    if name == "first":
        return Aggregate(name, pattern, field.name, distinct), Type(field.type, field.choices, field.ordered)
    allowed = ("text", "enum", "ref") if name == "collect" else ("int", "number")
    if field.type not in allowed:
        raise fault(
            of.place, f"`{name}` cannot be taken over {kind.name}.{field.name}: it is {field.describe()}", expected=" or ".join(allowed)
        )
    return Aggregate(name, pattern, field.name, distinct), Type("list") if name == "collect" else Type(field.type)


def _distinct(node: Node, kind: Kind) -> tuple[str, ...]:
    names = want_list(node, "`distinct`", f"a list of fields of {kind.name}", "expressions").items
    if not names:
        raise fault(node.place, f"`distinct` is {what(node)} without fields", expected=f"a list of fields of {kind.name}")
    return tuple(field_of(kind, want_name(item, "an item of `distinct`"), item.place).name for item in names)
