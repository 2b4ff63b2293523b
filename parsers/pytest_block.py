"""Why: the body of a pytest block mixes arguments, source, error lines and locations; this reads them as exceptions with frames."""

from __future__ import annotations

from tollens.facts.fact import Span
from tollens.parsers.assertion import Row, read_assertion
from tollens.parsers.frames import is_carets, read_stack
from tollens.parsers.page import FrameFound, Page, Unit
from tollens.parsers.patterns import Pattern, indent, number
from tollens.parsers.text import Text
from tollens.parsers.traceback_one import HEADER, LINKS, ExceptionLine, exception_line, record_type

NAME = "pytest_failure"

_LOCATION = Pattern(r"(?:> )?(\S.*?):([0-9]+):(?: in (\S.*)| (\S.*))?$")
_DEFINITION = Pattern(r"\s*(?:async )?def ([^\W\d]\w*)")
_FIXTURE_FILE = Pattern(r"file (\S.*), line ([0-9]+)$")


class Block:
    """The state of reading one block: what has been gathered since the last location, and the exceptions that are complete."""

    __slots__ = ("error", "frames", "loc_class", "native", "page", "source", "started", "statement", "text", "units")

    def __init__(self, page: Page, text: Text) -> None:
        self.page = page
        self.text = text
        self.units: list[Unit] = []
        self.native: int | None = None
        self.started = -1
        self.frames: list[FrameFound] = []
        self.source: list[int] = []
        self.error: list[int] = []
        self.loc_class: str | None = None
        self.statement: str | None = None


def is_error_line(line: str) -> bool:
    """Whether a line is one of pytest's `E` lines."""
    return line[:1] == "E" and (line.startswith("E   ") or line.rstrip() == "E")


def is_marked(line: str) -> bool:
    """Whether a line is the failing source line, marked with `>`."""
    return line[:4] == ">   "


def is_separator(line: str) -> bool:
    """Whether a line is the `_ _ _` between two entries of a stack."""
    return line[:4] == "_ _ " and not line.strip("_ ")


class Location:
    """A line `path:12: in function`, `path:12: Error` or `path:12:`."""

    __slots__ = ("class_name", "frame")

    def __init__(self, frame: FrameFound, class_name: str | None) -> None:
        self.frame = frame
        self.class_name = class_name


def read_location(text: Text, index: int) -> Location | None:
    """The location that a line gives; None for any other line."""
    line = text.lines[index].rstrip()
    if ":" not in line or line[:1] in " \t" or line[:3] == ">  ":
        return None
    found = _LOCATION.match(line)
    if found is None or not _is_path(found.group(1)):
        return None
    function, class_name = found.group(3), found.group(4)
    if class_name is not None and exception_line(class_name) is None:
        return None
    spans: dict[str, Span] = {"": text.whole(index)}
    for field, group in (("file", 1), ("line", 2), ("function", 3)):
        if found.group(group):
            spans[field] = text.span(index, *found.span(group))
    return Location(FrameFound(found.group(1), number(found.group(2)), function, spans=spans), class_name)


def _is_path(path: str) -> bool:
    name = path.replace("\\", "/").rpartition("/")[2]
    return ("." in name or path[:1] == "<") and " = " not in path and path[-1:] != " " and path[:1] not in "'\"([{"


def read_block(page: Page, text: Text, first: int, end: int) -> Block:
    """The exceptions in the lines from `first` to before `end`, oldest first; native tracebacks are left for their own grammar."""
    block = Block(page, text)
    relation = "first"
    for index in range(first, end):
        line = text.lines[index]
        if line[:1] in ("T", " ") and (line.startswith(HEADER) or "+ Exception Group " + HEADER in line):
            block.native = index
            end = index
            break
        if line[:1] in ("T", "D") and line.strip() in LINKS:
            _finish(block, index - 1, relation)
            relation = LINKS[line.strip()]
        else:
            _take(block, index, line)
    _finish(block, end - 1, relation)
    if len(block.units) > 1:
        for unit in block.units:
            unit.chain = block.units
    return block


def _take(block: Block, index: int, line: str) -> None:
    if is_error_line(line):
        block.error.append(index)
    elif is_marked(line) or (line[:4] == "    " and line.strip()):
        if not block.error:
            block.source.append(index)
    elif is_separator(line):
        _short_source(block)
        block.source = []
    else:
        location = read_location(block.text, index)
        if location is not None:
            _locate(block, index, location)
        elif line.startswith("file ") and not block.frames:
            _fixture_file(block, index, line)
        return
    if block.started < 0:
        block.started = index


def _locate(block: Block, index: int, location: Location) -> None:
    if block.started < 0:
        block.started = index
    if location.frame.function is not None:
        _short_source(block)
        block.frames.append(location.frame)
        block.source = []
        return
    _short_source(block)
    block.frames.append(_long_frame(block, location.frame))
    if block.error:
        block.statement, block.loc_class = statement_of(block), location.class_name
    block.source = []


def _fixture_file(block: Block, index: int, line: str) -> None:
    found = _FIXTURE_FILE.match(line)
    if found is None:
        return
    block.started = index
    spans = {"": block.text.whole(index), "file": block.text.span(index, *found.span(1)), "line": block.text.span(index, *found.span(2))}
    block.frames.append(FrameFound(found.group(1), number(found.group(2)), None, spans=spans))


def _short_source(block: Block) -> None:
    """Give the lines under a short location to its frame."""
    if not block.frames or not block.source or block.frames[-1].source is not None:
        return
    if any(is_marked(block.text.lines[row]) for row in block.source):
        return
    block.frames[-1] = _sourced(block.text, block.frames[-1], block.source, 0, 4)


