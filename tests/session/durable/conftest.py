"""Why: a second, naive meaning of the language and a maker of random strata, so that the engine is compared with neither itself nor us."""

from __future__ import annotations

import json
import os
import random
import signal
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from types import SimpleNamespace
from typing import Any, NamedTuple

import durable_rules_engine as engine
import pytest

from tollens.engine.rulebook.syntax import Const, Format, Head, Meta, Pattern, Place, Ref, Rule, Test
from tollens.engine.session.durable import evaluator
from tollens.engine.session.durable.evaluator import DurableEvaluator
from tollens.engine.session.durable.limits import Limits
from tollens.engine.session.evaluator import Evaluator, Stratum
from tollens.engine.session.store import FactStore
from tollens.facts.fact import Draft, Fact
from tollens.facts.kind import Field, Kind, KindTable

PLACE = Place("rules.yaml", 1)
Key = tuple[str, int, tuple[str, ...]]


class Outcome(NamedTuple):
    """What happened: every firing by rule id, alternative and fact ids, and the ids of the new facts."""

    firings: list[Key]
    facts: set[str]


def pattern(kind: str, alias: str, *tests: Test) -> Pattern:
    """A pattern at a place that does not matter."""
    return Pattern(kind, alias, tests, PLACE)


def const(field: str, op: str, value: Any) -> Test:
    """A test with a constant in the form of its field."""
    return Test(field, op, Const(value))


def ref(field: str, op: str, alias: str, other: str) -> Test:
    """A test against a field of an earlier alias."""
    return Test(field, op, Ref(alias, other))


def head(kind: str, **fields: Any) -> Head:
    """A head whose values are Ref or Const."""
    return Head(kind, tuple(fields.items()), PLACE)


def rule(name: str, *alternatives: Sequence[Pattern], unless: Sequence[Pattern] = (), heads: Sequence[Head] = ()) -> Rule:
    """A rule of these alternatives."""
    meta = Meta(name, "stage", 0, PLACE, "pack", Format(()))
    return Rule(meta, tuple(tuple(each) for each in alternatives), tuple(unless), (), (), tuple(heads))


class World:
    """A fact base under test: finished facts, and what firing adds."""

    def __init__(self, kinds: Sequence[Kind]) -> None:
        self.store = FactStore(KindTable(kinds))

    def add(self, kind: str, **fields: Any) -> Fact:
        """Store a finished fact."""
        return self.store.add(self.store.make(Draft(kind, fields)))

    def run(self, rules: Sequence[Rule], *, limits: Limits | None = None) -> Outcome:
        """Evaluate with the engine, every compiled ruleset checked."""
        chosen = DurableEvaluator(check=True) if limits is None else DurableEvaluator(check=True, limits=limits)
        return self.run_with(chosen, rules)

    def run_with(self, chosen: Evaluator, rules: Sequence[Rule], budget: int = 10**9) -> Outcome:
        """Evaluate with some evaluator; TimeoutError beyond the budget of firings."""
        firings: list[Key] = []
        new: dict[str, Fact] = {}

        def fire(fired: Rule, alternative: int, bound: tuple[Fact, ...]) -> list[Fact]:
            if len(firings) >= budget:
                raise TimeoutError("budget")
            firings.append((fired.meta.id, alternative, tuple(fact.id for fact in bound)))
            return self._made(fired, alternative, bound, new)

        produces = frozenset(head.kind for each in rules for head in each.heads)
        chosen.run(Stratum("stage", rules, self.store, fire, produces))
        return Outcome(firings, set(new))

    def expect(self, rules: Sequence[Rule], most: int = 10**9) -> Outcome | None:
        """Evaluate by trying every combination of facts until nothing new comes; None where more than `most` facts are new."""
        seen: dict[Key, None] = {}
        new: dict[str, Fact] = {}
        grew = True
        while grew:
            grew = False
            for each in rules:
                for number, patterns in enumerate(each.alternatives):
                    for bound in self._matches(each, patterns, list(new.values())):
                        key = (each.meta.id, number, tuple(fact.id for fact in bound))
                        if key not in seen:
                            seen[key] = None
                            grew = True
                            self._made(each, number, bound, new)
                    if len(new) > most:
                        return None
        return Outcome(list(seen), set(new))

    def _matches(self, fired: Rule, patterns: Sequence[Pattern], new: list[Fact]) -> Iterator[tuple[Fact, ...]]:
        pools = [[*self.store.facts(p.kind), *(f for f in new if f.kind.name == p.kind)] for p in patterns]
        for bound in product(*pools):
            if len({id(fact) for fact in bound}) < len(bound):
                continue
            names = {p.alias: fact for p, fact in zip(patterns, bound, strict=True)}
            if not all(self._fits(p, fact, names) for p, fact in zip(patterns, bound, strict=True)):
                continue
            others = [fact for p in fired.unless for fact in self.store.facts(p.kind) if fact not in bound and self._fits(p, fact, names)]
            if not others:
                yield bound

    def _fits(self, tested: Pattern, fact: Fact, names: dict[str, Fact]) -> bool:
        return all(self._holds(test, fact, names) for test in tested.tests)

    def _holds(self, test: Test, fact: Fact, names: dict[str, Fact]) -> bool:
        value = fact.get(test.field)
        other: Any = names[test.operand.alias].get(test.operand.field) if isinstance(test.operand, Ref) else test.operand.value
        if test.op == "exists":
            return (value is not None) is other
        if value is None or other is None:
            return False
        return bool(_MEANING[test.op](_ranked(fact.kind, test, value), _ranked(fact.kind, test, other)))

    def _made(self, fired: Rule, alternative: int, bound: tuple[Fact, ...], new: dict[str, Fact]) -> list[Fact]:
        names = {p.alias: fact for p, fact in zip(fired.alternatives[alternative], bound, strict=True)}
        made = []
        for each in fired.heads:
            kind = self.store.kinds[each.kind]
            values = dict.fromkeys(kind.index)
            for field, expression in each.fields:
                assert isinstance(expression, Const | Ref)
                values[field] = expression.value if isinstance(expression, Const) else names[expression.alias].get(expression.field)
            if any(values[field.name] is None and not field.optional for field in kind.fields):
                continue
            fact = Fact(kind, tuple(values.values()), {}, ("rule", fired.meta.id))
            if fact.id not in self.store and fact.id not in new:
                new[fact.id] = fact
                made.append(fact)
        return made


