"""Why: a block is one test's failure: a title, a body that tells of exceptions, and what was captured while the test ran."""

from __future__ import annotations

from tollens.parsers.doctest_example import read_sides
from tollens.parsers.page import Extra, Page, Region, Unit
from tollens.parsers.patterns import Pattern
from tollens.parsers.pytest_block import NAME, is_error_line, is_marked, read_block, read_location
from tollens.parsers.pytest_sections import Title, read_title
from tollens.parsers.traceback_one import HEADER

_DOCTEST = "[doctest] "
_EXAMPLE = Pattern(r"[0-9]+ +>>> ")
_WORKER = Pattern(r"\[gw[0-9]+\] \S+ -- Python ")
_CRASHED = Pattern(r"\s*worker '[^']*' crashed while running '(.*)'")
_SUBTESTS = Pattern(r"contains [0-9]+ failed subtests?$")
_PHASES = (("ERROR at setup of ", "setup"), ("ERROR at teardown of ", "teardown"), ("ERROR collecting ", "collect"))


def read_test(page: Page, at: int, title: Title, end: int, width: int) -> Unit:
    """Put down the test whose title stands at line `at` and whose block goes to before `end`; gives its signal."""
    text = page.text
    phase, name = "call", title.text
    for prefix, found in _PHASES:
        if name.startswith(prefix):
            phase, name = found, name[len(prefix) :]
    test = Unit("test", NAME, at, at)
    doctest = phase == "call" and name.startswith(_DOCTEST)
    name = name.removeprefix(_DOCTEST) if doctest else name
    column = text.lines[at].find(name)
    test.spans = {"": text.whole(at)}
    fields: dict[str, object] = {"name": name, "phase": phase}
    if phase == "collect":
        fields["file"] = name
    test.extras.append(Extra("test_case", fields, {"name": text.span(at, column, column + len(name))}))
    page.units.append(test)
    body_end = _read_captured(page, at + 1, end, test, width)
    while end > at + 1 and not text.lines[end - 1].strip():
        end -= 1
    test.last = end - 1
    if doctest:
        _read_doctest(page, at, body_end, test)
    else:
        _read_body(page, at, body_end, test)
    return test


def _read_doctest(page: Page, at: int, end: int, test: Unit) -> None:
    """The body of a doctest's block: numbered source, then two sides or a traceback, and the location at its end."""
    text = page.text
    while end > at + 1 and not text.lines[end - 1].strip():
        end -= 1
    location = read_location(text, end - 1) if end > at + 1 else None
    bottom = end - 1 if location is not None else end
    header = next((index for index in range(at + 1, bottom) if text.lines[index].startswith(HEADER)), None)
    if header is not None:
        page.claim(at, header - 1)
        page.claim(bottom, end - 1)
        page.regions.append(Region(header, bottom - 1, test, None))
        return
    source = next((index for index in range(bottom - 1, at, -1) if _EXAMPLE.match(text.lines[index])), None)
    frame = location.frame if location is not None else None
    if frame is not None and source is not None:
        start = text.lines[source].index(">>> ") + 4
        said = text.lines[source][start:].rstrip()
        frame = frame._replace(source=said, spans={**frame.spans, "source": text.span(source, start, start + len(said))})
    if read_sides(page, text, at + 1, bottom, test, frame) is None:
        page.truncated(text.number(at), NAME, "a block without the lines that name its error")
    page.claim(at, end - 1)


def _read_captured(page: Page, first: int, end: int, test: Unit, width: int) -> int:
    """Put down the captured sections of a block; gives the line after the block's own body."""
    heads: list[tuple[int, str]] = []
    for index in range(first, end):
        if page.text.lines[index][:3] == "---":
            title = read_title(page.text.lines[index])
            if title is not None and (title.text.startswith("Captured ") or abs(title.width - width) <= 1):
                heads.append((index, title.text))
                page.claim(index, index)
    for position, (index, title_text) in enumerate(heads):
        last = (heads[position + 1][0] if position + 1 < len(heads) else end) - 1
        if last > index:
            page.regions.append(Region(index + 1, last, test, title_text))
    return heads[0][0] if heads else end


def _read_body(page: Page, at: int, end: int, test: Unit) -> None:
    text = page.text
    block = read_block(page, text, at + 1, end)
    page.units.extend(block.units)
    for unit in block.units:
        unit.parent = test
    if block.native is not None:
        page.claim(at, block.native - 1)
        page.regions.append(Region(block.native, end - 1, test, None))
        return
    page.claim(at, end - 1)
    if block.units:
        return
    rows = [index for index in range(at + 1, end) if text.lines[index].strip() and not _WORKER.match(text.lines[index])]
    said = [text.lines[index].strip() for index in rows]
    if not said:
        page.truncated(text.number(at), NAME, "a block without a body")
    elif any(is_error_line(line) or is_marked(line) for line in text.lines[at + 1 : end]) or not _is_plain(said):
        page.truncated(text.number(at), NAME, "a block without the lines that name its error")
    if said and said[0].startswith("worker '") and _CRASHED.match(said[0]) is not None:
        unit = Unit("exception", "pytest_xdist", rows[0], rows[0])
        unit.message, unit.parent = said[0], test
        unit.spans = {"": text.whole(rows[0]), "message": text.whole(rows[0])}
        page.units.append(unit)
        _name_crashed(page, rows[0], test)
    elif said:
        test.message = "\n".join(said)
        test.spans["message"] = text.whole(rows[0])


def _is_plain(said: list[str]) -> bool:
    """Whether a block's body is a sentence of a tool's own and complete: a strict xfail that passed, failed subtests, a worker's end."""
    return said[0].startswith("[XPASS(strict)]") or _SUBTESTS.match(said[0]) is not None or _CRASHED.match(said[0]) is not None


def _name_crashed(page: Page, row: int, test: Unit) -> None:
    """The title of such a block is the file alone; its sentence names the test by its full id."""
    found = _CRASHED.match(page.text.lines[row])
    if found is None or "::" not in found.group(1):
        return
    file, _, name = found.group(1).partition("::")
    fields = {**test.extras[0].fields, "name": name.replace("::", "."), "node_id": found.group(1), "file": file}
    test.extras[0] = Extra("test_case", fields, {"node_id": page.text.span(row, *found.span(1))})
