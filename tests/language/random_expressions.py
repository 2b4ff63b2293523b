"""Why: random expressions of a given type, with every function, aggregate and template."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from tests.language.random_kinds import ORDERED, RetryError
from tests.language.random_patterns import Patterns, assignable
from tollens.engine.rulebook.syntax import (
    Aggregate,
    Call,
    Condition,
    Const,
    Expr,
    Format,
    Head,
    Name,
    Pattern,
    Ref,
)
from tollens.facts.kind import Field


class Expressions(Patterns):
    """Values, conditions and heads over bound facts."""

    def expr(self, field: Field, env: Mapping[str, str], names: Mapping[str, str], depth: int, *, aggregates: bool = False) -> Any:
        """An expression of the field's type; `depth` 0 is a constant, reference or name."""
        refs: list[Expr] = [ref for ref, other in self.bound(env) if assignable(other, field)]
        refs += [Name(name) for name, type_ in names.items() if type_ == field.type and not field.choices]
        if depth <= 0 or self.chance(0.3):
            if refs and self.chance(0.8):
                return self.pick(refs)
            return Const(self.constant(field))
        if aggregates and self.chance(0.65):
            made = self.aggregate(field.type, env)
            if made is not None:
                return made

        def sub(type_: str) -> Any:
            return self.expr(Field("", type_), env, names, depth - 1, aggregates=aggregates)

        if self.chance(0.25):
            first = self.tries(lambda: self.pick(refs))
            if first is not None and not self.enum(first, env, field):
                return Call("default", (first, self.expr(field, env, names, depth - 1)))
        return self.call(field, sub, env, names)

    def enum(self, expr: Expr, env: Mapping[str, str], field: Field) -> bool:
        """Whether an enum stands where a text is due: a constant beside it would have to be one of its members."""
        if field.type != "text" or not isinstance(expr, Ref):
            return False
        return any(ref == expr and other.type == "enum" for ref, other in self.bound(env))

    def call(self, field: Field, sub: Callable[[str], Expr], env: Mapping[str, str], names: Mapping[str, str]) -> Expr:
        if field.type == "text":
            choice = self.pick(("lower", "last_part", "format", "digest"))
            if choice == "lower":
                return Call("lower", (sub("text"),))
            if choice == "last_part":
                return Call("last_part", (sub("text"), Const(self.pick((".", "a", " ", "zz")))))
            if choice == "digest":
                values = [sub(self.pick(("text", "int", "number", "bool", "list"))) for _ in range(self.random.randint(1, 3))]
                if not all(told(value) or (isinstance(value, Const) and not isinstance(value.value, int)) for value in values):
                    raise RetryError
                return Call("digest", tuple(values))
            return self.template(env, names)
        if field.type == "int":
            choice = self.pick(("add", "sub", "mul", "clamp", "least", "most"))
            return Call(choice, tuple(sub("int") for _ in range(self.arity(choice))))
        if field.type == "number":
            choice = self.pick(("add", "sub", "mul_number", "ratio", "clamp", "round", "least", "most"))
            if choice == "ratio":
                base = self.pick(("int", "number"))
                top, bottom = sub(base), sub(base)
                if not told(top):
                    raise RetryError
                return Call("ratio", (top, bottom, sub("number")))
            if choice == "round":
                return Call("round", (sub("number"), Const(self.random.randint(0, 6))))
            arguments = [sub("number"), *(self.mixed(sub) for _ in range(self.arity(choice) - 1))]
            self.random.shuffle(arguments)
            return Call(choice, tuple(arguments))
        raise RetryError

    def mixed(self, sub: Callable[[str], Expr]) -> Expr:
        """An argument beside a number: a number, or an int made into one."""
        if self.chance(0.5):
            whole = sub("int")
            if not isinstance(whole, Const):
                return Call("to_number", (whole,))
        return sub("number")

    def arity(self, function: str) -> int:
        return {"sub": 2, "clamp": 3}.get(function) or self.random.randint(1 if function in ("least", "most") else 2, 3)

    def template(self, env: Mapping[str, str], names: Mapping[str, str]) -> Format:
        holes: list[Any] = [ref for ref, _ in self.bound(env)] + [Name(name) for name in names]
        parts: list[Any] = []
        for _ in range(self.random.randint(1, 3)):
            if not parts or not isinstance(parts[-1], str):
                parts.append(self.pick(("<", "ab:", "{", " }", '"', "\\")))
            parts.append(self.pick(holes))
        return Format(tuple(parts[self.random.randint(0, 1) :]))

    def aggregate(self, type_: str, env: Mapping[str, str]) -> Aggregate | None:
        kinds = [k for k in self.kinds if self.before(k)]
        functions = {"int": ("count", "sum", "min", "max"), "number": ("sum", "min", "max"), "list": ("collect",)}.get(type_)
        if not kinds or functions is None:
            return None
        kind, function = self.pick(kinds), self.pick(functions)
        wanted = ("text", "enum", "ref") if function == "collect" else (type_,)
        fields = [field.name for field in self.fields(kind) if field.type in wanted]
        if function != "count" and not fields:
            return None
        distinct: tuple[str, ...] = ()
        if self.chance(0.4):
            distinct = tuple(self.random.sample([f.name for f in self.fields(kind)], self.random.randint(1, 2)))
        pattern = Pattern(kind, "_counted", self.tests(kind, env), self.place())
        return Aggregate(function, pattern, "" if function == "count" else self.pick(fields), distinct)

    def condition(self, env: Mapping[str, str], names: Mapping[str, str]) -> Condition:
        def side(type_: str) -> Any:
            return self.expr(Field("", type_), env, names, 1)

        op = self.pick(("eq", "ne", "gt", "gte", "lt", "lte", "in", "exists"))
        if op == "exists":
            known = side(self.pick(("text", "int", "number")))
            if not told(known):
                raise RetryError
            return Condition(op, known, Const(True), self.place())
        type_ = (
            self.pick(("int", "number"))
            if op in ORDERED
            else self.pick(("text", "int", "number", "bool") if op != "in" else ("text", "int", "number"))
        )
        left = side(type_)
        if not told(left) or self.enum(left, env, Field("", type_)):
            raise RetryError
        if op == "in":
            lists = [Name(n) for n, t in names.items() if t == "list"] + [r for r, f in self.bound(env) if f.type == "list"]
            if type_ == "text" and lists and self.chance(0.5):
                return Condition(op, left, self.pick(lists), self.place())
            return Condition(op, left, Const(tuple(dict.fromkeys(self.constant(Field("", type_)) for _ in range(3)))), self.place())
        return Condition(op, left, side(type_), self.place())

    def head(self, kind: str, env: Mapping[str, str], names: Mapping[str, str], depth: int) -> Head:
        fields: list[tuple[str, Expr]] = []
        for field in self.kinds[kind].fields:
            if (kind, field.name) in self.fixed and self.chance(0.997):
                expr = self.fixed[kind, field.name]
                if expr is not None:
                    fields.append((field.name, expr))
                continue
            if field.optional and self.chance(0.3):
                continue
            expr = self.tries(partial(self.expr, field, env, names, depth), 6)
            if expr is None:
                if field.optional:
                    continue
                raise RetryError
            fields.append((field.name, expr))
        return Head(kind, tuple(fields), self.place())


def told(expr: Expr) -> bool:
    """Whether an expression's type can be seen without knowing where it stands: ints and numbers are both kept as ints."""
    if isinstance(expr, Call):
        return expr.function in ("ratio", "round", "mul", "mul_number", "lower", "last_part", "digest") or any(map(told, expr.arguments))
    return not isinstance(expr, Const)
