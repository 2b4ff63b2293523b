"""Why: when the process dies, no failure block is printed; only the runner's progress says which test was running."""

from __future__ import annotations

from tollens.parsers import faulthandler_dump, pytest_timeout
from tollens.parsers.page import Extra, Page, Unit
from tollens.parsers.patterns import Pattern

NAME = "pytest_progress"

_RUNNING = Pattern(r"(?:\[gw[0-9]+\] )?(?:\[ *[0-9]+%\] )?([^\s:]\S*\.py)(::\S+(?:\[.*\])?)? [.FEsxXRr]*\s*$")
_DOWN = Pattern(r"[.FEsxXRr]*\[(gw[0-9]+)\] (node down: \S.*)$")
_CRASHED = Pattern(r"worker '([^']*)' crashed while running ")
_ENDED = Pattern(r"\[(gw[0-9]+)\] (?:\[ *[0-9]+%\] )?(FAILED|ERROR) (\S.*?)\s*$")
#: Dumps that go to the terminal while a test's name or progress stands on the line, and how they begin.
_DUMPS = (faulthandler_dump.NAME, pytest_timeout.NAME)
_ENDS = ("Fatal Python error: ", "Windows fatal exception: ", "Timeout (", " Timeout +")
_NEAR = 8


class CrashedRun:
    """The test that was running when the interpreter or a worker process ended."""

    name = NAME

    def read(self, page: Page) -> None:
        """See `Grammar.read`."""
        text = page.text
        for unit in [unit for unit in page.units if unit.grammar in _DUMPS and unit.frames]:
            line = text.lines[unit.first]
            head = line[: next((line.find(sign) for sign in _ENDS if sign in line), 0)].rstrip("+")
            running = _RUNNING.match(head) if ".py" in head else None
            if running is not None:
                path, test = running.group(1), running.group(2) or ""
                unit.parent = _test(page, unit.first, path + test, running.start(1), path)
        told = {said.group(1) for unit in page.units if unit.message and (said := _CRASHED.match(unit.message)) is not None}
        for index, line in enumerate(text.lines):
            if "] node down: " in line and page.free(index):
                _read_down(page, index, told)


def _test(page: Page, at: int, node_id: str, column: int, file: str) -> Unit:
    test = Unit("test", NAME, at, at)
    test.spans[""] = page.text.whole(at)
    span = page.text.span(at, column, column + len(node_id))
    name = node_id.partition("::")[2].replace("::", ".") or node_id
    fields = {"name": name, "node_id": node_id if "::" in node_id else None, "phase": "call", "file": file}
    spans = {"node_id": span} if "::" in node_id else {"name": span}
    test.extras.append(Extra("test_case", fields, spans))
    page.units.append(test)
    return test


def _read_down(page: Page, at: int, told: set[str]) -> None:
    """Put down a worker's end, and the test that is reported for it on the lines below, unless the block of that test has `told` it."""
    text = page.text
    found = _DOWN.match(text.lines[at].rstrip())
    if found is None or found.group(1) in told:
        return
    worker = found.group(1)
    unit = Unit("exception", "pytest_xdist", at, at)
    unit.message = found.group(2)
    unit.spans = {"": text.whole(at), "message": text.span(at, *found.span(2))}
    unit.extras.append(Extra("detail", {"label": "worker", "text": worker}, {"text": text.span(at, *found.span(1))}))
    for index in range(at + 1, min(at + _NEAR, len(text))):
        ended = _ENDED.match(text.lines[index]) if text.lines[index][:3] == "[gw" else None
        if ended is not None and ended.group(1) == worker:
            node_id = ended.group(3)
            unit.parent = _test(page, index, node_id, ended.start(3), node_id.partition("::")[0])
            unit.parent.first = at
            page.claim(index, index)
            break
    page.claim(at, at)
    page.units.append(unit)
