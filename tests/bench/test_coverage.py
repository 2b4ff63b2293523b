"""Why: a number for coverage is worth something only if each side of each sort of condition counts exactly when it decided."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tollens.engine.bench.coverage import Coverage, measure, side_name
from tollens.engine.bench.coverage_corpus import corpus_coverage, shape, signals_of
from tollens.engine.bench.testing import plan
from tollens.engine.diagnosis.packs import rulebook
from tollens.engine.errors import InputError
from tollens.engine.session.reference import Reference

HEAD = """\
stages: [s0, s1]
kinds:
  item: {key: [name], fields: {name: text, size: int?, mood: {enum: [low, high], ordered: true, optional: true}}}
  link: {fields: {left: {ref: item}, right: {ref: item}}}
  out: {verdict: true, fields: {item: {ref: item}}}
  counted: {verdict: true, fields: {number: int}}
"""
Write = Callable[..., Path]
Tollens = Callable[..., subprocess.CompletedProcess[str]]
Measure = Callable[[str, str], Coverage]


@pytest.fixture
def covered(write: Write) -> Measure:
    """`covered(rules, cases)`: the coverage of a pack that stands alone."""

    def run(rules: str, cases: str) -> Coverage:
        folder = write(HEAD, files={"rules.yaml": rules, "mine.cases.yaml": cases})
        (tested,) = plan([folder], alone=True)
        return measure(tested)

    return run


def missing(found: Coverage) -> list[str]:
    return [side_name(condition, side) for condition, side in found.missing()]


def cases(*facts: str) -> str:
    """A case for each list of facts; what they expect is of no importance here."""
    return "cases:\n" + "".join(
        f"  - {{name: c{number}, facts: [{'{' + text + '}' if text else ''}], exactly: [link]}}\n" for number, text in enumerate(facts)
    )


RULE = "stage: s1\nrules:\n  - id: r\n    when: [{item: {as: a, size: {gt: 1}, mood: high}}]\n    then: [{out: {item: $a}}]\n"


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ([], ["r: when a.size > 1: true", "r: when a.size > 1: false", 'r: when a.mood = "high": true', 'r: when a.mood = "high": false']),
        (["item: {name: x, size: 2, mood: high}"], ["r: when a.size > 1: false", 'r: when a.mood = "high": false']),
        (
            ["item: {name: x, size: 1, mood: high}"],
            ["r: when a.size > 1: true", 'r: when a.mood = "high": true', 'r: when a.mood = "high": false'],
        ),
        # nothing decided alone: both conditions fail, so neither kept the rule from firing by itself
        (
            ["item: {name: x, size: 1, mood: low}"],
            ["r: when a.size > 1: true", "r: when a.size > 1: false", 'r: when a.mood = "high": true', 'r: when a.mood = "high": false'],
        ),
        (["item: {name: x, size: 2, mood: high}", "item: {name: x, size: 1, mood: high}", "item: {name: x, size: 2}"], []),
    ],
)
def test_a_side_counts_only_where_the_condition_decided_alone(covered: Measure, facts: list[str], expected: list[str]) -> None:
    found = covered(RULE, cases(*facts) if facts else cases(""))
    assert missing(found) == expected
    assert found.counted() == (4 - len(expected), 4)


def test_later_stages_do_not_count(covered: Measure) -> None:
    rules = (
        "stage: s0\nrules:\n  - id: early\n    when: [{item: {as: a}}, {link: {left: $a}}]\n    then: [{out: {item: $a}}]\n"
        "---\nstage: s1\nrules:\n  - id: later\n    when: [{item: {as: a}}]\n    then: [{link: {left: $a, right: $a}}]\n"
    )
    assert missing(covered(rules, cases("item: {name: x}"))) == ["early: when link.left = $a: true", "early: when link.left = $a: false"]


def test_unless_and_the_tests_inside_it(covered: Measure) -> None:
    rules = "stage: s1\nrules:\n  - id: r\n    when: [{item: {as: a}}]\n    unless: [{link: {left: $a}}]\n    then: [{out: {item: $a}}]\n"
    free, blocked = "item: {name: x}", "item: {as: x, name: x}}, {link: {left: $x, right: $x}"
    other = "item: {as: x, name: x}}, {item: {as: y, name: y}}, {link: {left: $y, right: $y}"
    wrap = "unless link(left = $a)"
    assert missing(covered(rules, cases(free))) == [
        f"r: {wrap}: false",
        f"r: in {wrap}, left = $a: true",
        f"r: in {wrap}, left = $a: false",
    ]
    assert missing(covered(rules, cases(free, blocked))) == [f"r: in {wrap}, left = $a: false"]
    assert missing(covered(rules, cases(other))) == []


def test_conditions_over_lets_and_aggregates(covered: Measure) -> None:
    rules = (
        "stage: s1\nrules:\n  - id: r\n    when: [{item: {as: a}}]\n    let: {n: {count: {link: {left: $a}}}}\n"
        "    if: [{gt: [$n, 0]}]\n    then: [{counted: {number: $n}}]\n"
    )
    two = "item: {as: x, name: x}}, {item: {as: y, name: y}}, {link: {left: $x, right: $y}"
    crossed = two + "}, {link: {left: $y, right: $y}"
    assert missing(covered(rules, cases("item: {name: x}"))) == [
        "r: fires: true",
        "r: count link.left = $a: true",
        "r: count link.left = $a: false",
        "r: if 1 (gt): true",
    ]
    assert missing(covered(rules, cases(two))) == ["r: count link.left = $a: false"]
    assert missing(covered(rules, cases(two, crossed))) == []


def test_orders_and_what_is_left_over(covered: Measure) -> None:
    rules = (
        "stage: s1\nelect:\n  - id: e\n    from: [{item: {as: a}}]\n    by: [{desc: $a.size}, {asc: $a.seq}]\n    into: {out: {item: $a}}\n"
        "take:\n  - id: t\n    from: [{item: {as: a}}]\n    by: [{asc: $a.size}, {asc: $a.seq}]\n    keep: 1\n    into: {counted: {number: $number}}\n"
    )
    one, differ, tie = (
        "item: {name: x, size: 1}",
        "item: {name: x, size: 1}}, {item: {name: y, size: 2}",
        "item: {name: x, size: 1}}, {item: {name: y, size: 1}",
    )
    assert missing(covered(rules, cases(one))) == [
        "e: by desc $a.size: true",
        "e: by asc $a.seq: true",
        "t: by asc $a.size: true",
        "t: by asc $a.seq: true",
        "t: keep 1: false",
    ]
    assert missing(covered(rules, cases(differ))) == ["e: by asc $a.seq: true", "t: by asc $a.seq: true"]
    assert missing(covered(rules, cases(differ, tie))) == []


def test_patterns_rows_and_verdicts(covered: Measure) -> None:
    rules = (
        'stage: s0\npatterns: [{id: p, over: {item: name}, regex: "x+"}]\nfacts: [{link: {}}]\n'.replace("facts: [{link: {}}]\n", "")
        + "---\nstage: s1\nrules:\n  - id: r\n    when: [{match: {as: m, pattern: p}}]\n    then: [{counted: {number: $m.end}}]\n"
    )
    text = cases("item: {name: xx}").replace("exactly: [link]", "expect: [{counted: {number: 2}}]")
    found = covered(rules, text)
    assert missing(found) == ["p: matches: false", 'r: when m.pattern = "p": false']
    assert [(verdict.kind, verdict.derived, verdict.expected) for verdict in found.verdicts] == [("counted", 1, 1)]


def test_what_is_unreachable_is_excused_with_its_reason_and_no_more(covered: Measure) -> None:
    text = (
        cases("item: {name: x, size: 2, mood: high}")
        + "unreachable:\n  - {of: 'r: when a.mood*: false', reason: all are high}\n  - {of: 'r: when a.nothing: true', reason: x}\n"
    )
    found = covered(RULE, text)
    assert missing(found) == ["r: when a.size > 1: false"]
    assert found.counted() == (2, 3)
    assert [entry.names for entry in found.stale] == ["r: when a.nothing: true"]


def test_a_case_whose_session_fails_covers_nothing(covered: Measure) -> None:
    found = covered(RULE, cases("item: {name: x, size: 2}}, {item: {name: x, size: 3}"))
    assert found.counted() == (0, 4)
    assert [name for name, _ in found.failed] == ["c0"]


def test_the_command_and_its_limit(write: Write, tollens: Tollens) -> None:
    folder = write(HEAD, files={"rules.yaml": RULE, "mine.cases.yaml": cases("item: {name: x, size: 2, mood: high}")})
    done = tollens("rules", "coverage", folder, "--alone", "--fail-under", "50")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "mine/rules.yaml:4: r",
        "  never false: when a.size > 1",
        '  never false: when a.mood = "high"',
        "pack mine: conditions 50.0% (2 of 4 sides, 0 unreachable by reason) by 1 case",
        "  verdicts: 0 of 1 kinds expected by a case, none of which speaks of out",
    ]
    low = tollens("rules", "coverage", folder, "--alone", "--fail-under", "51", "--format", "json")
    assert (low.returncode, low.stderr) == (2, "error: less than 51 percent\n")
    (data,) = json.loads(low.stdout)["packs"]
    assert (data["percent"], data["missing"]) == (50.0, ["r: when a.size > 1: false", 'r: when a.mood = "high": false'])


def test_a_corpus_groups_what_no_rule_explains(tmp_path: Path) -> None:
    traceback = 'Traceback (most recent call last):\n  File "/srv/app/main.py", line 3, in run\n    step()\n{}\n'
    for name, text in {
        "a": traceback.format("app.Odd: order 17 is odd"),
        "b": traceback.format("app.Odd: order 18 is odd"),
        "c": traceback.format("ValueError: 7"),
        "d": "nothing here",
    }.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "signal.txt").write_text(text, encoding="utf-8")
    (tmp_path / "a" / "notes.txt").write_text("not a signal", encoding="utf-8")
    (tmp_path / "loose.txt").write_text(traceback.format("app.Odd: order 19 is odd"), encoding="utf-8")
    found = corpus_coverage(tmp_path, rulebook(), Reference())
    assert (found.signals, found.unexplained) == (5, 4)
    assert [(group.class_name, group.shape, group.signals) for group in found.groups] == [
        ("app.Odd", "order # is odd", ("a", "b", "loose.txt")),
        ("(no signal)", "", ("d",)),
    ]
    assert found.groups[0].why == "no class fits: unknown"


def test_the_shape_of_a_message_leaves_out_what_varies() -> None:
    assert shape("'x' at 0x7f00 in /srv/a.py: 12 of 13\nmore") == "'...' at ADDRESS in PATH: # of #"


def test_a_corpus_that_is_not_there(tmp_path: Path, tollens: Tollens) -> None:
    with pytest.raises(InputError, match="there is no signal in"):
        signals_of(tmp_path)
    done = tollens("rules", "coverage", "--corpus", tmp_path / "gone")
    assert (done.returncode, "there is no folder" in done.stderr) == (2, True)
