from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tollens.engine.errors import InputError
from tollens.engine.explain.reading import Record
from tollens.engine.explain.select import Selection, select

Make = Callable[..., Record]


def ids(record: Record, kind: str) -> tuple[str, ...]:
    return tuple(fact["id"] for fact in record.of_kind(kind))


def test_without_a_word_the_main_verdicts_are_meant(make_record: Make) -> None:
    record = make_record(["error"])
    assert select(record) == [Selection("failure_class = type", ids(record, "best")), Selection("confidence = 0.5", ids(record, "total"))]


def test_a_run_without_answers_is_explained_from_what_it_came_to(make_data: Callable[..., dict[str, Any]]) -> None:
    record = Record(make_data(["error"]) | {"answers": {}})
    (only,) = select(record)
    assert set(ids(record, "total")) <= set(only.ids)
    assert not set(ids(record, "best")) & set(only.ids)
    assert not set(ids(record, "line")) & set(only.ids)


def test_a_run_without_verdicts_says_so(make_data: Callable[..., dict[str, Any]]) -> None:
    data = make_data(["error"])
    record = Record(data | {"answers": {}, "facts": [fact for fact in data["facts"] if fact["kind"] in ("line", "word")]})
    with pytest.raises(InputError, match="came to no verdict") as error:
        select(record)
    assert error.value.choices == ("line", "word")


def test_a_word_may_be_an_id_a_beginning_a_kind_or_a_field(make_record: Make) -> None:
    record = make_record(["error", "fail"])
    hits = ids(record, "hit")
    assert select(record, hits[0]) == [Selection(hits[0], hits[:1])]
    assert select(record, record.short(hits[1]))[0].ids == hits[1:]
    assert select(record, hits[0].partition(":")[2][:12])[0].ids == hits[:1]
    assert select(record, "hit") == [Selection("hit: 2 facts", hits)]
    assert select(record, "hit:")[0].ids == hits
    assert select(record, "failure_class")[0].ids == ids(record, "best")


def test_many_facts_are_cut_with_a_count(make_record: Make) -> None:
    record = make_record(["error"] * 15)
    (chosen,) = select(record, "line")
    assert (len(chosen.ids), chosen.left_out) == (10, 5)
    assert len(select(record, "line", 0)[0].ids) == 15


def test_what_means_nothing_names_the_choices_and_the_nearest(make_record: Make) -> None:
    record = make_record(["error", "fail"])
    with pytest.raises(InputError) as unknown:
        select(record, "failure_clas")
    assert unknown.value.nearest == "failure_class"
    assert unknown.value.choices[:2] == ("failure_class", "confidence")
    assert "ranked" in unknown.value.choices
    with pytest.raises(InputError, match="no fact stands behind symptom of the run run1; its value is 'it broke'"):
        select(record, "symptom")
    with pytest.raises(InputError, match="no fact stands behind outcome"):
        select(record, "outcome")


def test_a_beginning_of_several_facts_is_ambiguous(make_record: Make) -> None:
    record = make_record(["error", "fail"])
    with pytest.raises(InputError, match="facts of the run run1 begin with 'hi'") as several:
        select(record, "hi")
    assert several.value.choices == tuple(sorted(ids(record, "hit")))
