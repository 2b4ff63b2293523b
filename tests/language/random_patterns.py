"""Why: random patterns whose tests use every operator on every field that it fits, and joins of every type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.language.random_kinds import ORDERED, PACK, REGEXES, Kinds, RetryError
from tollens.engine.rulebook.builtin import PRODUCER_FIELDS
from tollens.engine.rulebook.syntax import (
    Const,
    Pattern,
    Place,
    Ref,
    Test,
)
from tollens.facts.kind import Field


class Patterns(Kinds):
    """Patterns over the kinds of a case; an `env` maps the bound aliases to their kinds."""

    def fields(self, kind: str) -> list[Field]:
        extra = [Field("id", "ref", False, (kind,))]
        if self.finished(kind):
            extra.append(Field("seq", "int"))
        return [*self.kinds[kind].fields, *extra]

    def bound(self, env: Mapping[str, str]) -> list[tuple[Ref, Field]]:
        return [(Ref(alias, field.name), field) for alias, kind in env.items() for field in self.fields(kind)]

    def tests(self, kind: str, env: Mapping[str, str], most: int = 3) -> tuple[Test, ...]:
        found: dict[tuple[str, str], Test] = {}
        for _ in range(self.pick((0, 1, 1, 1, most))):
            test = self.tries(lambda: self.test(kind, env), 3)
            if test is not None:
                found.setdefault((test.field, test.op), test)
        order = list(dict.fromkeys(field for field, _ in found))
        return tuple(test for field in order for test in found.values() if test.field == field)

    def test(self, kind: str, env: Mapping[str, str]) -> Test:
        joins = [
            (field, ref, other)
            for field in self.fields(kind)
            for ref, other in self.bound(env)
            if alike(field, other) and field.type != "list"
        ]
        if joins and self.chance(0.6):
            field, ref, other = self.pick(self.weighted(joins))
            op = "eq" if self.chance(0.6) else "ne"
            ordered = field.type in ("int", "number") or (field.ordered and other.choices == field.choices)
            if ordered and self.chance(0.5):
                op = self.pick(ORDERED)
            return Test(field.name, op, ref)
        field = self.pick(self.fields(kind))
        if field.name == PRODUCER_FIELDS.get(kind):
            known = self.ids["pattern" if kind == "match" else "elect"]
            return Test(field.name, self.pick(("eq", "ne")), Const(self.pick(known)))
        if field.optional and self.chance(0.3):
            return Test(field.name, "exists", Const(self.chance(0.6)))
        if field.type == "text" and self.chance(0.5):
            op = self.pick(("starts", "ends", "contains", "matches"))
            return Test(
                field.name, op, Const(self.pick(REGEXES if op == "matches" else ("a", "b", "ab", "\n", "5", '"', "\\", "\U0001f600")))
            )
        if field.type in ("text", "enum", "int", "number") and self.chance(0.3):
            members = tuple(dict.fromkeys(self.constant(field) for _ in range(self.random.randint(1, 3))))
            return Test(field.name, "in", Const(members))
        if field.name == "seq" or field.type in ("list", "ref"):
            raise RetryError
        ops = ["eq", "eq", "ne", *(ORDERED if field.comparable else ())]
        return Test(field.name, self.pick(ops), Const(self.constant(field)))

    def weighted(self, joins: list[Any]) -> list[Any]:
        """The joins on fields of one type, so that rare types are joined as often as common ones."""
        types = list(dict.fromkeys(rank(join[0]) for join in joins))
        chosen = self.pick(types)
        return [join for join in joins if rank(join[0]) == chosen]

    def pattern(self, kinds: Sequence[str], env: dict[str, str], position: int, name: str | None = None) -> Pattern:
        kind = self.pick(kinds)
        alias = name or (f"a{position}" if self.chance(0.85) else f"_{position}")
        tests = self.tests(kind, {a: k for a, k in env.items() if a[0] != "_"})
        env[alias] = kind
        return Pattern(kind, alias, tests, self.place())

    def place(self) -> Place:
        return Place(f"{PACK}/{self.stages[self.stage]}.yaml", 1, 1)

    def unless(self, env: Mapping[str, str], most: int = 2) -> tuple[Pattern, ...]:
        kinds = [k for k in self.kinds if self.before(k)]
        named = {a: k for a, k in env.items() if a[0] != "_"}
        if not kinds or self.chance(0.5):
            return ()
        made = []
        for number in range(self.random.randint(1, most)):
            kind = self.pick(kinds)
            tests = self.tests(kind, named)
            if tests or self.chance(0.1):
                made.append(Pattern(kind, f"_u{number + 1}", tests, self.place()))
        return tuple(p._replace(alias=f"_u{n + 1}") for n, p in enumerate(made))

    def source(self, most: int = 2) -> tuple[tuple[Pattern, ...], dict[str, str]]:
        kinds = [k for k in self.kinds if self.before(k)]
        env: dict[str, str] = {}
        patterns = [self.pattern(kinds, env, n + 1, f"a{n + 1}") for n in range(self.random.randint(1, most))]
        if len(patterns) > 1 and not any(isinstance(t.operand, Ref) for p in patterns for t in p.tests) and self.chance(0.8):
            raise RetryError
        return tuple(patterns), env


def rank(field: Field) -> str:
    """A type's name, with ids, positions and ordered enums as types of their own."""
    return field.name if field.name in ("id", "seq") else "ordered" if field.ordered else field.type


def alike(left: Field, right: Field) -> bool:
    """Whether the two sides of a comparison fit."""
    if left.type != right.type:
        return {left.type, right.type} == {"text", "enum"}
    if left.type in ("ref", "enum"):
        return not left.choices or not right.choices or any(c in right.choices for c in left.choices)
    return True


def assignable(have: Field, field: Field) -> bool:
    """Whether a field's value can be written to a field."""
    if have.type == "enum" and field.type == "text":
        return True
    if have.type != field.type:
        return False
    if have.type == "enum":
        return set(have.choices) <= set(field.choices)
    return alike(have, field)
