"""Why: a witness is built from facts whose values are not known yet; here they are held together by what they must have in common."""

from __future__ import annotations

from typing import NamedTuple

from tollens.engine.rulebook.syntax import Const, Test
from tollens.facts.kind import Field
from tollens.facts.values import Value


class NodeId(NamedTuple):
    """The id of a planned fact, as the value of a reference."""

    number: int


class Unknown:
    """A value that is not known: what it must satisfy, and the value itself once something fixes it."""

    __slots__ = ("field", "tests", "value")

    def __init__(self, field: Field, tests: tuple[Test, ...] = (), value: Value | NodeId = None) -> None:
        self.field = field
        self.tests = tests
        self.value = value

    def copy(self) -> Unknown:
        """The same, to be changed on its own."""
        return Unknown(self.field, self.tests, self.value)


class Node:
    """A planned fact: its kind, its unknowns by field, whether something explains it, and whether it is to be stated in the case."""

    __slots__ = ("fields", "kind", "stated")

    def __init__(self, kind: str, fields: dict[str, int], stated: bool) -> None:
        self.kind = kind
        self.fields = fields
        self.stated = stated


class State:
    """Planned facts, unknowns, comparisons of two unknowns, and for each rule that takes part its aliases' facts."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.unknowns: list[Unknown] = []
        self.parents: list[int] = []
        self.relations: list[tuple[int, str, int]] = []
        self.scopes: list[dict[str, int]] = []

    def copy(self) -> State:
        """The same, to be changed on its own."""
        other = State()
        other.nodes = [Node(node.kind, dict(node.fields), node.stated) for node in self.nodes]
        other.unknowns = [unknown.copy() for unknown in self.unknowns]
        other.parents = list(self.parents)
        other.relations = list(self.relations)
        other.scopes = [dict(scope) for scope in self.scopes]
        return other

    def new(self, field: Field, value: Value | NodeId = None) -> int:
        """A new unknown."""
        self.unknowns.append(Unknown(field, (), value))
        self.parents.append(len(self.parents))
        return len(self.parents) - 1

    def find(self, number: int) -> int:
        """The unknown that stands for this one and all that are equal to it."""
        while self.parents[number] != number:
            number = self.parents[number]
        return number

    def at(self, number: int) -> Unknown:
        """What is known of an unknown."""
        return self.unknowns[self.find(number)]

    def unify(self, one: int, other: int) -> bool:
        """Let two unknowns be equal; False where they cannot."""
        one, other = self.find(one), self.find(other)
        if one == other:
            return True
        mine, theirs = self.unknowns[one], self.unknowns[other]
        if mine.value is not None and theirs.value is not None and mine.value != theirs.value:
            if isinstance(mine.value, NodeId) and isinstance(theirs.value, NodeId):
                return self.merge(mine.value.number, theirs.value.number)
            return False
        self.parents[other] = one
        mine.tests += theirs.tests
        mine.value = theirs.value if mine.value is None else mine.value
        if theirs.field.type == "enum" and mine.field.type != "enum":
            mine.field = theirs.field
        return True

    def fix(self, number: int, value: Value) -> bool:
        """Let an unknown be a value; False where it is another."""
        unknown = self.at(number)
        if unknown.value is not None and unknown.value != value:
            return False
        unknown.value = value
        return True

    def demand(self, number: int, test: Test) -> bool:
        """Let an unknown satisfy a test with a constant."""
        if test.op == "eq" and isinstance(test.operand, Const) and not isinstance(test.operand.value, tuple):
            return self.fix(number, test.operand.value)
        unknown = self.at(number)
        if test not in unknown.tests:
            unknown.tests += (test,)
        return True

    def merge(self, one: int, other: int) -> bool:
        """Let two planned facts be one; False where they cannot."""
        if self.nodes[one].kind != self.nodes[other].kind:
            return False
        for field, number in list(self.nodes[other].fields.items()):
            if field != "id" and not self.unify(self.nodes[one].fields[field], number):
                return False
        if any(one in scope.values() and other in scope.values() for scope in self.scopes):
            return False  # one fact fills one slot of a match only
        for scope in self.scopes:
            for alias, number in scope.items():
                if number == other:
                    scope[alias] = one
        for unknown in self.unknowns:
            if unknown.value == NodeId(other):
                unknown.value = NodeId(one)
        self.nodes[other].stated = False
        self.nodes[other].kind = ""
        return True
