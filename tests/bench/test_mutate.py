"""Why: a mutation score must be honest: each sort of change is made, killed only by a case that notices, and bounded when it loops."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tollens.engine.bench import mutate as module
from tollens.engine.bench.mutate import BUDGET, KILLED, SURVIVED, Score, mutate
from tollens.engine.bench.mutate_regex import variants
from tollens.engine.bench.testing import plan
from tollens.engine.errors import InputError

HEAD = """\
stages: [s0, s1, s2]
kinds:
  item: {key: [name], fields: {name: text, size: int?, good: bool?}}
  link: {fields: {left: {ref: item}, right: {ref: item}}}
  row: {key: [word], fields: {word: text, rank: int, mood: {enum: [low, high]}}}
  out: {verdict: true, fields: {item: {ref: item}, words: text?}}
  said: {verdict: true, fields: {mood: {enum: [low, high]}}}
  reach: {verdict: true, fields: {from: {ref: item}, to: {ref: item}}}
"""
RULE = """\
stage: s1
rules:
  - id: r
    when: [{item: {as: a, size: {gt: 1}, name: {in: [x, y]}}}]
    unless: [{link: {left: $a}}]
    then: [{out: {item: $a, words: {format: "{a.name} is large"}}}]
"""
GOOD = """\
cases:
  - {name: large, facts: [{item: {as: x, name: x, size: 2}}], expect: [{out: {item: $x, words: x is large}}], exactly: [out]}
  - {name: other, facts: [{item: {as: y, name: y, size: 3}}], expect: [{out: {item: $y, words: y is large}}], exactly: [out]}
  - {name: small, facts: [{item: {name: x, size: 1}}], exactly: [out]}
  - {name: named, facts: [{item: {name: z, size: 2}}], exactly: [out]}
  - {name: linked, facts: [{item: {as: x, name: x, size: 2}}, {link: {left: $x, right: $x}}], exactly: [out]}
  - name: another is linked
    facts: [{item: {as: x, name: x, size: 2}}, {item: {as: z, name: z}}, {link: {left: $z, right: $z}}]
    expect: [{out: {item: $x}}]
