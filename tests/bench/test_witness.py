"""Why: a witness is only worth something if both rules really fire on it, none of its facts is needless, and it can be saved as a case."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tollens.engine.bench.cases import fired
from tollens.engine.bench.findings import findings
from tollens.engine.bench.packs import subject_of
from tollens.engine.bench.subject import Subject
from tollens.engine.bench.witness import Witness, opposed, rule_of, witness
from tollens.engine.errors import FactError, InputError
from tollens.engine.session.reference import Reference
from tollens.engine.session.session import run_session
from tollens.facts.fact import Draft

HEAD = """\
stages: [one, two, three]
kinds:
  verdict: {verdict: true, key: [signal], fields: {signal: {ref: signal}, open: bool}}
  guess: {verdict: true, fields: {signal: {ref: signal}, rank: int, text: text}}
  chosen: {verdict: true, key: [signal], fields: {signal: {ref: signal}, text: text}}
  word: {key: [word], fields: {word: text, rank: int}}
"""


@pytest.fixture(scope="module")
def shipped() -> Subject:
    return subject_of()


def proven(subject: Subject, found: Witness) -> None:
    """Both rules fire on the facts, and on none of the smaller sets that leave one fact out."""

    def meet(facts: list[Any]) -> bool:
        drafts = [Draft(fact.kind.name, fact.plain()) for fact in facts]
        try:
            names = fired(run_session(subject.book, drafts, Reference(), measures=subject.measures))
        except FactError as error:
            return found.conflict != "" and f"rule:{found.first}" in error.message and f"rule:{found.second}" in error.message
        return found.conflict == "" and {found.first, found.second} <= names

    facts = list(found.facts)
    assert meet(facts)
    for fact in facts:
        fewer = [one for one in facts if one is not fact and not any(value == fact.id for value in one.values)]
        assert not meet(fewer), f"{fact} is not needed"


PAIRS = [
    ("taxonomy.by_message", "taxonomy.by_class", 1),
    ("taxonomy.environment_key", "taxonomy.contract", 2),
    ("standing.in_test", "standing.alone", 4),
    ("causes.alone", "causes.consequence", 5),
    ("sites.pin", "sites.caller", 3),
    ("taxonomy.none_compared", "taxonomy.by_class", 2),
]


@pytest.mark.parametrize(("first", "second", "most"), PAIRS)
def test_rules_of_the_diagnosis_meet_on_few_facts(first: str, second: str, most: int, shipped: Subject) -> None:
    found = witness(shipped, rule_of(shipped, first), rule_of(shipped, second))
    assert found is not None
    assert len(found.facts) <= most
    proven(shipped, found)
    again = witness(shipped, rule_of(shipped, first), rule_of(shipped, second))
    assert again is not None
    assert again.case() == found.case(), "the same question has the same answer"


DIRECT = """\
stage: one
rules:
  - {id: opens, when: [signal: {as: s, message: {starts: ab}}], then: [verdict: {signal: $s, open: true}]}
  - {id: shuts, when: [signal: {as: s, number: {gt: 6, lt: 8}}], then: [verdict: {signal: $s, open: false}]}
"""
CHAINED = """\
stage: one
patterns:
  - {id: says.it, over: {signal: message}, regex: '^(?P<what>[a-z]+) of [0-9]{2}$'}
facts:
  - word: {word: says.it, rank: 4}
---
stage: two
rules:
  - id: guesses
    when: [match: {as: m}, word: {as: w, word: $m.pattern}, signal: {as: s, id: $m.fact}]
    then: [guess: {signal: $s, rank: $w.rank, text: t}]
  - id: shuts
    when: [match_group: {as: g, name: what}, match: {as: m, id: $g.match}, signal: {as: s, id: $m.fact}]
    then: [verdict: {signal: $s, open: false}]
---
stage: three
elect:
  - {id: picks, from: [guess: {as: g}], per: [$g.signal], by: [{asc: $g.rank}, {asc: $g.seq}], into: {chosen: {signal: $g.signal, text: $g.text}}}
rules:
  - {id: opens, when: [chosen: {as: c, text: t}, signal: {as: s, id: $c.signal}], then: [verdict: {signal: $s, open: true}]}
"""
CONFLICTS = {
    "two conditions on one signal": (DIRECT, ("opens", "shuts")),
    "through a rule, an election, a pattern and a table": (CHAINED, ("shuts", "opens")),
}


@pytest.mark.parametrize("name", list(CONFLICTS))
def test_opposed_rules_are_found_and_proven(name: str, write: Callable[..., Path]) -> None:
    rules, (first, second) = CONFLICTS[name]
    subject = subject_of([write(HEAD, rules=rules)], ())
    assert [(one.meta.id, other.meta.id) for one, other, _ in opposed(subject)] == [(first, second)]
    found = witness(subject, rule_of(subject, first), rule_of(subject, second), conflict=True)
    assert found is not None
    assert "has two values for open" in found.conflict
    assert len(found.facts) == 1
    proven(subject, found)
    told = [one.found.about for one in findings(subject, only=frozenset(["mine"])) if one.name == "rules-disagree"]
    assert told == [second]


@pytest.mark.parametrize(
    "apart",
    [
        "  - {id: shuts, when: [signal: {as: s, message: {starts: b}}], then: [verdict: {signal: $s, open: false}]}\n",
        "  - {id: shuts, when: [signal: {as: s}], unless: [belongs: {signal: $s}], then: [verdict: {signal: $s, open: false}]}\n",
        "  - {id: shuts, when: [signal: {as: s, number: 7}], then: [verdict: {signal: $s, open: true}]}\n",
    ],
)
def test_rules_that_cannot_disagree_are_not_told(apart: str, write: Callable[..., Path]) -> None:
    opens = "  - {id: opens, when: [signal: {as: s, message: {starts: ab}}, belongs: {signal: $s}], then: [verdict: {signal: $s, open: true}]}\n"
    rules = f"stage: one\nrules:\n{opens}{apart}"
    subject = subject_of([write(HEAD, rules=rules)], ())
    assert [one for one in findings(subject, only=frozenset(["mine"])) if one.name == "rules-disagree"] == []


def test_what_the_command_prints_is_a_case_that_holds(tollens: Callable[..., Any], write: Callable[..., Path]) -> None:
    folder = write()
    done = tollens("rules", "witness", "sites.pin", "sites.caller", "--rules", folder)
    assert done.returncode == 0, done.stderr
    (folder / "meets.cases.yaml").write_text(done.stdout, encoding="utf-8")
    done = tollens("rules", "test", folder)
    assert done.returncode == 0, done.stdout
    assert "1 right" in done.stdout
    done = tollens("rules", "witness", "gate.untried", "gate.unlocked", "--gate")
    assert (done.returncode, done.stdout) == (4, "")
    assert "no facts were found" in done.stderr
    assert tollens("rules", "witness", "sites.pin", "sites.pin").returncode == 2


def test_an_unknown_rule_is_told_with_the_nearest(shipped: Subject) -> None:
    with pytest.raises(InputError, match=r"nearest: sites\.pin"):
        rule_of(shipped, "site.pin")
