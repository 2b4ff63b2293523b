"""Why: build systems keep test results as JUnit XML; each failure in it is a block as its runner printed it."""

from __future__ import annotations

from tollens.parsers.assertion import read_assertion
from tollens.parsers.doctest_example import read_sides
from tollens.parsers.junit_document import Document, Tag
from tollens.parsers.page import Extra, Loose, Page, Unit
from tollens.parsers.patterns import indent, number
from tollens.parsers.pytest_block import is_error_line, read_block, read_location
from tollens.parsers.traceback_chain import begins, read_chain
from tollens.parsers.traceback_one import exception_line, record_type
from tollens.parsers.wording import Row
from tollens.parsers.xml_text import XmlText

NAME = "junit_xml"

_PHASES = (("failed on setup", "setup"), ("failed on teardown", "teardown"), ("collection failure", "collect"))


class JUnitReport:
    """The failed cases of a JUnit file, with what Python runners wrote into them, and the counts of its suites."""

    name = NAME

    def read(self, page: Page) -> None:
        """See `Grammar.read`."""
        if not any("<testcase" in line for line in page.text.lines):
            return
        document = Document(page.text)
        case: Tag | None = None
        tags = document.tags()
        for position, tag in enumerate(tags):
            if tag.name == "testsuite":
                _read_counts(page, document, tag)
            elif tag.name == "testcase":
                case = tag
            elif tag.name in ("failure", "error") and case is not None:
                following = tags[position + 1] if position + 1 < len(tags) else None
                _read_failure(page, document, case, tag, following)
        if tags:
            page.claim(document.row(tags[0].start), document.row(tags[-1].end - 1))


def _read_counts(page: Page, document: Document, tag: Tag) -> None:
    counts = {name: number(document.value(tag, name)) or 0 for name in ("tests", "failures", "errors", "skipped")}
    failed = counts["failures"] + counts["errors"] + counts["skipped"]
    fields = {
        "tool": "junit", "passed": max(0, counts["tests"] - failed), "failed": counts["failures"], "errors": counts["errors"],
        "skipped": counts["skipped"], "other": 0,
    }  # fmt: skip
    row = document.row(tag.start)
    page.loose.append(Loose(page.text.number(row), "test_run", fields, {"": page.text.whole(row)}))


def _read_failure(page: Page, document: Document, case: Tag, tag: Tag, following: Tag | None) -> None:
    """Put down a case's test and the exceptions of one failure in it."""
    last = tag.end
    closed = following is not None and following.name == "/" + tag.name
    if closed and following is not None:
        last = following.start
    elif not tag.empty:
        page.truncated(page.text.number(document.row(tag.start)), NAME, "a failure's element does not end")
        last = len(document.source) if following is None else following.start
    test = _test(page, document, case, document.row(tag.start), document.value(tag, "message") or "")
    test.last = document.row(max(tag.start, last - 1))
    before = len(page.units)
    if not tag.empty:
        body = _body(document, tag.end, last)
        _read_body(page, body, test)
    if len(page.units) == before:
        _read_attributes(page, document, tag, test)
    for unit in page.units[before:]:
        unit.parent = test
        if unit.grammar == "pytest_failure":
            unit.grammar = NAME


def _test(page: Page, document: Document, case: Tag, row: int, message: str) -> Unit:
    text = page.text
    test = Unit("test", NAME, row, row)
    name, owner = document.value(case, "name") or "?", document.value(case, "classname")
    phase = next((phase for words, phase in _PHASES if message.startswith(words)), "call")
    fields = {"name": name, "node_id": f"{owner}.{name}" if owner else None, "file": document.value(case, "file"), "phase": phase}
    start, end = case.attributes.get("name", (case.start, case.start + 1))
    at = document.row(start)
    column = start - document.start(at)
    test.spans[""] = text.whole(at)
    spans = {"name": text.span(at, column, column + end - start)} if "name" in case.attributes and end > start else {}
    test.extras.append(Extra("test_case", fields, spans))
    page.units.append(test)
    return test


def _body(document: Document, start: int, end: int) -> XmlText:
    """A failure's text without the margin that people and tools put before its lines."""
    opened = document.source.find("<![CDATA[", start, end)
    if opened >= 0:
        closed = document.source.find("]]>", opened, end)
        return document.decoded(opened + 9, closed if closed >= 0 else end, entities=False)
    body = document.decoded(start, end)
    margin = min((indent(line) for line in body.lines[1:] if line.strip()), default=0)
    if margin and not any(is_error_line(line) for line in body.lines):
        body.cut(margin)
        for index, line in enumerate(body.lines):
            if line[:2] in ("E ", "> "):
                body.widen(index, 2, 2)
    return body


def _read_body(page: Page, body: XmlText, test: Unit) -> None:
    """What pytest, unittest or doctest wrote."""
    block = read_block(page, body, 0, len(body)) if any(is_error_line(line) for line in body.lines) else None
    if block is not None and block.native is None:
        page.units.extend(block.units)
        return
    start = next((index for index, line in enumerate(body.lines) if begins(line)), None)
    if start is not None:
        end = len(body)
        while end > start and (not body.lines[end - 1].strip() or read_location(body, end - 1) is not None):
            end -= 1
        read_chain(page, body, start, end, bounded=True)
        return
    bottom = next((index for index in range(len(body) - 1, -1, -1) if body.lines[index].strip()), 0)
    location = read_location(body, bottom) if len(body) else None
    read_sides(page, body, 0, bottom if location is not None else len(body), test, location.frame if location is not None else None)


def _read_attributes(page: Page, document: Document, tag: Tag, test: Unit) -> None:
    """Where the body tells nothing that is known here, the element's type and message still name the exception."""
    span = tag.attributes.get("message")
    said = document.decoded(*span) if span is not None else None
    class_name = document.value(tag, "type") or None
    named = exception_line(said.lines[0]) if said is not None else None
    if said is None or (class_name is None and named is None):
        test.message = "\n".join(said.lines) if said is not None else None
        return
    row = document.row(tag.start)
    unit = Unit("exception", NAME, row, test.last)
    unit.spans[""] = page.text.whole(row)
    rows: list[Row] = [(index, 0, line) for index, line in enumerate(said.lines)]
    if class_name is None and named is not None:
        class_name = named.class_name
        start = named.message_at[0] if named.message_at is not None else len(said.lines[0])
        unit.spans["class_name"] = said.span(0, *named.class_at)
        rows[0] = (0, start, said.lines[0][start:])
    unit.class_name = class_name
    unit.record_type = record_type(class_name)
    unit.message = "\n".join(part for _, _, part in rows) or None
    if unit.message is not None and rows[0][2]:
        unit.spans["message"] = said.span(0, rows[0][1], rows[0][1] + len(rows[0][2]))
    read_assertion(unit, said, rows, None)
    page.units.append(unit)
