"""Why: whether two rules can meet is best answered by facts on which they do, small enough to be read and ready to be a case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import NamedTuple

from tollens.engine.bench.cases import fired
from tollens.engine.bench.subject import Subject
from tollens.engine.bench.witness_plan import STEPS, Planner
from tollens.engine.bench.witness_values import facts_of
from tollens.engine.bench.words import case_facts, scalar
from tollens.engine.errors import InputError, TollensError
from tollens.engine.rulebook.syntax import Expr, Head, Rule
from tollens.engine.session.reference import Reference
from tollens.engine.session.session import run_session
from tollens.facts.fact import Draft, Fact
from tollens.facts.kind import Kind

#: Plans that are tried by a run, and matches per stage of such a run.
PLANS, BUDGET = 40, 5_000
QUICK_PLANS, QUICK_STEPS = 6, 800
#: Pairs of alternatives that are looked at.
WAYS = 8


class Witness(NamedTuple):
    """Facts on which both rules fire; `conflict` is what the run then says where they contradict each other ("" where they do not)."""

    first: str
    second: str
    facts: tuple[Fact, ...]
    conflict: str

    def case(self) -> list[str]:
        """The lines of a file of cases."""
        lines = ["cases:", f"  - name: {scalar(f'{self.first} and {self.second} meet')}", "    facts:"]
        lines += [f"      - {line}" for line in case_facts(list(self.facts))]
        if self.conflict:
            lines += [f"    # the run ends here: {self.conflict}", f"    does_not_fire: [{self.second}] # until the rules agree"]
        else:
            lines += [f"    fires: [{self.first}, {self.second}]"]
        return lines


def rule_of(subject: Subject, name: str) -> Rule:
    """The rule with this id; InputError where there is none."""
    found = next((rule for rule in subject.rules if rule.meta.id == name), None)
    if found is None:
        names = [rule.meta.id for rule in subject.rules]
        raise InputError(f"there is no rule {name!r:.60}", expected="the id of a rule", choices=names, found=name)
    return found


def witness(subject: Subject, first: Rule, second: Rule, *, conflict: bool = False) -> Witness | None:
    """The smallest set of facts that was found on which both rules fire, about the same thing where they conclude the same kind.

    Each plan is run; what fires is made smaller as long as both still fire. With `conflict` only facts count on which the run ends as
    the two contradict each other, and fewer plans are tried. None where no plan fired: that is no proof that there is none.
    """
    found: list[tuple[int, int, list[Fact]]] = []
    links = _links(subject, first, second)
    ways = list(product(range(len(first.alternatives)), range(len(second.alternatives))))[:WAYS]
    plans, steps = (QUICK_PLANS, QUICK_STEPS) if conflict else (PLANS, STEPS)
    about = [links] if conflict else ([links] if links else []) + [[]]
    for (one, other), joined, apart in product(ways, about, (False,) if conflict else (False, True)):
        made = Planner(subject, apart=apart, steps=steps).plans([(first, one), (second, other)], joined)
        for state in islice(made, max(2, plans // len(ways))):
            facts = facts_of(state, subject.kinds)
            if facts is not None:
                found.append((0 if joined else 1, len(facts), facts))
    for _, _, facts in sorted(found, key=lambda plan: plan[:2])[: 3 * plans]:
        told = _meet(subject, first, second, facts)
        if told is not None and (told or not conflict):
            small = _smaller(subject, first, second, facts, bool(told))
            return Witness(first.meta.id, second.meta.id, tuple(small), _meet(subject, first, second, small) or "")
    return None


def _links(subject: Subject, first: Rule, second: Rule) -> list[tuple[Expr, Expr]]:
    """What two heads of one kind must have in common to be about the same thing: its key, or else its references."""
    for one, other in product(first.heads, second.heads):
        if one.kind == other.kind:
            kind = subject.kinds[one.kind]
            names = kind.key if not kind.whole else [field.name for field in kind.fields if field.type == "ref"]
            mine, theirs = dict(one.fields), dict(other.fields)
            return [(mine[name], theirs[name]) for name in names if name in mine and name in theirs]
    return []


def _meet(subject: Subject, first: Rule, second: Rule, facts: Sequence[Fact]) -> str | None:
    """What the run says: "" where both fire, the error where they contradict each other, None where they do not meet."""
    drafts = [Draft(fact.kind.name, fact.plain(), {}, ("case", "")) for fact in facts]
    try:
        session = run_session(subject.book, drafts, Reference(), measures=subject.measures, budget=BUDGET)
    except TollensError as error:
        both = f"rule:{first.meta.id}" in error.message and f"rule:{second.meta.id}" in error.message
        return error.message if both else None
    names = fired(session)
    return "" if first.meta.id in names and second.meta.id in names else None


def _smaller(subject: Subject, first: Rule, second: Rule, facts: Sequence[Fact], conflict: bool) -> list[Fact]:
    """The facts without those that are not needed; who refers to a removed fact goes with it."""
    left = list(facts)
    for fact in reversed(facts):
        if fact not in left:
            continue
        fewer = _without(left, fact)
        told = _meet(subject, first, second, fewer) if fewer else None
        if told is not None and bool(told) == conflict:
            left = fewer
    for number, fact in enumerate(left):
        for field in fact.kind.fields:
            if field.optional and field.name not in fact.kind.key:
                plainer = _plainer(left[number], field.name)
                told = _meet(subject, first, second, [*left[:number], plainer, *left[number + 1 :]])
                if told is not None and bool(told) == conflict:
                    left[number] = plainer
    return left


def _plainer(fact: Fact, name: str) -> Fact:
    """The fact without the value of a field that is no part of its identity."""
    values = tuple([None if field.name == name else value for field, value in zip(fact.kind.fields, fact.values, strict=True)])
    return Fact(fact.kind, values, {}, fact.origin)


def _without(facts: Sequence[Fact], fact: Fact) -> list[Fact]:
    gone = {fact.id}
    growing = True
    while growing:
        more = {one.id for one in facts if one.id not in gone and any(str(one.values[at]) in gone for at in one.kind.references)}
        growing = bool(more)
        gone |= more
    return [one for one in facts if one.id not in gone]


def opposed(subject: Subject) -> Iterator[tuple[Rule, Rule, Kind]]:
    """Pairs of rules that conclude one key with different constants, so that they contradict each other where both fire."""
    heads: dict[str, list[tuple[Rule, Head]]] = {}
    for rule in subject.rules:
        for head in rule.heads:
            kind = subject.kinds[head.kind]
            for other, theirs in heads.get(head.kind, ()):
                if other is not rule and not kind.whole and _differ(kind, head, theirs):
                    yield other, rule, kind
            heads.setdefault(head.kind, []).append((rule, head))


def _differ(kind: Kind, one: Head, other: Head) -> bool:
    from tollens.engine.rulebook.syntax import Const

    mine, theirs = dict(one.fields), dict(other.fields)

    def constants(name: str) -> tuple[object, object] | None:
        left, right = mine.get(name), theirs.get(name)
        return (left.value, right.value) if isinstance(left, Const) and isinstance(right, Const) else None

    apart = [constants(name) for name in kind.key]
    if any(pair is not None and pair[0] != pair[1] for pair in apart):
        return False
    others = [constants(field.name) for field in kind.fields if field.name not in kind.key]
    return any(pair is not None and pair[0] != pair[1] for pair in others)
