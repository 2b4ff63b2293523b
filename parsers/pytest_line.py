"""Why: with `--tb=line` pytest prints one line per failure, with no block to say which test it was."""

from __future__ import annotations

from tollens.parsers.assertion import read_assertion
from tollens.parsers.page import FrameFound, Page, Unit
from tollens.parsers.patterns import Pattern, number
from tollens.parsers.traceback_one import exception_line, record_type

_LINE = Pattern(r"(\S.*?):([0-9]+): (\S.*)$")


def read_lines(page: Page, first: int, end: int) -> None:
    """Read the lines `path:12: Error: message` from `first` to before `end`."""
    text = page.text
    for index in range(first, end):
        line = text.lines[index].rstrip()
        found = _LINE.match(line) if page.free(index) and ".py:" in line else None
        if found is None:
            continue
        said, start = found.group(3), found.start(3)
        named = exception_line(said)
        if named is None and not said.startswith("assert "):
            continue
        unit = Unit("exception", "pytest_line", index, index)
        unit.class_name = named.class_name if named is not None else "AssertionError"
        unit.record_type = record_type(unit.class_name)
        at = start if named is None else start + (named.message_at[0] if named.message_at else len(said))
        unit.message = line[at:] or None
        spans = {"file": text.span(index, *found.span(1)), "line": text.span(index, *found.span(2))}
        unit.frames.append(FrameFound(found.group(1), number(found.group(2)), None, spans=spans))
        unit.spans = {"": text.whole(index)}
        if named is not None:
            unit.spans["class_name"] = text.span(index, start + named.class_at[0], start + named.class_at[1])
        if unit.message:
            unit.spans["message"] = text.span(index, at, len(line))
        page.units.append(unit)
        page.claim(index, index)
        read_assertion(unit, text, [(index, at, line[at:])], None)
