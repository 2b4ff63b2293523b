"""Why: notebooks print tracebacks of their own kind: the class first, numbered source with an arrow, and the message at the end."""

from __future__ import annotations

from tollens.facts.fact import Span
from tollens.parsers.frames import is_carets
from tollens.parsers.page import FrameFound, Page, Unit
from tollens.parsers.patterns import Pattern, number
from tollens.parsers.printed_chain import PrintedChain
from tollens.parsers.text import Text
from tollens.parsers.traceback_one import exception_line, record_type, set_exception

NAME = "ipython_traceback"

_HEADER = Pattern(r"([^\W\d][\w.]*) {2,}Traceback \(most recent call last\)\s*$")
_ENTRY = Pattern(
    r"(?:File )?\[?(?P<file>(?:Cell|Input) In ?\[[0-9]+\]|<ipython-input-[^>]*>"
    r"|(?:[A-Za-z]:)?[~/.\\<\w][^\s:(\]]*?)\]?(?:\(https?:[^)]*\))?"
    r"(?:, line (?P<line>[0-9]+)|:(?P<at>[0-9]+))?(?:,? in (?P<function><[^>]*>|[^\W\d][\w.<>]*)(?P<arguments>\(.*)?)?\s*$"
)
_ARROW = Pattern(r"-+> ?([0-9]+)(?: (.*))?$")
_CELL = Pattern(r"\s*((?:Cell|Input) In ?\[[0-9]+\]), line ([0-9]+)\s*$")


class NotebookTraceback:
    """Tracebacks of IPython, Jupyter and Colab, chains of them, and the syntax errors of a cell."""

    name = NAME

    def read(self, page: Page) -> None:
        """See `Grammar.read`."""
        lines, index = page.text.lines, 0
        chain = PrintedChain(_begins)
        while index < len(lines):
            line = lines[index]
            if page.free(index) and _begins(line):
                unit, index = _read_one(page, index)
                page.units.append(unit)
                chain.add(unit)
                index = chain.follow(lines, index)
                continue
            if " In" in line and page.free(index) and _CELL.match(line) is not None:
                index = _read_syntax_error(page, index)
            index += 1


def _begins(line: str) -> bool:
    return "Traceback (most" in line and _HEADER.match(line) is not None


def _read_one(page: Page, at: int) -> tuple[Unit, int]:
    """The exception whose header stands at line `at`, and the line after it."""
    text, lines = page.text, page.text.lines
    header = _HEADER.match(lines[at])
    said = header.group(1) if header is not None else ""
    unit = Unit("exception", NAME, at, at)
    unit.spans = {"": text.whole(at), "class_name": text.span(at, 0, len(said))}
    unit.class_name, unit.record_type = said, record_type(said)
    index = at + 1
    while index < len(lines) and page.free(index):
        line = lines[index]
        if not line.strip() or line[:1] in " -":
            _arrow(text, unit, index)
        else:
            named = exception_line(line)
            if named is not None and named.class_name.rpartition(".")[2] == said.rpartition(".")[2]:
                end = _message_end(page, index + 1)
                set_exception(unit, text, index, end, named)
                page.claim(at, end - 1)
                return unit, end
            frame = _entry(text, index)
            if frame is None:
                break
            unit.frames.append(frame)
        unit.last = index
        index += 1
    page.truncated(text.number(at), NAME, "a notebook's traceback without the exception at its end")
    page.claim(at, unit.last)
    return unit, index


def _message_end(page: Page, at: int) -> int:
    lines = page.text.lines
    index = at
    while index < len(lines) and lines[index].strip() and lines[index].strip("- ") and page.free(index):
        index += 1
    return index


def _entry(text: Text, index: int) -> FrameFound | None:
    """The frame that a line opens: `File x.py:12, in f(a)`, `Cell In[1], line 6`, `<ipython-input-1> in <module>`."""
    found = _ENTRY.match(text.lines[index])
    if found is None or not (found.group("line") or found.group("at") or found.group("function")):
        return None
    spans: dict[str, Span] = {"": text.whole(index), "file": text.span(index, *found.span("file"))}
    line = "line" if found.group("line") else "at"
    if found.group(line):
        spans["line"] = text.span(index, *found.span(line))
    if found.group("function"):
        spans["function"] = text.span(index, *found.span("function"))
    return FrameFound(found.group("file"), number(found.group(line)), found.group("function"), spans=spans)


def _arrow(text: Text, unit: Unit, index: int) -> None:
    """Give the line under an arrow to the frame above it."""
    line = text.lines[index]
    found = _ARROW.match(line) if line[:2] == "--" else None
    if found is None or not unit.frames or unit.frames[-1].source is not None:
        return
    frame = unit.frames[-1]
    spans = dict(frame.spans)
    if frame.line is None:
        spans["line"] = text.span(index, *found.span(1))
    source = (found.group(2) or "").strip()
    if source:
        start = line.index(source, found.end(1))
        spans["source"] = text.span(index, start, start + len(source))
    unit.frames[-1] = frame._replace(line=frame.line or number(found.group(1)), source=source or None, spans=spans)


def _read_syntax_error(page: Page, at: int) -> int:
    """A cell that could not be compiled: its position, the source with carets, the exception; gives its last line."""
    text, lines = page.text, page.text.lines
    index = at + 1
    while index < min(at + 6, len(lines)) and lines[index][:1] == " ":
        index += 1
    named = exception_line(lines[index]) if index < len(lines) and index > at + 1 else None
    found = _CELL.match(lines[at])
    if named is None or found is None:
        return at
    unit = Unit("exception", NAME, at, index)
    unit.spans[""] = text.whole(at)
    spans = {"": text.whole(at), "file": text.span(at, *found.span(1)), "line": text.span(at, *found.span(2))}
    source = next((row for row in range(at + 1, index) if not is_carets(lines[row])), None)
    if source is not None:
        spans["source"] = text.whole(source)
    said = lines[source].strip() if source is not None else None
    unit.frames = [FrameFound(found.group(1), number(found.group(2)), None, said, spans=spans)]
    set_exception(unit, text, index, _message_end(page, index + 1), named)
    page.claim(at, unit.last)
    page.units.append(unit)
    return unit.last
