"""Why: with `--tb=line` pytest prints its error lines and one location per failure, with no block to say which test it was."""

from __future__ import annotations

from tollens.parsers.assertion import Row, read_assertion
from tollens.parsers.page import FrameFound, Page, Unit
from tollens.parsers.patterns import Pattern, indent, number
from tollens.parsers.pytest_block import is_error_line
from tollens.parsers.text import Text
from tollens.parsers.traceback_one import LINKS, exception_line, record_type

NAME = "pytest_line"

_LINE = Pattern(r"(\S.*?):([0-9]+): (\S.*)$")


def read_lines(page: Page, first: int, end: int) -> None:
    """Read a section without blocks from `first` to before `end`: `E` lines, then `path:12: Error: message`."""
    text = page.text
    chain: list[Unit] = []
    rows: list[int] = []
    relation = "first"
    for index in range(first, end):
        line = text.lines[index]
        if is_error_line(line) or (rows and line[:5] == "     "):
            rows.append(index)
            continue
        stripped = line.strip()
        if stripped in LINKS and rows:
            chain.append(_unit(page, text, rows, relation))
            rows, relation = [], LINKS[stripped]
            continue
        found = _LINE.match(line.rstrip()) if page.free(index) and ":" in line else None
        if found is None or not _is_error(found.group(3), rows):
            continue
        unit = _unit(page, text, rows, relation) if rows else _bare(page, text, index, found.start(3))
        spans = {"": text.whole(index), "file": text.span(index, *found.span(1)), "line": text.span(index, *found.span(2))}
        unit.frames.append(FrameFound(found.group(1), number(found.group(2)), None, spans=spans))
        unit.last = index
        chain.append(unit)
        for member in chain if len(chain) > 1 else ():
            member.chain = chain
        page.claim(chain[0].first, index)
        chain, rows, relation = [], [], "first"
    if rows:
        _unit(page, text, rows, relation)


def _is_error(said: str, rows: list[int]) -> bool:
    return bool(rows) or said.startswith("assert ") or exception_line(said) is not None


def _bare(page: Page, text: Text, index: int, start: int) -> Unit:
    unit = Unit("exception", NAME, index, index)
    _fill(unit, text, [(index, start, text.lines[index][start:].rstrip())])
    page.units.append(unit)
    return unit


def _unit(page: Page, text: Text, rows: list[int], relation: str) -> Unit:
    first = text.lines[rows[0]]
    margin = 1 + indent(first[1:])
    parts: list[Row] = [(row, margin, text.lines[row][margin:].rstrip()) for row in rows]
    unit = Unit("exception", NAME, rows[0], rows[-1])
    unit.relation = relation
    _fill(unit, text, parts)
    page.units.append(unit)
    page.claim(rows[0], rows[-1])
    return unit


def _fill(unit: Unit, text: Text, parts: list[Row]) -> None:
    row, column, line = parts[0]
    unit.spans[""] = text.whole(row)
    named = None if line.startswith("assert ") else exception_line(line)
    if named is not None:
        unit.spans["class_name"] = text.span(row, column + named.class_at[0], column + named.class_at[1])
        start = named.message_at[0] if named.message_at is not None else len(line)
        parts = [(row, column + start, line[start:]), *parts[1:]]
    unit.class_name = named.class_name if named is not None else "AssertionError" if line.startswith("assert ") else None
    unit.record_type = record_type(unit.class_name)
    unit.message = "\n".join(part[2] for part in parts).strip("\n") or None
    if parts[0][2]:
        unit.spans["message"] = text.span(parts[0][0], parts[0][1], parts[0][1] + len(parts[0][2]))
    read_assertion(unit, text, parts, None)
