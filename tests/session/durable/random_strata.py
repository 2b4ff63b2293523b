"""Why: random fact bases and rules that use every operator, type and nameable field, as a checked pack might hold them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from tests.session.durable.naive import World, const, head, pattern, ref, rule
from tollens.engine.rulebook.syntax import Const, Head, Pattern, Ref, Rule, Test
from tollens.facts.kind import Field, Kind

SHADES, LEVELS = ("red", "blue", "green"), ("low", "mid", "high", "ultra")
#: Values that differ where an engine might not see it: prefixes, digits, case, escapes, signs, large numbers.
DOMAIN: dict[str, tuple[Any, ...]] = {
    "text": ("ab", "ab c", "1", "true", 'q"\\', "é\n", ""),
    "int": (0, 1, -1, 2**61, 2**61 + 1),
    "number": (0, 0.5, -0.000001, 1, 1e12),
    "bool": (True, False),
    "enum": SHADES,
    "level": LEVELS,
    "list": (["a"], []),
}


def random_kinds(chance: random.Random) -> list[Kind]:
    """Five kinds; the last two can be produced. Every type occurs, and optional fields are frequent."""
    kinds = []
    for number in range(5):
        fields = [
            Field("t", "text", chance.random() < 0.4),
            Field("u", "text", True),
            Field("n", "int", chance.random() < 0.4),
            Field("m", "int", chance.random() < 0.4),
            Field("x", "number", True),
            Field("y", "number", chance.random() < 0.4),
            Field("b", "bool", chance.random() < 0.4),
            Field("e", "enum", chance.random() < 0.4, SHADES),
            Field("o", "enum", chance.random() < 0.4, LEVELS, True),
            Field("r", "ref", chance.random() < 0.4),
            Field("l", "list", True),
        ]
        kept = [field for field in fields if chance.random() < 0.75] or fields[:1]
        kinds.append(Kind(f"k{number}", kept))
    return kinds


def _domain(field: Field) -> str:
    return "level" if field.ordered else field.type


def random_world(chance: random.Random, facts: int = 8) -> World:
    """Random facts over random kinds; references point at earlier facts."""
    world = World(random_kinds(chance))
    ids = ["k9:none"]
    for _ in range(facts):
        kind = world.store.kinds[f"k{chance.randrange(5)}"]
        fields: dict[str, Any] = {}
        for field in kind.fields:
            if field.optional and chance.random() < 0.35:
                continue
            fields[field.name] = chance.choice(ids) if field.type == "ref" else chance.choice(DOMAIN[_domain(field)])
        ids.append(world.add(kind.name, **fields).id)
    return world


class RuleMaker:
    """Random rules that the checker of packs would let through."""

    def __init__(self, world: World, chance: random.Random) -> None:
        self.kinds = world.store.kinds
        self.ids = [fact.id for number in range(5) for fact in world.store.facts(f"k{number}")] or ["k9:none"]
        self.chance = chance

    def rules(self, most: int = 5) -> list[Rule]:
        """Some rules, recursive ones among them; only k0, k1 and k2 stand under unless or are asked for their seq."""
        return [self.one(f"rule.{number}") for number in range(self.chance.randint(1, most))]

    def one(self, name: str) -> Rule:
        """A rule of one or two alternatives with the same aliases of the same kinds."""
        chance = self.chance
        shape = [f"k{chance.randrange(5)}" for _ in range(chance.choice((1, 1, 2, 2, 2, 3, 3)))]
        alternatives = [self._patterns(shape, []) for _ in range(chance.choice((1, 1, 1, 2)))]
        earlier = list(zip((f"a{slot}" for slot in range(len(shape))), shape, strict=True))
        unless = [self._pattern(f"z{number}", f"k{chance.randrange(3)}", earlier) for number in range(chance.choice((0, 0, 1, 1, 2)))]
        heads = [self._head(earlier) for _ in range(chance.choice((0, 1, 1, 2)))]
        return rule(name, *alternatives, unless=unless, heads=heads)

    def _patterns(self, shape: Sequence[str], earlier: list[tuple[str, str]]) -> list[Pattern]:
        made = []
        for slot, kind in enumerate(shape):
            made.append(self._pattern(f"a{slot}", kind, earlier))
            earlier = [*earlier, (f"a{slot}", kind)]
        return made

    def _pattern(self, alias: str, kind: str, earlier: Sequence[tuple[str, str]]) -> Pattern:
        chance = self.chance
        tests = [self._constant(kind) for _ in range(chance.choice((0, 0, 1, 1, 2)))]
        for other, bound in earlier:
            for _ in range(chance.choice((0, 1, 1, 2))):
                tests += self._joined(kind, other, bound)
        return pattern(kind, alias, *tests)

    def _constant(self, kind: str) -> Test:
        chance = self.chance
        field = chance.choice([*self.kinds[kind].fields, Field("id", "ref"), *self._seq(kind)])
        domain: Sequence[Any] = self.ids if field.type == "ref" else DOMAIN[_domain(field)]
        if field.type == "list" or (field.optional and chance.random() < 0.3):
            return const(field.name, "exists", chance.random() < 0.5)
        ops = ["eq", "ne"]
        if field.type in ("text", "enum", "int", "number"):
            ops.append("in")
        if field.comparable:
            ops += ["gt", "gte", "lt", "lte"]
        if field.type == "text":
            ops += ["starts", "ends", "contains", "matches"]
        op = chance.choice(ops)
        if op == "matches":
            return const(field.name, op, chance.choice(("b", "a|1", "rue", "zz")))
        if op in ("starts", "ends", "contains"):
            return const(field.name, op, chance.choice(("a", "b", "c", "e", "")))
        if field.name == "seq":
            return const("seq", op, (1, 4) if op == "in" else chance.randrange(9))
        values = [round(v * 1_000_000) if field.type == "number" else v for v in domain]
        return const(field.name, op, tuple(chance.sample(values, 2)) if op == "in" and len(values) > 1 else chance.choice(values))

    def _joined(self, kind: str, other: str, bound: str) -> list[Test]:
        chance = self.chance
        pairs = [
            (left, right)
            for left in [*self.kinds[kind].fields, Field("id", "ref"), *self._seq(kind)]
            for right in [*self.kinds[bound].fields, Field("id", "ref"), *self._seq(bound)]
            if _domain(left) == _domain(right) and left.type != "list"
        ]
        left, right = chance.choice(pairs)
        ops = ["eq", "eq", "eq", "ne", "gt", "gte", "lt", "lte"] if left.comparable else ["eq", "eq", "ne"]
        return [ref(left.name, chance.choice(ops), other, right.name)]

    def _seq(self, kind: str) -> list[Field]:
        return [Field("seq", "int")] if kind in ("k0", "k1", "k2") else []

    def _head(self, bound: Sequence[tuple[str, str]]) -> Head:
        chance = self.chance
        kind = self.kinds[f"k{chance.choice((3, 4))}"]
        fields: dict[str, Any] = {}
        for field in kind.fields:
            sources: list[Any] = [
                Ref(alias, other.name)
                for alias, name in bound
                for other in self.kinds[name].fields  # not its id, which would make endless chains of facts
                if _domain(other) == _domain(field)
            ]
            if field.optional and chance.random() < 0.3:
                continue
            if sources and chance.random() < 0.6:
                fields[field.name] = chance.choice(sources)
            else:
                domain: Sequence[Any] = self.ids if field.type == "ref" else DOMAIN[_domain(field)]
                chosen = chance.choice(domain)
                value: Any = tuple(chosen) if isinstance(chosen, list) else chosen
                fields[field.name] = Const(round(value * 1_000_000) if field.type == "number" else value)
        return head(kind.name, **fields)
