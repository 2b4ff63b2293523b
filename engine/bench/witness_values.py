"""Why: a plan says what values must satisfy; a case needs the values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tollens.engine.bench.logic import candidates, holds
from tollens.engine.bench.sample import matching, samples
from tollens.engine.bench.witness_state import NodeId, State, Unknown
from tollens.engine.rulebook.syntax import Const, Test
from tollens.engine.session.conditions import compare
from tollens.facts.fact import BadFact, Draft, Fact, make_fact
from tollens.facts.kind import Field, Kind
from tollens.facts.values import Value, unscaled

#: Texts that are tried for one field.
TRIES = 200


def facts_of(state: State, kinds: Mapping[str, Kind]) -> list[Fact] | None:
    """The stated facts of a plan with values for all that they need, referred facts first; None where no values were found."""
    values = _chosen(state, kinds)
    if values is None:
        return None
    made: dict[int, Fact] = {}
    waiting = [number for number, node in enumerate(state.nodes) if node.stated]
    while waiting:
        ready = [number for number in waiting if all(other in made for other in _refers(state, number))]
        if not ready:
            return None
        for number in ready:
            fact = _fact(state, number, values, made, kinds[state.nodes[number].kind])
            if fact is None:
                return None
            made[number] = fact
        waiting = [number for number in waiting if number not in made]
    facts = {fact.id: fact for fact in made.values()}
    return list(facts.values()) if len(facts) == len(made) else None


def _refers(state: State, number: int) -> list[int]:
    node = state.nodes[number]
    values = [state.at(other).value for name, other in node.fields.items() if name not in ("id", "seq")]
    return [value.number for value in values if isinstance(value, NodeId)]


def _fact(state: State, number: int, values: Mapping[int, Value], made: Mapping[int, Fact], kind: Kind) -> Fact | None:
    fields: dict[str, object] = {}
    for field in kind.fields:
        root = state.find(state.nodes[number].fields[field.name])
        value = state.unknowns[root].value
        if isinstance(value, NodeId):
            fields[field.name] = made[value.number].id
        else:
            plain = values.get(root)
            fields[field.name] = unscaled(plain) if field.type == "number" and isinstance(plain, int) else plain
    try:
        return make_fact(kind, Draft(kind.name, fields, {}, ("case", "")))
    except BadFact:
        return None


def _chosen(state: State, kinds: Mapping[str, Kind]) -> dict[int, Value] | None:
    """A value for each unknown of the stated facts, by the unknown that stands for it."""
    values: dict[int, Value] = {}
    serial: dict[str, int] = {}
    for node in state.nodes:
        if not node.stated:
            continue
        serial[node.kind] = serial.get(node.kind, -1) + 1
        kind = kinds[node.kind]
        for field in kind.fields:
            root = state.find(node.fields[field.name])
            unknown = state.unknowns[root]
            if root in values or field.type == "ref":
                continue
            related = any(root in (state.find(one), state.find(other)) for one, _, other in state.relations)
            needed = not field.optional or bool(unknown.tests) or unknown.value is not None or related or _shared(state, root)
            if not needed:
                values[root] = None
                continue
            start = serial[node.kind] + (1 if kind.name == "signal" else 0)
            fitting = (one for one in _options(field, unknown, start) if _related(state, root, one, values, field))
            try:
                values[root] = next(fitting)
            except StopIteration:
                return None
    return values


def _shared(state: State, root: int) -> bool:
    """Whether more than one field has this value."""
    return sum(state.find(number) == root for node in state.nodes for number in node.fields.values()) > 1


def _related(state: State, root: int, value: Value, values: Mapping[int, Value], field: Field) -> bool:
    kind = Kind("one", [field._replace(name="value", optional=True)])
    for one, op, other in state.relations:
        mine, theirs = state.find(one), state.find(other)
        if root not in (mine, theirs) or mine == theirs:
            continue
        left = value if mine == root else values.get(mine)
        right = value if theirs == root else values.get(theirs)
        if left is not None and right is not None and not compare(kind, "value", op)(left, right):
            return False
    return True


def _options(field: Field, unknown: Unknown, serial: int) -> Iterator[Value]:
    """Values of a field that satisfy the tests, the plainest first."""
    tests = unknown.tests
    if unknown.value is not None and not isinstance(unknown.value, NodeId):
        if all(holds(field, test, unknown.value) for test in tests):
            yield unknown.value
        return
    if any(test.op == "exists" and test.operand == Const(False) for test in tests):
        yield None
        return
    fixed = candidates(field, tests)
    if field.type in ("int", "number"):
        fixed = [serial, *(fixed or []), *range(serial + 1, serial + 6)]
    options = iter(fixed) if fixed is not None else _texts(tests, serial)
    yield from [option for _, option in zip(range(TRIES), options, strict=False) if all(holds(field, test, option) for test in tests)]


def _texts(tests: Sequence[Test], serial: int) -> Iterator[str]:
    """Texts that begin, end and hold what the tests ask for, where it is not the last test to have its way."""

    def of(op: str) -> list[str]:
        return [str(test.operand.value) for test in tests if test.op == op and isinstance(test.operand, Const)]

    start, end = max(of("starts"), key=len, default=""), max(of("ends"), key=len, default="")
    inner = of("contains")
    regexes = of("matches")
    cores = [[*inner, *[text for regex in regexes if (text := matching(regex))]]]
    cores += [[*inner, text] for regex in regexes for _, text in zip(range(TRIES // 4), samples(regex), strict=False)]
    for core in cores:
        for glue in (" ", "", "/"):
            for text in (start + glue.join(core) + end, start + glue + glue.join(core) + glue + end):
                yield text or f"x{serial or ''}"
    yield from [f"{start}{''.join(inner)}x{number}{end}" for number in range(serial, serial + 4)]
