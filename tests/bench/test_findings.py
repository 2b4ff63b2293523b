"""Why: each finding must be there for a pack that has the fault and gone for one that has not, or nobody believes it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tollens.engine.bench.findings import checks, findings
from tollens.engine.bench.packs import gate_subject, subject_of
from tollens.engine.errors import InputError, PackErrors

KINDS = """\
stages: [one, two]
kinds:
  seen: {fields: {signal: {ref: signal}, word: text, level: {enum: [low, high], ordered: true}}}
  done: {verdict: true, fields: {signal: {ref: signal}, note: text}}
  spare: {verdict: true, fields: {signal: {ref: signal}}}
"""


def rule(name: str, when: str, then: str = "[done: {signal: $s, note: x}]", more: str = "") -> str:
    return f"  - {{id: {name}, when: {when}, then: {then}{more}}}\n"


def stage(*rules: str, name: str = "one") -> str:
    return f"stage: {name}\nrules:\n" + "".join(rules)


ANY = "[signal: {as: s}]"
TEST = "[signal: {as: s, record_type: assertion}]"


class Pair(NamedTuple):
    """A pack with a fault, a pack without, and what the finding is about."""

    about: str
    bad: str
    good: str
    bad_head: str = KINDS
    good_head: str = KINDS


LOOP_HEAD = "stages: [one]\nkinds:\n  hop: {verdict: true, fields: {from: {ref: signal}, to: {ref: signal}}}\n"
LOOP_START = "  - {id: start, when: [chain_member: {as: a}, chain_member: {as: b, chain: $a.chain}], then: [hop: {from: $a.signal, to: $b.signal}]}\n"
ELECT = (
    "stage: two\nelect:\n  - {{id: best, from: [done: {{as: d}}], per: [$d.signal], by: {by}, into: {{spare: {{signal: $d.signal}}}}}}\n"
)
TABLE = "kinds:\n  advice: {key: [level], fields: {level: {enum: [low, high]}, text: text}}\n"

PAIRS = {
    "duplicate-rule": [
        Pair(
            "b",
            stage(rule("a", TEST), rule("b", "[signal: {as: s, record_type: {eq: assertion}}]")),
            stage(rule("a", TEST), rule("b", ANY)),
        ),
        Pair(
            "q",
            "stage: one\npatterns:\n  - {id: p, over: {signal: message}, regex: x}\n  - {id: q, over: {signal: message}, regex: x}\n",
            "stage: one\npatterns:\n  - {id: p, over: {signal: message}, regex: x}\n  - {id: q, over: {signal: message}, regex: y}\n",
        ),
    ],
    "shadowed-rule": [
        Pair("b", stage(rule("a", ANY), rule("b", TEST)), stage(rule("a", ANY), rule("b", TEST, "[done: {signal: $s, note: y}]"))),
        Pair(
            "b",
            stage(rule("b", ANY, more=", unless: [belongs: {signal: $s}]"), rule("a", ANY)),
            stage(rule("b", ANY, more=", unless: [belongs: {signal: $s}]"), rule("a", TEST)),
        ),
    ],
    "contradictory-conditions": [
        Pair("a", stage(rule("a", f"[signal: {{as: s, number: {test}}}]")), stage(rule("a", f"[signal: {{as: s, number: {fine}}}]")))
        for test, fine in (
            ("{gt: 3, lt: 4}", "{gt: 3, lt: 5}"),
            ("{eq: 1, ne: 1}", "{gte: 1, ne: 1}"),
            ("{in: [1, 2], gt: 2}", "{in: [1, 2], gt: 1}"),
        )
    ]
    + [
        Pair(
            "a",
            stage(rule("a", "[signal: {as: s, message: {starts: ab, exists: false}}]")),
            stage(rule("a", "[signal: {as: s, message: {starts: ab, ends: b}}]")),
        ),
        Pair(
            "a",
            stage(
                rule("a", "[signal: {as: s, message: {starts: ab, matches: x}}]", more=", unless: [signal: {message: {starts: a, eq: b}}]")
            ),
            stage(
                rule("a", "[signal: {as: s, message: {starts: ab, matches: x}}]", more=", unless: [signal: {message: {starts: a, eq: ab}}]")
            ),
        ),
        Pair("a", stage(rule("a", ANY, more=", if: [gt: [1, 2]]")), stage(rule("a", ANY, more=", if: [gt: [$s.number, 2]]"))),
    ],
    "never-fires": [
        Pair(
            "b",
            stage(rule("a", ANY)) + "---\n" + stage(rule("b", "[done: {as: d, note: y}]", "[spare: {signal: $d.signal}]"), name="two"),
            stage(rule("a", ANY)) + "---\n" + stage(rule("b", "[done: {as: d, note: x}]", "[spare: {signal: $d.signal}]"), name="two"),
        ),
        Pair(
            "b",
            stage(rule("b", "[spare: {as: d}, signal: {as: s}]")),
            stage(rule("a", ANY, "[spare: {signal: $s}]"), rule("b", "[spare: {as: d}, signal: {as: s}]")),
        ),
    ],
    "loop-without-bound": [
        Pair(
            "grow",
            "stage: one\nrules:\n"
            + LOOP_START
            + "  - {id: grow, when: [hop: {as: a}, hop: {as: b, from: $a.to}], then: [hop: {from: $a.from, to: $b.to}]}\n",
            "stage: one\nrules:\n"
            + LOOP_START
            + "  - {id: grow, when: [hop: {as: a}, chain_member: {as: b, signal: $a.to}, chain_member: {as: c, chain: $b.chain}], then: [hop: {from: $a.from, to: $c.signal}]}\n",
            LOOP_HEAD,
            LOOP_HEAD,
        )
    ],
    "kind-not-produced": [
        Pair("spare", stage(rule("a", "[spare: {as: d}, signal: {as: s}]")), stage(rule("a", ANY, "[spare: {signal: $s}]")))
    ],
    "kind-not-read": [
        Pair(
            "done",
            stage(rule("a", ANY)),
            stage(rule("a", ANY)) + "---\n" + stage(rule("b", "[done: {as: d}]", "[spare: {signal: $d.signal}]"), name="two"),
        )
    ],
    "rival-without-election": [
        Pair(
            "done",
            stage(rule("a", ANY)),
            stage(rule("a", ANY)) + "---\n" + ELECT.format(by="[{asc: $d.note}, {asc: $d.seq}]"),
            KINDS.replace("done: {verdict", "done: {rival: true, key: [signal], verdict"),
            KINDS.replace("done: {verdict", "done: {rival: true, key: [signal], verdict"),
        )
    ],
    "missing-member": [
        Pair(
            "advice",
            "facts:\n  - advice: {level: low, text: rest}\n",
            "facts:\n  - advice: {level: low, text: rest}\n  - advice: {level: high, text: run}\n",
            TABLE,
            TABLE,
        )
    ],
    "election-without-order": [
        Pair(
            "best",
            stage(rule("a", ANY)) + "---\n" + ELECT.format(by=by),
            stage(rule("a", ANY)) + "---\n" + ELECT.format(by="[{asc: $d.note}, {asc: $d.seq}]"),
        )
        for by in ("[{asc: $d.seq}]", "[{asc: $d.note}, {asc: $d.id}]")
    ],
    "matches-everything": [
        Pair(
            "p",
            f"stage: one\npatterns:\n  - {{id: p, over: {{signal: message}}, regex: '{bad}'}}\n",
            f"stage: one\npatterns:\n  - {{id: p, over: {{signal: message}}, regex: '{good}'}}\n",
        )
        for bad, good in (("a*", "a+"), ("x|", "^$"), ("(?:no)?", "^(?:no)?$"))
    ]
    + [
        Pair(
            "a",
            stage(rule("a", "[signal: {as: s, message: {matches: 'z*'}}]")),
            stage(rule("a", "[signal: {as: s, message: {matches: z}}]")),
        )
    ],
    "matches-nothing": [
        Pair(
            "p",
            f"stage: one\npatterns:\n  - {{id: p, over: {{signal: message}}, regex: '{bad}'}}\n",
            f"stage: one\npatterns:\n  - {{id: p, over: {{signal: message}}, regex: '{good}'}}\n",
        )
        for bad, good in (
            ("a^b", "^ab"),
            ("end$ing", "ending$"),
            (r"no\bde", r"\bno\b de"),
            ("^[^a]^b", "^[^a]?b"),
            ("(?:a|b){100}^c", "(?:a|b){100}c"),
        )
    ],
    "near-limit": [
        Pair(
            "a",
            stage(rule("a", "[" + ", ".join(["signal: {as: s}", *[f"signal: {{number: {n}}}" for n in range(size)]]) + "]")),
            stage(rule("a", ANY)),
        )
        for size in (11, 13)
    ]
    + [Pair("p", f"stage: one\npatterns:\n  - {{id: p, over: {{signal: message}}, regex: '{'x' * 17000}'}}\n", stage(rule("a", ANY)))]
    + [Pair("mine", stage(rule("a", ANY)) + "#" * 900_000 + "\n", stage(rule("a", ANY)))],
}


def found(folder: Path, **levels: str) -> list[tuple[str, str]]:
    """(finding, what it is about) for the pack of a test."""
    return [(one.name, one.found.about) for one in findings(subject_of([folder], ()), levels, frozenset(["mine"]))]


@pytest.mark.parametrize(("name", "number"), [(name, number) for name, pairs in PAIRS.items() for number in range(len(pairs))])
def test_a_pack_with_the_fault_is_told_and_one_without_is_not(name: str, number: int, write: Callable[..., Path]) -> None:
    pair = PAIRS[name][number]
    bad = found(write(pair.bad_head, rules=pair.bad))
    assert (name, pair.about) in bad
    assert (name, pair.about) not in found(write(pair.good_head, rules=pair.good))


CASE = "cases:\n  - {name: one, facts: [signal: {number: 1, record_type: exception, grammar: g, first_line: 1, last_line: 1}], expect: [done: {note: x}]}\n"


def test_a_rule_without_a_case(write: Callable[..., Path]) -> None:
    rules = stage(rule("a", ANY), rule("b", TEST, "[spare: {signal: $s}]"))
    assert [about for name, about in found(write(KINDS, rules=rules)) if name == "rule-without-case"] == ["a", "b"]
    folder = write(KINDS, rules=rules, files={"x.cases.yaml": CASE})
    assert [about for name, about in found(folder) if name == "rule-without-case"] == ["b"]
    assert ("kind-not-read", "done") not in found(folder), "a case expects it"


def test_every_finding_has_its_pair() -> None:
    assert {*checks(), "unknown-finding"} == {*PAIRS, "rule-without-case", "unknown-finding", *OTHERS}


#: Findings that are tested elsewhere.
OTHERS = ("rules-disagree",)


def test_the_shipped_packs_are_silent() -> None:
    assert findings(subject_of([])) == []
    assert findings(gate_subject()) == []


def test_a_pack_switches_a_finding_for_one_rule(write: Callable[..., Path]) -> None:
    rules = stage(rule("a", ANY), rule("b", TEST), rule("c", TEST, "[spare: {signal: $s}]"))
    head = (
        KINDS
        + "findings:\n  rule-without-case:\n    - {level: off, reason: r}\n    - {level: error, reason: r, only: [c]}\n  shadowed-rule: {level: off, reason: r, only: [zzz]}\n  kind-not-read: error\n"
    )
    told = {
        (one.name, one.found.about): one.level for one in findings(subject_of([write(head, rules=rules)], ()), only=frozenset(["mine"]))
    }
    assert ("rule-without-case", "a") not in told
    assert told["rule-without-case", "c"] == "error"
    assert told["shadowed-rule", "b"] == "warn"
    assert told["kind-not-read", "done"] == "error"


def test_the_caller_overrides_the_pack(write: Callable[..., Path]) -> None:
    folder = write(KINDS + "findings:\n  kind-not-read: error\n", rules=stage(rule("a", ANY)))
    assert ("kind-not-read", "done") not in found(folder, **{"kind-not-read": "off"})
    assert {one.level for one in findings(subject_of([folder], ()), {"all": "error"}, frozenset(["mine"]))} == {"error"}
    assert found(folder, all="off") == []
    with pytest.raises(InputError, match="nearest: kind-not-read"):
        found(folder, **{"kind-not-red": "off"})
    with pytest.raises(InputError, match="no level 'loud'"):
        found(folder, all="loud")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("shadowed-rule: off", "without a reason"),
        ("shadowed-rule: {level: off}", "needs `reason`"),
        ("shadowed-rule: loud", "one of the choices"),
        ("shadowed-rule: {level: off, reason: x, onyl: [a]}", "nearest: only"),
        ("[shadowed-rule]", "must be a mapping"),
        ("shadowed-rule: {level: warn, reason: x, only: a}", "must be a list"),
    ],
)
def test_settings_of_a_wrong_form_are_errors_of_the_pack(text: str, message: str, write: Callable[..., Path]) -> None:
    with pytest.raises(PackErrors, match=message):
        subject_of([write(f"findings: {{{text}}}\n" if not text.startswith("[") else f"findings: {text}\n")])


def test_a_setting_for_a_finding_that_there_is_not(write: Callable[..., Path]) -> None:
    assert ("unknown-finding", "no-such") in found(write("findings:\n  no-such: warn\n"))


def test_a_setting_that_holds_for_nothing_any_more(write: Callable[..., Path]) -> None:
    head = KINDS + "findings:\n  shadowed-rule: {level: off, reason: r, only: [b, c]}\n"
    told = found(write(head, rules=stage(rule("a", ANY), rule("b", TEST))))
    assert [about for name, about in told if name in ("unused-setting", "shadowed-rule")] == ["c"]


def test_the_page_has_a_section_for_each_finding_with_its_sentence(root: Path) -> None:
    page = (root / "docs/findings.md").read_text(encoding="utf-8")
    sections = dict(part.split("\n", 1) for part in page.split("\n## ")[1:])
    assert list(sections) == [*checks(), "unknown-finding", "unused-setting"], (
        "sections in the order of `tollens rules check --findings list`"
    )
    for one in checks().values():
        assert one.says in " ".join(sections[one.name].split()), one.name
        assert "```yaml" in sections[one.name] or "Example" in sections[one.name], one.name


def test_the_command_tells_levels_by_its_exit_code(tollens: Callable[..., object], write: Callable[..., Path]) -> None:
    folder = write(KINDS, rules=stage(rule("a", ANY)))
    done = tollens("rules", "check", folder)
    assert done.returncode == 0  # type: ignore[attr-defined]
    assert "mine/pack.yaml:7:3: warning: nothing reads done [kind-not-read]" in done.stdout  # type: ignore[attr-defined]
    assert tollens("rules", "check", folder, "--findings", "kind-not-read=error").returncode == 2  # type: ignore[attr-defined]
    assert tollens("rules", "check", "--findings", "list").stdout.splitlines()[0].startswith("duplicate-rule ")  # type: ignore[attr-defined]
