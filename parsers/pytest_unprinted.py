"""Why: often the short summary is all that is left of a run; it still says which tests failed, and how most of them did."""

from __future__ import annotations

from tollens.parsers.page import Extra, Page, Unit
from tollens.parsers.pytest_summary import SummaryFound
from tollens.parsers.traceback_one import exception_line, record_type

NAME = "pytest_summary"


def read_unprinted(page: Page, summaries: list[SummaryFound], *, printed: bool) -> None:
    """Put down the tests that a summary lists as failed and no block tells of.

    Where no failure at all was `printed`, the end of the line is all there is of the exception: its class and the start of its message.
    """
    for summary in summaries:
        test = Unit("test", NAME, summary.row, summary.row)
        test.spans[""] = page.text.whole(summary.row)
        fields = {"name": summary.name, "node_id": summary.node_id, "file": summary.file, "phase": "call"}
        test.extras.append(Extra("test_case", fields, {"node_id": summary.span}))
        page.units.append(test)
        if not printed and summary.text:
            _said(page, summary, summary.text, test)


def _said(page: Page, summary: SummaryFound, said: str, test: Unit) -> None:
    text = page.text
    start = len(text.lines[summary.row].rstrip()) - len(said)
    named = exception_line(said)
    asserted = said.startswith("assert ")
    if said.endswith("..."):
        page.truncated(text.number(summary.row), NAME, "the end of a summary line is cut off")
    if not asserted and (named is None or (said.endswith("...") and not named.message.removesuffix("..."))):
        test.message = said
        test.spans["message"] = text.span(summary.row, start, start + len(said))
        return
    unit = Unit("exception", NAME, summary.row, summary.row)
    unit.spans[""] = text.span(summary.row, start, start + len(said))
    unit.parent = test
    if asserted or named is None:
        unit.class_name, unit.message = "AssertionError", said
        unit.spans["message"] = unit.spans[""]
    else:
        unit.class_name, unit.message = named.class_name, named.message or None
        unit.spans["class_name"] = text.span(summary.row, start + named.class_at[0], start + named.class_at[1])
        if named.message_at is not None:
            unit.spans["message"] = text.span(summary.row, start + named.message_at[0], start + named.message_at[0] + len(named.message))
    unit.record_type = record_type(unit.class_name)
    page.units.append(unit)