def _sourced(text: Text, frame: FrameFound, rows: list[int], at: int, margin: int) -> FrameFound:
    index = rows[at]
    line = text.lines[index]
    start = margin + indent(line[margin:])
    end = len(line.rstrip())
    spans = {**frame.spans, "source": text.span(index, start, end)}
    marked = None
    if at + 1 < len(rows) and is_carets(text.lines[rows[at + 1]][1:]):
        carets = text.lines[rows[at + 1]].rstrip()
        left, right = 1 + indent(carets[1:]), min(len(carets), end)
        marked = line[left:right] or None
        if marked is not None:
            spans["marked"] = text.span(index, left, right)
    return frame._replace(source=line[start:end] or None, marked=marked, spans=spans)


def _long_frame(block: Block, frame: FrameFound) -> FrameFound:
    """A long entry's frame: its function is the one that the printed source begins with, its source the marked line."""
    text, rows = block.text, block.source
    at = next((position for position in range(len(rows) - 1, -1, -1) if is_marked(text.lines[rows[position]])), None)
    if at is None:
        return frame
    margin = 4 + indent(text.lines[rows[0]][4:])
    for row in rows[: at + 1]:
        found = _DEFINITION.match(text.lines[row][4:]) if "def " in text.lines[row] else None
        if found is not None and 4 + indent(text.lines[row][4:]) <= margin:
            spans = {**frame.spans, "function": text.span(row, 4 + found.start(1), 4 + found.end(1))}
            frame = frame._replace(function=found.group(1), spans=spans)
            break
    return _sourced(text, frame, rows, at, 4)


def statement_of(block: Block) -> str | None:
    """The failing statement: the marked line and the lines that continue it, or the last short frame's source."""
    text = block.text
    lines = [text.lines[row] for row in block.source]
    at = next((position for position in range(len(lines) - 1, -1, -1) if is_marked(lines[position])), None)
    if at is not None:
        margin = 4 + indent(lines[at][4:])
        kept = [line[min(margin, 4 + indent(line[4:])) :].rstrip() for line in lines[at:] if not is_carets(line[1:])]
        return "\n".join(kept)
    kept = [line.strip() for line in lines if not is_carets(line)]
    return "\n".join(kept) if kept else None


def _finish(block: Block, last: int, relation: str) -> None:
    """Make the exception that the lines so far describe, and begin anew."""
    text, rows = block.text, block.error
    if rows or block.frames or block.source:
        _short_source(block)
        unit = Unit("exception", NAME, text.base(max(block.started, 0)), text.base(_last_used(block, last)))
        unit.frames = block.frames
        unit.relation = relation if block.units else "first"
        unit.spans[""] = text.whole(block.started)
        if rows:
            _set_error(block, unit, rows)
        else:
            block.page.truncated(text.number(block.started), NAME, "a block without the lines that name its error")
        block.units.append(unit)
    block.frames, block.source, block.error, block.started = [], [], [], -1
    block.loc_class = block.statement = None


def _last_used(block: Block, last: int) -> int:
    lines = block.text.lines
    while last > block.started and not lines[last].strip():
        last -= 1
    return last


def _set_error(block: Block, unit: Unit, rows: list[int]) -> None:
    text = block.text
    margin = min((1 + indent(text.lines[row][1:]) for row in rows if text.lines[row][1:].strip()), default=1)
    parts: list[Row] = [(row, margin, text.lines[row][margin:].rstrip()) for row in rows]
    tail = next((at for at, part in enumerate(parts) if part[2].startswith("File ") or part[2].startswith("  File ")), None)
    named = None
    if tail is not None and tail <= 1:
        view = text.view([(row, margin) for row in rows])
        stack = read_stack(view, tail, len(rows))
        if stack.frames and stack.end < len(rows) and (named := exception_line(view.lines[stack.end])) is not None:
            unit.frames = [*unit.frames, *stack.frames]
            parts = parts[stack.end :]
    if named is None and parts:
        named = exception_line(parts[0][2])
    _name(unit, text, parts, named, block.loc_class)
    read_assertion(unit, text, parts, block_statement(block, unit))


def block_statement(block: Block, unit: Unit) -> str | None:
    """The failing statement as far as it is printed."""
    return block.statement or statement_of(block) or (unit.frames[-1].source if unit.frames else None)


def _name(unit: Unit, text: Text, parts: list[Row], named: ExceptionLine | None, loc_class: str | None) -> None:
    """Set class and message; what pytest shortened to `assert ...` is an AssertionError."""
    row, margin, line = parts[0]
    if line.startswith("assert ") or line == "assert":
        unit.class_name = loc_class or "AssertionError"
        named = None
    elif named is not None and not _is_foreign(named, loc_class):
        unit.class_name = named.class_name
        unit.spans["class_name"] = text.span(row, margin + named.class_at[0], margin + named.class_at[1])
        start = named.message_at[0] if named.message_at is not None else len(line)
        parts[0] = (row, margin + start, line[start:])
    else:
        unit.class_name = loc_class
    unit.record_type = record_type(unit.class_name)
    message = "\n".join(part[2] for part in parts).strip("\n")
    unit.message = message or None
    first = next((part for part in parts if part[2].strip()), None)
    if first is not None:
        unit.spans["message"] = text.span(first[0], first[1], first[1] + len(first[2]))


def _is_foreign(named: ExceptionLine, loc_class: str | None) -> bool:
    """Whether the location names another class than the error line begins with, so that the line is the message alone."""
    return loc_class is not None and named.class_name.rpartition(".")[2] != loc_class.rpartition(".")[2]
