"""Why: random rules with joins, alternatives, recursion and computed values, kept within what the language permits."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from tests.language.random_kinds import RetryError
from tests.language.random_operators import Operators
from tollens.engine.rulebook.syntax import (
    Aggregate,
    Call,
    Expr,
    Format,
    Let,
    Name,
    Pattern,
    Ref,
    Rule,
)
from tollens.facts.kind import Field


class Rules(Operators):
    """Rules of a stage."""

    def rule(self, heads: Sequence[str]) -> Rule:
        recursive = self.chance(0.3)
        own = [k for k in self.kinds if self.stage in self.produced[k] and k[0] == "d"]
        earlier = [k for k in self.kinds if self.before(k)]
        target = self.pick(heads)
        lower = own if recursive else own[: own.index(target)]
        usable = [k for k in earlier if k[0] == "b"] * 6 + earlier + lower * (3 if recursive else 2)
        env: dict[str, str] = {}
        count = self.pick((1, 1, 2, 2, 2, 3, 4))
        prefix = [self.pattern(usable, env, n + 1) for n in range(count)]
        if sum(1 for p in prefix if not any(isinstance(t.operand, Ref) for t in p.tests)) > (2 if count < 3 else 1):
            raise RetryError
        alternatives: list[tuple[Pattern, ...]] = [tuple(prefix)]
        if count < 4 and self.chance(0.2):
            alternatives = self.alternatives(prefix, env, usable)
        named = {a: k for a, k in env.items() if a[0] != "_"}
        lets: list[Let] = []
        names: dict[str, str] = {}
        computed = not recursive
        if computed and self.chance(0.65):
            for number in range(self.random.randint(1, 3)):
                kind = self.pick(("text", "int", "number", "bool", "list", "ref", "int", "number"))
                made = partial(self.expr, Field("", kind), named, names, 2, aggregates=True)
                expr = self.tries(made)
                if expr is not None and not self.enum(expr, named, Field("", kind)):
                    lets.append(Let(f"v{number}", expr, kind))
                    names[f"v{number}"] = kind
        conditions = tuple(
            c for _ in range(self.pick((0, 0, 0, 1, 1, 2))) if (c := self.tries(lambda: self.condition(named, names))) is not None
        )
        asserted = [self.head(target, named, names, 2 if computed else 0)]
        if self.chance(0.25):
            other = self.tries(lambda: self.head(self.pick(heads if recursive else heads[heads.index(target) :]), named, names, 0))
            asserted += [other] if other else []
        return Rule(self.meta("rule"), tuple(alternatives), self.unless(named), tuple(lets), conditions, tuple(asserted))

    def alternatives(self, prefix: Sequence[Pattern], env: dict[str, str], usable: Sequence[str]) -> list[tuple[Pattern, ...]]:
        shared = self.pick(usable)
        keep = self.chance(0.6)
        made = []
        for _ in range(self.random.randint(2, 3)):
            here = dict(env)
            kinds = [shared] if keep else usable
            alias = "x" if keep else f"_{len(prefix) + 1}"
            made.append((*prefix, self.pattern(kinds, here, len(prefix) + 1, alias)))
        if keep:
            env["x"] = shared
        return made


def is_computed(expr: Expr) -> bool:
    """Whether a head's value is one that a rule in a cycle may not hold."""
    return isinstance(expr, Call | Aggregate | Format | Name)


def without_computed_cycles(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """The rules without those that close a cycle through computed heads."""
    kept: list[Rule] = []
    for rule in rules:
        trial = [*kept, rule]
        if not any(in_cycle(r, trial) and any(is_computed(e) for h in r.heads for _, e in h.fields) for r in trial):
            kept.append(rule)
    return tuple(kept)


def in_cycle(rule: Rule, rules: Sequence[Rule]) -> bool:
    """Whether what a rule asserts can lead back to it."""
    reached = {head.kind for head in rule.heads}
    growing = True
    while growing:
        more = {h.kind for r in rules if uses(r) & reached for h in r.heads} - reached
        growing = bool(more)
        reached |= more
    return bool(uses(rule) & reached)


def uses(rule: Rule) -> set[str]:
    """The kinds that a rule's patterns name."""
    return {pattern.kind for patterns in rule.alternatives for pattern in patterns}
