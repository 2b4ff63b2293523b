"""Pasted and recorded Python failures with known answers, against floors: below one of them a change is no improvement. Skips without the corpus."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest

GROUPS = ("pytest", "unittest", "env", "async/threads", "exception-group", "syntax", "null/index", "other-py")
#: The least share of right answers, over the cases whose labels state one.
FLOORS = {"exception": 0.95, "types": 0.90, "pin": 0.88, "class": 0.92, "values": 0.80, "outcome": 0.95, "not invented": 1.0}

Judge = Callable[[dict[str, Any], dict[str, Any]], bool | None]


def answers(want: dict[str, Any], field: str) -> list[Any]:
    """The labelled value of a field and what else is accepted for it; None among them means that saying nothing is right too."""
    return [want.get(field), *want.get(f"{field}_also", ())]


def place_of(text: object) -> tuple[tuple[str, ...], str | None]:
    """The parts of a path from its end, in lower case, and the line."""
    whole = str(text).strip().replace("\\", "/")
    match = re.fullmatch(r"(.*?):(\d+)(?::\d+)?", whole)
    path, line = (match.group(1), match.group(2)) if match is not None else (whole, None)
    return tuple(part.lower() for part in reversed(path.split("/")) if part not in ("", ".", "..")), line


def same_place(found: object, label: str) -> bool:
    """Two paths agree on all parts that both have, and on at least two where the label has as many; the line where the label has one."""
    if not isinstance(found, str):
        return False
    (own, line), (wanted, wanted_line) = place_of(found), place_of(label)
    shared = min(len(own), len(wanted))
    return shared >= min(2, len(wanted)) and own[:shared] == wanted[:shared] and wanted_line in (None, line)


def short(name: object) -> str:
    return str(name).rpartition(".")[2].strip("[]")


def folded(value: object) -> str:
    text = " ".join(str(value).split())
    return text.strip("'\"") or text


def same_value(found: object, label: object) -> bool:
    """One contains the other, white space and quotes apart; where one is very short, they are the same."""
    if found is None:
        return False
    one, other = folded(found), folded(label)
    return one == other if min(len(one), len(other)) <= 3 else one in other or other in one


def classes_of(want: dict[str, Any]) -> tuple[list[str], bool]:
    """The accepted classes, the labelled one first, and whether none at all is accepted."""
    given = want["failure_class"]
    every = [given] if isinstance(given, str) else [*(given or ())]
    every += want.get("failure_class_also", ())
    return [name for name in dict.fromkeys(every) if name], None in every


def exception(want: dict[str, Any], got: dict[str, Any]) -> bool | None:
    if not want.get("exception_class"):
        return None
    accepted = answers(want, "exception_class")
    return None in accepted or bool({short(name) for name in accepted} & {short(row["class"]) for row in got["records"]})


def types(want: dict[str, Any], got: dict[str, Any]) -> bool | None:
    if not want.get("record_types"):
        return None
    present = {row["record_type"] for row in got["records"]}
    return any(set(wanted) <= present for wanted in answers(want, "record_types") if wanted is not None)


def pinned(got: dict[str, Any]) -> str | None:
    entity = (got["residue"] or {}).get("primary_entity")
    return entity if isinstance(entity, str) and re.search(r":\d+$", entity) else None


def pin(want: dict[str, Any], got: dict[str, Any]) -> bool | None:
    if not want.get("pinned_frame"):
        return None
    accepted = [*answers(want, "pinned_frame"), want.get("deepest_project_frame_alt")]
    abstained = None in answers(want, "pinned_frame") and pinned(got) is None
    entity = (got["residue"] or {}).get("primary_entity")
    return abstained or any(same_place(entity, place) for place in accepted if place)


def not_invented(want: dict[str, Any], got: dict[str, Any]) -> bool | None:
    if want.get("pinned_frame") or want.get("root_error") or "compiler" in (want.get("record_types") or ()):
        return None
    return pinned(got) is None or any(same_place(pinned(got), place) for place in answers(want, "pinned_frame") if place)


def failure_class(want: dict[str, Any], got: dict[str, Any]) -> bool | None:
    accepted, _ = classes_of(want)
    if want.get("failure_class_fit") != "good" or not accepted:
        return None
    found = (got["classification"] or {}).get("failure_class")
    return found == accepted[0] or found in want.get("failure_class_also", ())


def values(want: dict[str, Any], got: dict[str, Any]) -> bool | None:
    stated = [side for side in ("actual", "expected") if want.get(side)]
    residue = got["residue"] or {}
    return (
        all(any(same_value(residue.get(side), one) for one in answers(want, side) if one is not None) for side in stated)
        if stated
        else None
    )


def outcome(want: dict[str, Any], got: dict[str, Any]) -> bool | None:
    accepted, may_abstain = classes_of(want)
    if not accepted or accepted == ["none"]:
        return bool(got["outcome"] == "no_failure")
    if got["outcome"] == "insufficient_evidence":
        cut = want.get("truncated") and want.get("failure_class_fit") == "none"
        return bool(may_abstain or cut or "insufficient_evidence" in want.get("outcome_also", ()))
    return got["outcome"] == "diagnosis" or got["outcome"] in want.get("outcome_also", ())


JUDGES: dict[str, Judge] = {
    "exception": exception,
    "types": types,
    "pin": pin,
    "class": failure_class,
    "values": values,
    "outcome": outcome,
    "not invented": not_invented,
}


@pytest.fixture(scope="session")
def python_cases(diagnosed: Callable[[str], Sequence[Any]]) -> list[Any]:
    return [case for case in diagnosed("signals") if case.label["language"] == "python" and case.label.get("group") in GROUPS]


@pytest.mark.parametrize("field", FLOORS)
def test_floors(python_cases: list[Any], field: str, record_property: Callable[[str, object], None]) -> None:
    judged = {case.name: JUDGES[field](case.label["expected"], case.result) for case in python_cases}
    stated = {name: verdict for name, verdict in judged.items() if verdict is not None}
    right = sum(stated.values())
    record_property(field, f"{right} of {len(stated)}")
    assert len(stated) >= 10
    assert right >= FLOORS[field] * len(stated), (
        f"{right} of {len(stated)}; missed: {[name for name, verdict in stated.items() if not verdict]}"
    )


def test_nobody_is_sure_of_a_class_that_does_not_fit(diagnosed: Callable[[str], Sequence[Any]]) -> None:
    """Confidence above a half with the fit `none`, by the label or by our own rules, would be a failure of ours."""
    sure = {}
    for folder in ("signals", "bugs", "quixbugs"):
        for case in diagnosed(folder):
            made = case.result["diagnosis"]
            if made is None or made["confidence"] <= 0.5:
                continue
            store = case.done.session.store
            primary = store.facts("primary")[0].get("signal")
            fits = [fact.get("fit") for fact in store.facts("classified") if fact.get("signal") == primary]
            if "none" in fits or case.label.get("expected", {}).get("failure_class_fit") == "none":
                sure[case.name] = made["confidence"]
    assert sure == {}


def test_every_result_is_clean(diagnosed: Callable[[str], Sequence[Any]]) -> None:
    from tollens.facts.views import as_result

    cases = diagnosed("signals")
    assert len(cases) == 87
    for case in cases:
        as_result(case.result)
