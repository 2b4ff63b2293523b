"""Why: a case that is not as it says must say so, in one of four words and at its line; a wrong file must not run at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tollens.engine.bench.cases import CaseResult, run_cases
from tollens.engine.errors import PackErrors
from tollens.engine.rulebook.syntax import Rulebook
from tollens.engine.session.evaluator import Evaluator

RULES = """\
stage: s0
rules:
  - id: pair
    when: [{item: {as: a}}, {item: {as: b, size: {gt: $a.size}}}]
    then: [{two: {first: $a, second: $b}}]
  - id: count
    when: [{item: {as: i, size: {exists: true}}}]
    then: [{counted: {number: $i.size}}]
"""
FACTS = "facts: [{item: {as: x, name: x, size: 1}}, {item: {as: y, name: y, size: 2}}]\n"

Check = Callable[[str], list[CaseResult]]


@pytest.fixture
def check(book: Callable[..., Rulebook], evaluator: Evaluator, tmp_path: Path) -> Check:
    def run(text: str) -> list[CaseResult]:
        path = tmp_path / "it.cases.yaml"
        path.write_text(text, encoding="utf-8")
        return run_cases(book(RULES), path, evaluator)

    return run


@pytest.mark.parametrize(
    ("expectation", "outcome", "texts"),
    [
        ("expect: [{two: {first: $x, second: $y}}], exactly: [two]", "right", []),
        ("expect: [{two: {first: $x}}]", "right", []),
        ("expect: [{counted: {number: 1}}, {counted: {number: 2}}], exactly: [counted]", "right", []),
        ("expect: [{two: {first: $y}}]", "wrong", ["wrong: expected two {first: $y}, found two {first: %X, second: %Y}"]),
        ("expect: [{two: {first: $x}}, {two: {first: $x}}]", "missing", ["missing: two {first: $x}"]),
        ("expect: [{seen: {}}]", "missing", ["missing: seen {}"]),
        ("expect: [{counted: {number: 3}}]", "missing", ["missing: counted {number: 3}"]),
        ("not_expected: [{two: {second: $y}}]", "unexpected", ["unexpected: two {first: %X, second: %Y}"]),
        ("exactly: [two]", "unexpected", ["unexpected: two {first: %X, second: %Y}"]),
        ("exactly: [seen]", "right", []),
        (
            "expect: [{seen: {}}], exactly: [seen, two]",
            "wrong",
            ["missing: seen {}", "unexpected: two {first: %X, second: %Y}"],
        ),
        ("expect: [{two: {as: t}}, {two: {id: $t}}]", "missing", ["missing: two {id: $t}"]),
        ("expect: [{item: {name: x, share: ~}}, {item: {name: y, size: 2}}]", "right", []),
        ("expect: [{item: {name: x, size: ~}}]", "wrong", ["wrong: expected item {name: x, size: nothing}, found item {name: x, size: 1}"]),
    ],
)
def test_the_four_outcomes(check: Check, expectation: str, outcome: str, texts: list[str]) -> None:
    (result,) = check(f"{FACTS}cases:\n  - {{name: it, {expectation}}}\n")
    from tollens.facts.fact import fact_id

    shown = [text.replace("%X", fact_id("item", "x")).replace("%Y", fact_id("item", "y")) for text in texts]
    assert (result.outcome, [finding.text for finding in result.findings]) == (outcome, shown)
    assert result.place.line == 3
    assert all(finding.place.line == 3 for finding in result.findings)


def test_each_expectation_has_a_fact_of_its_own_whatever_their_order(check: Check) -> None:
    facts = "facts: [{item: {as: x, name: x, size: 1}}, {item: {as: y, name: y, size: 2}}, {item: {as: z, name: z, size: 3}}]\n"
    expect = "[{two: {}}, {two: {second: $z}}, {two: {first: $x, second: $z}}]"
    (result,) = check(f"{facts}cases:\n  - {{name: it, expect: {expect}, exactly: [two]}}\n")
    assert result.outcome == "right"


def test_a_session_that_fails_is_wrong(check: Check) -> None:
    text = "cases:\n  - name: it\n    facts: [{item: {name: x, size: 1}}, {item: {name: x, size: 2}}]\n    exactly: [two]\n"
    (result,) = check(text)
    assert result.outcome == "wrong"
    assert result.findings[0].text.startswith("the session failed: item with the same key (name) has two values for size")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("cases:\n  - {name: it}\n", 2, "the case 'it' expects nothing"),
        ("cases:\n  - {name: it, exactly: [two]}\n  - {name: it, exactly: [two]}\n", 3, "two cases are named 'it'; the first in line 2"),
        ("cases:\n  - {name: it, expect: [{tow: {}}]}\n", 2, "there is no kind 'tow'"),
        ("cases:\n  - {name: it, expect: [{two: {third: 1}}]}\n", 2, "two has no field 'third'"),
        ("cases:\n  - {name: it, expect: [{two: {first: $x}}]}\n", 2, "no fact is labelled $x"),
        ("cases:\n  - {name: it, expect: [{counted: {number: one}}]}\n", 2, "number must be int, not 'one'"),
        ("cases:\n  - {name: it, facts: [{item: {size: 1}}], exactly: [two]}\n", 2, "case: item: name needs a value: text"),
        (
            "cases:\n  - {name: it, facts: [{item: {as: x, name: x}}, {item: {as: x, name: y}}], exactly: [two]}\n",
            2,
            "the label x is taken",
        ),
        ("cases:\n  - {name: it, exactly: [tow]}\n", 2, "there is no kind 'tow'"),
        ("cases:\n  - {name: it, exactly: [two], expects: []}\n", 2, "a case has no key 'expects'"),
        ("case: []\n", 1, "a file of cases has no key 'case'"),
    ],
)
def test_a_file_that_does_not_fit_is_an_error_with_its_place(check: Check, text: str, line: int, message: str) -> None:
    with pytest.raises(PackErrors) as caught:
        check(text)
    assert (line, message) in [(error.place.line, error.message) for error in caught.value.errors if error.place]