def _ranked(kind: Kind, test: Test, value: Any) -> Any:
    if test.op in ("gt", "gte", "lt", "lte") and test.field not in ("id", "seq") and kind.field(test.field).type == "enum":
        return kind.field(test.field).choices.index(value)
    return value


_MEANING: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "gt": lambda a, b: a > b,
    "gte": lambda a, b: a >= b,
    "lt": lambda a, b: a < b,
    "lte": lambda a, b: a <= b,
    "in": lambda a, b: a in b,
    "starts": lambda a, b: a.startswith(b),
    "ends": lambda a, b: a.endswith(b),
    "contains": lambda a, b: b in a,
    "matches": lambda a, b: any(part in a for part in b.split("|")),
}

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
        domain = self.ids if field.type == "ref" else DOMAIN[_domain(field)]
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
                domain = self.ids if field.type == "ref" else DOMAIN[_domain(field)]
                value = chance.choice(domain)
                value = tuple(value) if isinstance(value, list) else value
                fields[field.name] = Const(round(value * 1_000_000) if field.type == "number" else value)
        return head(kind.name, **fields)


def isolated(work: Callable[[], Any], seconds: int = 60) -> Any:
    """What `work` returns (JSON data), from a forked child, so that a crash or a hang in C fails one test and not the run."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover
        signal.alarm(seconds)
        try:
            result = {"value": work()}
        except BaseException as error:  # noqa: BLE001  # whatever it is, the parent raises it
            result = {"error": f"{type(error).__name__}: {error}"}
        with os.fdopen(writer, "w", encoding="utf-8") as pipe:
            json.dump(result, pipe)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, encoding="utf-8") as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    assert status == 0, f"the child ended with signal {status & 127}"
    result = json.loads(text)
    assert "error" not in result, result["error"]
    return result["value"]


class Spy:
    """Stands for the engine's module: offers only what the evaluator may call, and keeps what was sent."""

    def __init__(self) -> None:
        self.error = engine.error
        self.calls: list[str] = []
        self.rulesets: list[str] = []
        self.messages: list[str] = []
        self.handles: set[int] = set()

    def create_ruleset(self, name: str, text: str) -> int:
        """As the engine does."""
        self.calls.append("create_ruleset")
        self.rulesets.append(text)
        handle = int(engine.create_ruleset(name, text))
        self.handles.add(handle)
        return handle

    def assert_fact(self, handle: int, message: str) -> tuple[int, int]:
        """As the engine does."""
        self.messages.append(message)
        return engine.assert_fact(handle, message)

    def start_action_for_state(self, handle: int, state: int) -> Any:
        """As the engine does."""
        self.calls.append("start")
        return engine.start_action_for_state(handle, state)

    def complete_and_start_action(self, handle: int, state: int) -> Any:
        """As the engine does."""
        self.calls.append("complete")
        return engine.complete_and_start_action(handle, state)

    def delete_state(self, handle: int, session: str) -> None:
        """As the engine does."""
        self.calls.append("delete_state")
        engine.delete_state(handle, session)

    def delete_ruleset(self, handle: int) -> None:
        """As the engine does."""
        self.calls.append("delete_ruleset")
        self.handles.remove(handle)
        engine.delete_ruleset(handle)


@pytest.fixture
def spy(monkeypatch: pytest.MonkeyPatch) -> Spy:
    """The engine seen through a Spy."""
    watching = Spy()
    monkeypatch.setattr(evaluator, "load_engine", lambda: watching)
    return watching


@pytest.fixture(scope="session")
def lab() -> SimpleNamespace:
    """The tools above, since test files cannot import each other."""
    return SimpleNamespace(
        World=World, Outcome=Outcome, RuleMaker=RuleMaker, random_world=random_world,
        pattern=pattern, const=const, ref=ref, head=head, rule=rule, isolated=isolated, Ref=Ref,
    )  # fmt: skip
