"""Why: results of cases, coverage and mutation are told in one manner, as lines for people and as data for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tollens.engine.bench.cases import RIGHT, CaseResult
from tollens.engine.bench.coverage import Coverage, side_name
from tollens.engine.bench.coverage_corpus import Corpus
from tollens.engine.bench.mutate import BUDGET, ERROR, KILLED, SURVIVED, UNTESTED, Score
from tollens.engine.bench.testing import FileResult, counts
from tollens.engine.rulebook.syntax import Place

Json = dict[str, object]


def result_lines(results: Sequence[FileResult]) -> Iterator[str]:
    """Each case that is not right with its findings, then the counts."""
    for _, cases in results:
        for result in cases:
            if result.outcome != RIGHT:
                yield f"{_at(result.place)}: {result.outcome}: {result.name}"
                for finding in result.findings:
                    rows = finding.text.split("\n")
                    where = "" if finding.place == result.place else f"line {finding.place.line}: "
                    yield f"  {where}{rows[0]}"
                    yield from (f"    {row}" for row in rows[1:])
    found = counts(results)
    files = len(results)
    told = ", ".join(f"{number} {outcome}" for outcome, number in found.items())
    yield f"{_count(sum(found.values()), 'case')} in {_count(files, 'file')}: {told}"


def result_json(results: Sequence[FileResult]) -> Json:
    """The same as data: `counts` by outcome, and each case with its findings."""
    return {"counts": counts(results), "cases": [_case_json(result) for _, cases in results for result in cases]}


def _case_json(result: CaseResult) -> Json:
    return {
        "name": result.name,
        "place": _place_json(result.place),
        "outcome": result.outcome,
        "findings": [{"outcome": item.outcome, "place": _place_json(item.place), "text": item.text} for item in result.findings],
    }


def coverage_lines(found: Coverage) -> Iterator[str]:
    """The sides that no case reaches, rule by rule, then the verdicts that no case speaks of, then the share."""
    last = ""
    for condition, side in found.missing():
        if condition.entry != last:
            last = condition.entry
            yield f"{_at(condition.place)}: {last or 'table row'}"
        yield f"  never {side}: {condition.name.removeprefix(last + ': ')}"
    for name, message in found.failed:
        yield f"failed: {name}: {message}"
    for entry in found.stale:
        yield f"{_at(entry.place)}: `unreachable` excuses nothing: {entry.names}"
    silent = [verdict.kind for verdict in found.verdicts if not verdict.expected]
    reached, every = found.counted()
    excused = sum(len(condition.sides) for condition in found.conditions) - every
    yield (
        f"pack {', '.join(found.packs)}: conditions {found.percent:.1f}% ({reached} of {every} sides, {excused} unreachable by reason) "
        f"by {_count(len(found.cases), 'case')}"
    )
    told = f", none of which speaks of {', '.join(silent)}" if silent else ""
    yield f"  verdicts: {len(found.verdicts) - len(silent)} of {len(found.verdicts)} kinds expected by a case{told}"


def coverage_json(found: Coverage) -> Json:
    """The same as data, with every condition."""
    reached, every = found.counted()
    return {
        "packs": list(found.packs),
        "percent": round(found.percent, 2),
        "reached": reached,
        "sides": every,
        "cases": len(found.cases),
        "conditions": [
            {
                "rule": condition.entry,
                "condition": condition.name,
                "place": _place_json(condition.place),
                "sides": {
                    side: {
                        "cases": [found.cases[number].name for number in found.reached.get((condition.name, side), [])[:5]],
                        "unreachable": entry.reason if (entry := found.excused(condition, side)) else "",
                    }
                    for side in condition.sides
                },
            }
            for condition in found.conditions
        ],
        "missing": [side_name(condition, side) for condition, side in found.missing()],
        "verdicts": [verdict._asdict() for verdict in found.verdicts],
        "failed": [list(item) for item in found.failed],
        "stale": [entry.names for entry in found.stale],
    }


def corpus_json(found: Corpus) -> Json:
    """A corpus as data."""
    return {
        "folder": found.folder,
        "signals": found.signals,
        "unexplained": found.unexplained,
        "groups": [{**group._asdict(), "patterns": list(group.patterns), "signals": list(group.signals)} for group in found.groups],
        "failed": [list(item) for item in found.failed],
    }


def score_lines(score: Score) -> Iterator[str]:
    """The mutants that no case noticed, then the score."""
    for item in score.tried:
        if item.how in (SURVIVED, UNTESTED):
            runs = _count(item.runs, "case") if item.runs else "no case at all"
            yield f"{_at(item.mutant.place)}: {item.how}: {item.mutant.name} ({runs})"
    for name in score.wrong:
        yield f"not right without any change, so it took no part: {name}"
    for entry in score.stale:
        yield f"{_at(entry.place)}: `equivalent` excuses nothing: {entry.names}"
    ends = {KILLED: "", BUDGET: " by the budget", ERROR: " by an error"}
    told = ", ".join(f"{number}{text}" for how, text in ends.items() if (number := score.count(how)))
    sampled = "" if len(score.tried) == score.made else f"a sample of {len(score.tried)} of "
    left = score.count(SURVIVED, UNTESTED)
    yield (
        f"pack {', '.join(score.packs)}: mutation score {score.percent:.1f}% (killed {told or 0}; {left} survived; "
        f"{score.count('equivalent')} equivalent; {sampled}{score.made} mutants)"
    )


def score_json(score: Score) -> Json:
    """The same as data, with every mutant that was tried."""
    return {
        "packs": list(score.packs),
        "percent": round(score.percent, 2),
        "made": score.made,
        "mutants": [
            {
                "rule": item.mutant.entry,
                "mutant": item.mutant.name,
                "place": _place_json(item.mutant.place),
                "end": item.how,
                "case": item.case,
            }
            for item in score.tried
        ],
        "wrong": list(score.wrong),
        "stale": [entry.names for entry in score.stale],
    }


def _at(place: Place) -> str:
    return f"{place.file}:{place.line}"


def _place_json(place: Place) -> Json:
    return {"file": place.file, "line": place.line, "column": place.column}


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
