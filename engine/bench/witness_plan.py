"""Why: to make a rule fire, its facts must be stated, or derived by rules whose facts are stated: this goes back until all are.

What a rule must not find (`unless`), what it counts and what it computes is not planned: plans are tried by a run, and only what fires
there is a witness.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tollens.engine.bench.subject import Subject
from tollens.engine.bench.witness_state import Node, NodeId, State
from tollens.engine.rulebook.build.regex import compile_regex
from tollens.engine.rulebook.build.types import fields_of
from tollens.engine.rulebook.builtin import MATCH, MATCH_GROUP
from tollens.engine.rulebook.syntax import Call, Const, Expr, Head, Let, Measure, Name, Pattern, Ref, Rule, Test, TextPattern
from tollens.engine.rulebook.whole.strata import positive
from tollens.facts.values import Value

#: Steps of one search, facts of one plan, and rules between a stated fact and the rule in question.
STEPS, FACTS, DEPTH = 6_000, 24, 14


class Find(NamedTuple):
    """A pattern that needs a fact."""

    pattern: Pattern
    scope: int
    depth: int


class Explain(NamedTuple):
    """A planned fact that something must produce."""

    node: int
    depth: int


class Give(NamedTuple):
    """A head whose values must be those of a planned fact."""

    head: Head
    scope: int
    node: int
    lets: tuple[Let, ...] = ()


class Link(NamedTuple):
    """Two expressions of two scopes that must have one value."""

    one: Expr
    scope: int
    other: Expr
    other_scope: int


Goal = Find | Explain | Give | Link


#: Functions that give their first argument back for plain values; a plan takes them for that, and its run shows whether they do.
_PLAIN = ("last_part", "lower", "default", "to_number")


class Planner:
    """Searches plans for a list of goals; the first ones share as many facts as they can or, with `apart`, as few."""

    def __init__(self, subject: Subject, *, apart: bool = False, steps: int = STEPS) -> None:
        self._subject = subject
        self._apart = apart
        self._left = steps

    def plans(self, rules: Sequence[tuple[Rule, int]], links: Sequence[tuple[Expr, Expr]]) -> Iterator[State]:
        """Plans in which these alternatives of rules find their facts, and the linked expressions of the first two are equal."""
        state = State()
        goals: list[Goal] = []
        for rule, alternative in rules:
            state.scopes.append({})
            goals += [Find(pattern, len(state.scopes) - 1, 0) for pattern in rule.alternatives[alternative]]
        goals += [Link(one, 0, other, 1) for one, other in links]
        yield from self._solve(state, tuple(goals))

    def _solve(self, state: State, goals: tuple[Goal, ...]) -> Iterator[State]:
        if not goals:
            yield state
            return
        if self._left <= 0 or len(state.nodes) > FACTS:
            return
        self._left -= 1
        first, rest = goals[0], goals[1:]
        if isinstance(first, Find):
            for found, more in self._find(state, first):
                yield from self._solve(found, (*more, *rest))
        elif isinstance(first, Explain):
            for found, more in self._explain(state, first):
                yield from self._solve(found, (*more, *rest))
        else:
            found = state.copy()
            if self._give(found, first) if isinstance(first, Give) else self._link(found, first):
                yield from self._solve(found, rest)

    def _find(self, state: State, goal: Find) -> Iterator[tuple[State, tuple[Goal, ...]]]:
        """The pattern's fact: one that is planned already, or a new one."""
        known = [number for number, node in enumerate(state.nodes) if node.kind == goal.pattern.kind]
        free = [number for number in known if number not in state.scopes[goal.scope].values()]
        only = bool(free) and self._subject.kinds[goal.pattern.kind].key == ()
        choices: list[int] = [*free] if only else [-1, *free] if self._apart else [*free, -1]
        for choice in choices:
            found = state.copy()
            number = self._node(found, goal.pattern.kind) if choice < 0 else choice
            found.scopes[goal.scope][goal.pattern.alias] = number
            if self._tests(found, goal, number):
                yield found, (Explain(number, goal.depth),) if choice < 0 else ()

    def _node(self, state: State, kind: str) -> int:
        number = len(state.nodes)
        fields = {
            name: state.new(field, NodeId(number) if name == "id" else None) for name, field in fields_of(self._subject.kinds[kind]).items()
        }
        state.nodes.append(Node(kind, fields, False))
        return number

    def _tests(self, state: State, goal: Find, number: int) -> bool:
        scope, node = state.scopes[goal.scope], state.nodes[number]
        for test in goal.pattern.tests:
            mine = node.fields[test.field]
            if isinstance(test.operand, Const):
                if not state.demand(mine, test):
                    return False
                continue
            other = scope.get(test.operand.alias)
            if other is None:
                return False
            theirs = state.nodes[other].fields[test.operand.field]
            if test.op != "eq":
                state.relations.append((mine, test.op, theirs))
            elif not state.unify(mine, theirs):
                return False
        return True

    def _explain(self, state: State, goal: Explain) -> Iterator[tuple[State, tuple[Goal, ...]]]:
        """The fact is stated, or stands in a table, or is what an entry asserts."""
        node = state.nodes[goal.node]
        if not node.kind:
            yield state, ()
            return
        for row in self._subject.rows.get(node.kind, ()):
            found = state.copy()
            if all(found.fix(found.nodes[goal.node].fields[name], value) for name, value in row.fields):
                yield found, ()
        if self._subject.stated(node.kind):
            found = state.copy()
            found.nodes[goal.node].stated = True
            yield found, tuple(self._referred(found, goal))
            return
        if goal.depth >= DEPTH:
            return
        for entry, head in self._subject.heads.get(node.kind, ()):
            if not self._clashes(state, node, head):
                for patterns in entry.alternatives if isinstance(entry, Rule) else (positive(entry),):
                    yield self._from(state, goal, patterns, head, entry.lets if isinstance(entry, Rule) else ())
        yield from self._engine(state, goal)

    def _referred(self, state: State, goal: Explain) -> Iterator[Goal]:
        """The facts that a stated one must refer to."""
        for field in self._subject.kinds[state.nodes[goal.node].kind].fields:
            number = state.nodes[goal.node].fields[field.name]
            if field.type == "ref" and not field.optional and state.at(number).value is None and field.choices:
                other = self._node(state, field.choices[0])
                state.at(number).value = NodeId(other)
                yield Explain(other, goal.depth + 1)

    def _clashes(self, state: State, node: Node, head: Head) -> bool:
        for name, expr in head.fields:
            value = state.at(node.fields[name]).value
            if isinstance(expr, Const) and value is not None and value != expr.value:
                return True
        return False

    def _from(
        self, state: State, goal: Explain, patterns: Sequence[Pattern], head: Head | None = None, lets: tuple[Let, ...] = ()
    ) -> tuple[State, tuple[Goal, ...]]:
        found = state.copy()
        found.scopes.append({})
        scope = len(found.scopes) - 1
        goals: list[Goal] = [Find(pattern, scope, goal.depth + 1) for pattern in patterns]
        return found, (*goals, *([Give(head, scope, goal.node, lets)] if head is not None else []))

    def _engine(self, state: State, goal: Explain) -> Iterator[tuple[State, tuple[Goal, ...]]]:
        """What patterns find, and what measures compute from the facts that they look at."""
        kind = state.nodes[goal.node].kind
        for entry in self._subject.producers.get(kind, ()):
            if isinstance(entry, TextPattern) and kind == MATCH:
                found = state.copy()
                if self._matched(found, goal.node, entry):
                    target = found.at(found.nodes[goal.node].fields["fact"]).value
                    assert isinstance(target, NodeId)
                    yield found, (Explain(target.number, goal.depth + 1),)
            elif isinstance(entry, TextPattern) and kind == MATCH_GROUP:
                yield from self._grouped(state, goal, entry)
            elif isinstance(entry, Measure):
                yield self._from(state, goal, entry.source)

    def _matched(self, state: State, number: int, entry: TextPattern) -> bool:
        """Let a planned `match` be that of a pattern over a fact."""
        fields = state.nodes[number].fields
        if not (state.fix(fields["pattern"], entry.meta.id) and state.fix(fields["field"], entry.field)):
            return False
        fact = state.at(fields["fact"])
        if fact.value is None:
            fact.value = NodeId(self._node(state, entry.kind))
        assert isinstance(fact.value, NodeId)
        target = state.nodes[fact.value.number]
        return target.kind == entry.kind and state.demand(target.fields[entry.field], Test(entry.field, "matches", Const(entry.regex)))

    def _grouped(self, state: State, goal: Explain, entry: TextPattern) -> Iterator[tuple[State, tuple[Goal, ...]]]:
        wanted = state.at(state.nodes[goal.node].fields["name"]).value
        for name in compile_regex(entry.regex).groupindex:
            if wanted in (None, name):
                found = state.copy()
                found.fix(found.nodes[goal.node].fields["name"], name)
                match = found.at(found.nodes[goal.node].fields["match"])
                known = match.value
                if known is None:
                    match.value = known = NodeId(self._node(found, MATCH))
                assert isinstance(known, NodeId)
                if self._matched(found, known.number, entry):
                    yield found, (Explain(known.number, goal.depth + 1),)

    def _give(self, state: State, goal: Give) -> bool:
        fields = state.nodes[goal.node].fields
        for name, given in goal.head.fields:
            expr = given
            while isinstance(expr, Name | Call):
                if isinstance(expr, Call):
                    expr = expr.arguments[0] if expr.function in _PLAIN else Name("")
                else:
                    expr = next((let.expr for let in goal.lets if let.name == expr.name), Const(None)) if expr.name else Const(None)
            if isinstance(expr, Const) and not isinstance(expr.value, tuple) and expr.value is not None:
                if not state.fix(fields[name], expr.value):
                    return False
            elif isinstance(expr, Ref):
                other = self._ref(state, expr, goal.scope)
                if other is None or not state.unify(fields[name], other):
                    return False
        return True

    def _ref(self, state: State, expr: Ref, scope: int) -> int | None:
        node = state.scopes[scope].get(expr.alias)
        return None if node is None else state.nodes[node].fields.get(expr.field)

    def _link(self, state: State, goal: Link) -> bool:
        sides: list[int | Value] = []
        for expr, scope in ((goal.one, goal.scope), (goal.other, goal.other_scope)):
            if isinstance(expr, Ref):
                number = self._ref(state, expr, scope)
                if number is None:
                    return True
                sides.append(number)
            elif not isinstance(expr, Const):
                return True
        if isinstance(goal.one, Ref) and isinstance(goal.other, Ref):
            assert isinstance(sides[0], int)
            assert isinstance(sides[1], int)
            return state.unify(sides[0], sides[1])
        for expr, other in ((goal.one, goal.other), (goal.other, goal.one)):
            if isinstance(expr, Ref) and isinstance(other, Const) and not isinstance(other.value, tuple):
                assert isinstance(sides[0], int)
                return state.fix(sides[0], other.value)
        return goal.one == goal.other
