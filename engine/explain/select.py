"""Why: a reader asks with the word at hand: a field of the printed result, a kind of fact, or an id copied from an explanation."""

from __future__ import annotations

from typing import NamedTuple

from tollens.engine.errors import InputError
from tollens.engine.explain.reading import Record
from tollens.engine.explain.sentences import plain

#: What is explained when nothing is asked for, as far as the run answered it.
MAIN = ("failure_class", "root_cause_hypothesis", "primary_entity", "confidence")
#: How many facts are explained at once.
SHOWN = 10
_ENGINE_KINDS = ("passed_over", "tied", "match", "match_group")
_INPUTS = ("parser", "caller", "probe", "learned", "row")


class Selection(NamedTuple):
    """Facts to explain under one title; `left_out` counts the facts over the limit."""

    title: str
    ids: tuple[str, ...]
    left_out: int = 0


def select(record: Record, asked: str = "", limit: int = SHOWN) -> list[Selection]:
    """The facts that a word means (limit 0: all of them); InputError with the choices where it means none or too many.

    A word is tried as a fact's id, a field of the result, a kind, and a beginning of an id that no other fact shares.
    """
    if not asked:
        return _main(record, limit)
    if asked in record.by_id:
        return [_selection(asked, [asked], limit)]
    if record.answers.get(asked):
        return [_answer(record, asked, limit)]
    of_kind = [fact["id"] for fact in record.of_kind(asked.removesuffix(":"))]
    if of_kind:
        return [_selection(f"{asked.removesuffix(':')}: {_facts(len(of_kind))}", of_kind, limit)]
    fitting = [fact_id for fact_id in record.by_id if fact_id.startswith(asked) or fact_id.partition(":")[2].startswith(asked)]
    if len(fitting) == 1:
        return [_selection(fitting[0], fitting, limit)]
    if fitting:
        raise InputError(
            f"{len(fitting)} facts of the run {record.run_id} begin with {asked!r:.80}",
            expected="a beginning that one fact has",
            choices=sorted(fitting),
            next_step="write more of the id",
        )
    raise _unknown(record, asked)


def _unknown(record: Record, asked: str) -> InputError:
    if asked in record.answers or record.value(asked) is not None:
        value = plain(record.value(asked))
        return InputError(
            f"no fact stands behind {asked} of the run {record.run_id}; its value is {value!r:.80}",
            expected="a field that rules decide",
            choices=_choices(record),
            next_step="ask for one of the fields or kinds above",
        )
    return InputError(
        f"the run {record.run_id} has no field, kind or fact {asked!r:.80}",
        expected="a field of the result, a kind of fact, or a fact's id or the beginning of one",
        choices=_choices(record),
        found=asked,
        next_step="ask for one of the words above, or leave it out to see the main verdicts",
    )


def _choices(record: Record) -> list[str]:
    answered = [name for name, ids in record.answers.items() if ids]
    return [*answered, *(kind for kind in record.kinds() if kind not in answered)]


def _main(record: Record, limit: int) -> list[Selection]:
    names = [name for name in MAIN if record.answers.get(name)] or [name for name, ids in record.answers.items() if ids]
    if names:
        return [_answer(record, name, limit) for name in names]
    ends = _ends(record)
    if not ends:
        raise InputError(
            f"the run {record.run_id} came to no verdict",
            choices=record.kinds(),
            next_step="ask for one of the kinds above to see what was read",
        )
    return [_selection(f"what the run came to: {_facts(len(ends))}", ends, limit)]


def _ends(record: Record) -> list[str]:
    """The derived facts that no other derivation rests on, the engine's own kinds left out."""
    used: set[str] = set()
    for fact in record.facts:
        for way in fact["derivations"]:
            used.update(fact_id for _, fact_id in way.get("bound", ()))
            used.update(way.get("inputs", ()))
            used.update(fact_id for _, _, inputs in way.get("computed", ()) for fact_id in inputs)
    return [
        fact["id"]
        for fact in record.facts
        if fact["id"] not in used and fact["kind"] not in _ENGINE_KINDS and fact["derivations"][0]["by"] not in _INPUTS
    ]


def _answer(record: Record, name: str, limit: int) -> Selection:
    known = [fact_id for fact_id in record.answers[name] if fact_id in record.by_id]
    value = record.value(name)
    return _selection(name if value is None else f"{name} = {plain(value):.200}", known, limit)


def _selection(title: str, ids: list[str], limit: int) -> Selection:
    shown = ids[:limit] if limit else ids
    return Selection(title, tuple(shown), len(ids) - len(shown))


def _facts(count: int) -> str:
    return f"{count} fact{'' if count == 1 else 's'}"
