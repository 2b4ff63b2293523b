"""Why: random elections, selections, groups, patterns and measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.language.random_expressions import Expressions
from tests.language.random_kinds import MEASURES, PACK, PATTERNS_REGEX
from tollens.engine.rulebook.syntax import (
    Apart,
    By,
    Elect,
    Expr,
    Format,
    Group,
    Head,
    Measure,
    Meta,
    Name,
    Pattern,
    Place,
    Ref,
    Take,
    TextPattern,
)
from tollens.facts.values import Value


class Operators(Expressions):
    """Entries that look at finished stages."""

    def meta(self, what: str) -> Meta:
        self.index += 1
        says = Format((f"{what} says",)) if self.chance(0.5) else Format(())
        return Meta(
            f"{what}.{self.index}",
            self.stages[self.stage],
            self.index,
            Place(f"{PACK}/{self.stages[self.stage]}.yaml", self.index),
            PACK,
            says,
        )

    def text_pattern(self) -> TextPattern:
        texts = [(k, f.name) for k in self.kinds if self.before(k) for f in self.kinds[k].fields if f.type == "text"]
        kind, field = self.pick(texts)
        return TextPattern(self.meta("pattern"), kind, field, self.pick(PATTERNS_REGEX))

    def measure(self) -> Measure:
        source, env = self.source()
        if self.chance(0.4):  # pairs of one kind, for the selections that keep linked facts apart
            kind, env = self.pick([k for k in self.kinds if self.before(k)]), {}
            source = tuple(self.pattern([kind], env, n, f"a{n}") for n in (1, 2))
            self.linked.append(kind)
        function = self.pick(tuple(MEASURES))
        block = tuple(ref for ref, field in self.bound(env) if field.type != "list" and self.chance(0.15))[:2]
        options: tuple[tuple[str, Value], ...] = (("cap", self.pick((None, 1, 2))),) if function == "census" else ()
        return Measure(self.meta("measure"), function, source, block, "pair", options)

    def per(self, env: Mapping[str, str]) -> tuple[Ref, ...]:
        refs = [ref for ref, field in self.bound(env) if field.type != "list" and ref.field not in ("id", "seq")]
        return tuple(self.random.sample(refs, min(len(refs), self.pick((0, 1, 1, 2)))))

    def by(self, env: Mapping[str, str]) -> tuple[By, ...]:
        refs = [
            r for r, f in self.bound(env) if f.type != "list" and not (f.type == "enum" and not f.ordered) and r.field not in ("id", "seq")
        ]
        keys = [By(ref, self.chance(0.5)) for ref in self.random.sample(refs, min(len(refs), self.pick((0, 1, 1, 2))))]
        return (*keys, By(Ref("a1", "seq") if self.chance(0.7) else Ref("a1", "id"), self.chance(0.4)))

    def elect(self, heads: Sequence[str]) -> Elect:
        source, env = self.source()
        return Elect(self.meta("elect"), source, self.unless(env, 1), self.per(env), self.by(env), self.head(self.pick(heads), env, {}, 0))

    def take(self, heads: Sequence[str]) -> Take:
        source, env = self.source()
        if self.linked and self.chance(0.6):
            env = {}
            source = (self.pattern([self.pick(self.linked)], env, 1, "a1"),)
        apart = None
        if self.chance(0.75):
            linking = [
                (k, a.name, b.name)
                for k in self.kinds
                if self.before(k)
                for a in self.fields(k)
                for b in self.fields(k)
                if a.type == b.type == "ref" and a.name != b.name and all(not f.choices or source[0].kind in f.choices for f in (a, b))
            ]
            linking += [found for found in linking if found[0] in ("pair", "passed_over")] * 5
            if linking:
                apart = Apart(*self.pick(linking))
        names = {"number": "int"}
        into = self.head(self.pick(heads), env, names, self.pick((0, 1)))
        rest = self.tries(lambda: self.head(self.pick(heads), env, {**names, **({"nearest": "ref"} if apart else {})}, self.pick((0, 1))))
        keep = self.pick((-1, -1, 1, 2, 3) if apart else (-1, 1, 1, 2, 3))
        per = () if apart and self.chance(0.6) else self.per(env)
        return Take(self.meta("take"), source, self.unless(env, 1), per, self.by(env), keep, apart, into, rest)

    def group(self) -> Group:
        source, env = self.source()
        sides = [(r, f) for r, f in self.bound(env) if f.type in ("text", "enum", "ref", "int") and r.field != "seq"]
        left, field = self.pick(sides)
        member, members = field.type, None
        if field.type == "ref" and self.chance(0.5):
            right, _ = self.pick(sides)
            kinds = [k for k in self.kinds if self.before(k) and (not field.choices or k in field.choices)]
            kind = self.pick(kinds)
            members = Pattern(kind, "_members", self.tests(kind, {}, 1) if self.chance(0.3) else (), self.place())
        else:
            right, _ = self.pick([(r, f) for r, f in sides if f.type == field.type])
        names: dict[str, Expr] = {"name": Name("group"), "size": Name("size")}
        each: dict[str, Expr] = {**names}
        if member == "ref" or members is not None:
            each["who"] = Name("member")
        elif member in ("text", "enum"):
            each["what"] = Name("member")
        else:
            each["size"] = Name("member")
        into = Head("part", tuple(names.items()), self.place())
        return Group(
            self.meta("group"), source, self.unless(env, 1), left, right, members, into, Head("part", tuple(each.items()), self.place())
        )
