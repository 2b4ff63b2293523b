"""Why: a disagreement is of use when it is small; this drops whatever it can do without, and writes it down."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tests.language.generator import Case, make_case
from tollens.engine.rulebook.syntax import Rule, Stage


def smallest(seed: int, fails: Callable[[Case], bool]) -> Case:
    """A small case that still fails: a smaller size of the seed if there is one, then without all that is not needed."""
    case = next((made for size in (1, 2, 3) if fails(made := make_case(seed, size))), None) or make_case(seed)
    shrinking = True
    while shrinking:
        shrinking = False
        for smaller in _smaller(case):
            if _fails(smaller, fails):
                case, shrinking = smaller, True
                break
    return case


def _fails(case: Case, fails: Callable[[Case], bool]) -> bool:
    try:
        return fails(case)
    except (KeyError, ValueError, AssertionError):
        return False  # what was dropped was needed


def _smaller(case: Case) -> Iterator[Case]:
    """The case without one thing, the large things first."""
    book = case.rulebook
    for number, stage in enumerate(book.stages):
        for part in ("patterns", "measures", "elects", "takes", "groups", "rules"):
            for fewer in _without_one(getattr(stage, part)):
                yield _with_stage(case, number, _changed(stage, part, fewer))
    for drafts in _without_one(case.drafts):
        yield case._replace(drafts=drafts)
    for rows in _without_one(book.rows):
        yield case._replace(rulebook=book._replace(rows=rows))
    for number, stage in enumerate(book.stages):
        for position, rule in enumerate(stage.rules):
            for simpler in _simpler(rule):
                rules = (*stage.rules[:position], simpler, *stage.rules[position + 1 :])
                yield _with_stage(case, number, stage._replace(rules=rules))


def _simpler(rule: Rule) -> Iterator[Rule]:
    if len(rule.alternatives) > 1:
        yield from (rule._replace(alternatives=fewer) for fewer in _without_one(rule.alternatives))
    if len(rule.heads) > 1:
        yield from (rule._replace(heads=fewer) for fewer in _without_one(rule.heads))
    for part in ("unless", "conditions", "lets"):
        yield from (_changed(rule, part, fewer) for fewer in _without_one(getattr(rule, part)))
    for number, patterns in enumerate(rule.alternatives):
        for position, pattern in enumerate(patterns):
            for tests in _without_one(pattern.tests):
                changed = (*patterns[:position], pattern._replace(tests=tests), *patterns[position + 1 :])
                yield rule._replace(alternatives=(*rule.alternatives[:number], changed, *rule.alternatives[number + 1 :]))


def _changed(item: Any, part: str, value: Any) -> Any:
    return item._replace(**{part: value})


def _without_one(items: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    return (items[:position] + items[position + 1 :] for position in range(len(items)))


def _with_stage(case: Case, number: int, stage: Stage) -> Case:
    stages = case.rulebook.stages
    return case._replace(rulebook=case.rulebook._replace(stages=(*stages[:number], stage, *stages[number + 1 :])))


def shown(case: Case) -> str:
    """The case as a person reads it."""
    lines = [f"seed {case.seed}, budget {case.budget}"]
    for stage in case.rulebook.stages:
        for part in stage[1:]:
            lines += [f"  {stage.name}: {entry}" for entry in part]
    for kind in case.rulebook.kinds:
        if kind.origin != "engine":
            lines.append(f"  kind {kind.name} {[tuple(f)[:5] for f in kind.fields]} key {kind.key} rival {kind.rival}")
    lines += [f"  {row}" for row in case.rulebook.rows] + [f"  {draft}" for draft in case.drafts]
    return "\n".join(lines)
