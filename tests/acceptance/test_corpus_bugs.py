"""Signals of real bugs: nothing in them is taken for cut off, and the pin is the deepest frame of the repository. Skips without the corpus."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tollens.engine.diagnosis.audits import audit

#: The share of the bugs whose pin must be the labelled frame.
PINNED = 0.95

Diagnosed = Callable[[str], tuple[Any, ...]]


def same_place(entity: str | None, place: dict[str, Any]) -> bool:
    """Whether `file:line` names the labelled place; of two paths the shorter one counts."""
    file, _, line = (entity or "").rpartition(":")
    one, other = file.replace("\\", "/").strip("/").split("/"), place["file"].split("/")
    shared = min(len(one), len(other))
    return line == str(place["line"]) and one[-shared:] == other[-shared:]


@pytest.mark.parametrize(("folder", "count"), [("bugs", 68), ("quixbugs", 40)])
def test_nothing_is_taken_for_cut_off(diagnosed: Diagnosed, folder: str, count: int) -> None:
    cases = diagnosed(folder)
    assert len(cases) == count
    assert {case.name: case.result["truncated_signals"] for case in cases if case.result["truncated_signals"]} == {}
    assert {case.name for case in cases if case.result["outcome"] != "diagnosis"} == set()


@pytest.mark.parametrize("folder", ["bugs", "quixbugs", "signals"])
def test_no_audit_finds_anything(diagnosed: Diagnosed, folder: str) -> None:
    assert {case.name: found for case in diagnosed(folder) if (found := audit(case.done))} == {}


def is_printed(case: Any) -> bool:
    """Whether the labelled frame stands in the text at all."""
    place = case.label["traceback"]["deepest_repo"]
    return any(same_place(f"{frame.get('file')}:{frame.get('line')}", place) for frame in case.done.session.store.facts("stack_frame"))


def pins(case: Any) -> list[str]:
    """The pins, as file:line, of the primary signal and of those in its chain that have the labelled class."""
    store = case.done.session.store
    primary = store.facts("primary")[0].get("signal")
    chains = {fact.get("signal"): fact.get("chain") for fact in store.facts("chain_member")}
    wanted = case.label["traceback"]["exception"].rpartition(".")[2]
    signals = [
        fact.id
        for fact in store.facts("signal")
        if chains.get(primary) is not None
        and chains.get(fact.id) == chains[primary]
        and str(fact.get("class_name")).rpartition(".")[2] == wanted
    ]
    places = {fact.get("signal"): str(fact.get("entity")) for fact in store.facts("place")}
    return [places[signal] for signal in signals or [primary] if signal in places]


def test_the_pin_is_the_deepest_frame_of_the_repository(diagnosed: Diagnosed, record_property: Callable[[str, object], None]) -> None:
    """Seven labels name a frame that is not in the text: pytest hid it (`__tracebackhide__`), or the label is about another of the failing
    tests. No reader of the text can name those, so the share is taken over the others. Three labels are about the last exception of a
    chain, where the diagnosis starts at the first (spec 13 section 3.3): there the pin of the labelled exception is compared. One label
    names a generated file, `<template>`, which is no file of the repository.
    """
    cases = [case for case in diagnosed("bugs") if case.label["traceback"].get("deepest_repo")]
    printed = [case for case in cases if is_printed(case)]
    missed = {
        case.name: (pins(case), case.label["traceback"]["deepest_repo"])
        for case in printed
        if not any(same_place(pin, case.label["traceback"]["deepest_repo"]) for pin in pins(case))
    }
    right = len(printed) - len(missed)
    exactly = sum(same_place(case.result["residue"]["primary_entity"], case.label["traceback"]["deepest_repo"]) for case in cases)
    record_property("pinned", f"{right} of {len(printed)} that are printed; {exactly} of {len(cases)} by the diagnosis itself")
    assert len(printed) >= 61
    assert right >= PINNED * len(printed), f"{right} of {len(printed)}: {missed}"
    assert exactly >= 57