"""
Write = Callable[..., Path]
Tollens = Callable[..., subprocess.CompletedProcess[str]]
Mutate = Callable[..., Score]


@pytest.fixture
def scored(write: Write) -> Mutate:
    """`scored(rules, cases, **options)`: the mutation score of a pack that stands alone."""

    def run(rules: str, cases: str, sample: int = 0, seed: int = 0) -> Score:
        folder = write(HEAD, files={"rules.yaml": rules, "mine.cases.yaml": cases})
        (tested,) = plan([folder], alone=True)
        return mutate(tested, sample=sample, seed=seed)

    return run


def ends(score: Score) -> dict[str, str]:
    return {item.mutant.name: item.how for item in score.tried}


def test_good_cases_kill_every_sort_of_change(scored: Mutate) -> None:
    score = scored(RULE, GOOD)
    assert list(ends(score)) == [
        "r: drop a.size > 1",
        "r: a.size > 1 becomes gte",
        "r: a.size > 1 one more",
        'r: drop a.name in ["x", "y"]',
        'r: a.name in ["x", "y"] without x',
        'r: a.name in ["x", "y"] without y',
        "r: drop unless link(left = $a)",
        "r: in unless link(left = $a), drop link.left = $a",
        "r: out without words",
        "r: out.words: template without ' is large'",
        "r: out.words: template without {a.name}",
    ]
    assert set(ends(score).values()) == {KILLED}
    assert (score.percent, score.made) == (100.0, 11)


@pytest.mark.parametrize(
    ("left_out", "survives"),
    [
        ("small", ["r: drop a.size > 1", "r: a.size > 1 becomes gte"]),
        ("named", ['r: drop a.name in ["x", "y"]']),
        ("linked", ["r: drop unless link(left = $a)"]),
        ("another is linked", ["r: in unless link(left = $a), drop link.left = $a"]),
        ("other", ['r: a.name in ["x", "y"] without y', "r: out.words: template without {a.name}"]),
    ],
)
def test_without_the_case_that_notices_the_change_survives(scored: Mutate, left_out: str, survives: list[str]) -> None:
    kept = [part for part in GOOD.split("  - ") if not part.startswith((f"{{name: {left_out},", f"name: {left_out}\n"))]
    found = [name for name, how in ends(scored(RULE, "  - ".join(kept))).items() if how != KILLED]
    assert set(survives) & set(found) or left_out == "other"
    assert found or left_out == "other"
    for name in found:
        assert name in survives


def test_equivalents_are_listed_with_reasons_and_do_not_count(scored: Mutate) -> None:
    cases = "\n".join(line for line in GOOD.split("\n") if "small" not in line)
    listed = "equivalent:\n  - {of: 'r: *a.size > 1*', reason: nothing is smaller}\n  - {of: 'r: gone', reason: x}\n"
    score = scored(RULE, cases + listed)
    assert score.percent == 100.0
    assert score.count("equivalent") == 2
    assert [entry.names for entry in score.stale] == ["r: gone"]


def test_rows_are_dropped_changed_and_their_ranks_trade_places(scored: Mutate) -> None:
    rules = (
        "stage: s0\nfacts:\n  - row: {word: a, rank: 1, mood: low}\n  - row: {word: b, rank: 2, mood: high}\n"
        "---\nstage: s1\nelect:\n  - id: e\n    from: [{item: {as: i}}, {row: {as: r, word: $i.name}}]\n    by: [{asc: $r.rank}, {asc: $i.seq}]\n"
        "    into: {said: {mood: $r.mood}}\n"
    )
    cases = (
        "cases:\n  - {name: a, facts: [{item: {name: a}}, {item: {name: b}}], expect: [{said: {mood: low}}], exactly: [said]}\n"
        "  - {name: b, facts: [{item: {name: b}}], expect: [{said: {mood: high}}], exactly: [said]}\n"
    )
    found = ends(scored(rules, cases))
    assert {name: how for name, how in found.items() if name.startswith("row")} == {
        "row row a: left out": KILLED,
        "row row a: mood becomes 'high'": KILLED,
        "row row b: left out": KILLED,
        "row row b: mood becomes 'low'": KILLED,
        "rows row: rank 1 and 2 trade places": KILLED,
    }
    assert found["e: by asc $r.rank is turned"] == KILLED
    assert found["e: by asc $i.seq is turned"] == SURVIVED


def test_a_mutant_that_loops_is_killed_by_the_budget(scored: Mutate, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = (
        "stage: s1\nrules:\n  - id: step\n    when: [{link: {as: l}}]\n    then: [{reach: {from: $l.left, to: $l.right}}]\n"
        "  - id: far\n    when: [{reach: {as: a}}, {link: {as: l, left: $a.to}}]\n    then: [{reach: {from: $a.from, to: $l.right}}]\n"
    )
    facts = "".join([f"      - item: {{as: i{number}, name: i{number}}}\n" for number in range(9)])
    links = "".join([f"      - link: {{left: $i{number}, right: $i{number + 1}}}\n" for number in range(0, 8, 2)])
    cases = f"cases:\n  - name: links\n    facts:\n{facts}{links}    expect: [{{reach: {{from: $i0, to: $i1}}}}]\n"
    assert ends(scored(rules, cases))["far: drop l.left = $a.to"] == SURVIVED
    monkeypatch.setattr(module, "BUDGET_FACTOR", 1)
    monkeypatch.setattr(module, "BUDGET_FLOOR", 0)
    score = scored(rules, cases)
    assert ends(score)["far: drop l.left = $a.to"] == BUDGET
    assert BUDGET in {item.how for item in score.tried}
    assert score.killed >= 1


def test_a_sample_is_the_same_for_the_same_seed(scored: Mutate) -> None:
    first, again, other = [list(ends(scored(RULE, GOOD, sample=4, seed=seed))) for seed in (1, 1, 2)]
    assert first == again
    assert first != other
    assert len(first) == 4
    with pytest.raises(InputError, match="a sample of -1 mutants"):
        scored(RULE, GOOD, sample=-1)


def test_a_case_that_is_wrong_takes_no_part(scored: Mutate) -> None:
    score = scored(RULE, "cases:\n  - {name: it, facts: [{item: {name: x, size: 2}}], exactly: [out]}\n")
    assert score.wrong == ("it",)
    assert {item.how for item in score.tried} == {"untested"}


def test_the_command_and_its_limit(write: Write, tollens: Tollens) -> None:
    folder = write(HEAD, files={"rules.yaml": RULE, "mine.cases.yaml": GOOD.replace("size: 1}", "size: 0}")})
    done = tollens("rules", "mutate", folder, "--alone")
    assert done.stdout.splitlines() == [
        "mine/rules.yaml:3: survived: r: a.size > 1 becomes gte (6 cases)",
        "pack mine: mutation score 90.9% (killed 10; 1 survived; 0 equivalent; 11 mutants)",
    ]
    low = tollens("rules", "mutate", folder, "--alone", "--fail-under", "95", "--format", "json", "--sample", "11")
    assert (low.returncode, low.stderr) == (2, "error: less than 95 percent\n")
    (data,) = json.loads(low.stdout)["packs"]
    assert (data["percent"], data["made"], len(data["mutants"])) == (90.91, 11, 11)


@pytest.mark.parametrize(
    ("regex", "expected"),
    [
        ("abc", []),
        ("^abc$", ["abc$", "^abc"]),
        ("a|b", ["b", "a"]),
        ("(?i)a|b[|)]c", ["(?i)b[|)]c", "(?i)a", "a|b[|)]c"]),
        (r"x(?:a|b\|c)y", [r"x(?:b\|c)y", "x(?:a)y"]),
        ("(?P<n>a|b)|c", ["c", "(?P<n>a|b)", "(?P<n>b)|c", "(?P<n>a)|c"]),
        (r"end\$", []),
        ("[]|]a|b", ["b", "[]|]a"]),
    ],
)
def test_regular_expressions_are_narrowed_and_widened(regex: str, expected: list[str]) -> None:
    assert [other for _, other in variants(regex)] == expected
