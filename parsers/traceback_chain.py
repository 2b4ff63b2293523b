"""Why: exceptions come in chains and in groups, and each can stand inside the other; who followed whom is evidence."""

from __future__ import annotations

from tollens.parsers.frames import is_frame
from tollens.parsers.page import Page, Unit
from tollens.parsers.patterns import Pattern, number
from tollens.parsers.text import Text
from tollens.parsers.traceback_one import HEADER, LINKS, NAME, exception_line, read_one, set_exception, skip_blank

_GROUP = "Exception Group " + HEADER
_MORE = Pattern(r"and ([0-9]+) more exceptions?$")
#: Groups inside groups are read down to this depth; the rest is flagged.
_DEPTH = 40
#: A message above the words that link two exceptions is looked for in this many lines.
_BARE = 20


def begins(line: str) -> bool:
    """Whether a line may be the first of a traceback: a header, a frame, or either of them behind the bars of a group."""
    return HEADER in line or ('File "' in line and (is_frame(line) or _bar(line) >= 0))


def _bar(line: str) -> int:
    """The column of the bar in front of a group's header or frame; -1 where there is none."""
    column = len(line) - len(line.lstrip())
    mark = line[column : column + 2]
    if mark == "+ ":
        return column if line.startswith(_GROUP, column + 2) else -1
    if mark == "| ":
        return column if HEADER in line or is_frame(line[column + 2 :]) else -1
    return -1


def read_chain(page: Page, text: Text, at: int, stop: int, *, bounded: bool, depth: int = 0) -> tuple[list[Unit], int]:
    """Put down the exceptions of one chain from line `at` on; gives them, oldest first, and the line after the chain.

    `bounded` says that nothing but the chain stands before `stop`, so that the last message goes on to there.
    """
    chain: list[Unit] = []
    relation, index = "first", at
    while True:
        unit, index = _read_next(page, text, index, stop, bounded, depth)
        if unit is not None:
            unit.relation = relation if chain else "first"
            chain.append(unit)
            page.units.append(unit)
        following = skip_blank(text, index, stop)
        link = LINKS.get(text.lines[following].strip()) if following < stop else None
        if link is None:
            break
        start = skip_blank(text, following + 1, stop)
        if start >= stop or not begins(text.lines[start]):
            if start >= stop:
                page.truncated(text.number(following), NAME, "the chain goes on and nothing follows")
            index = following + 1
            break
        relation, index = link, start
    if len(chain) > 1:
        for unit in chain:
            unit.chain = chain
    return chain, index


def read_bare_cause(page: Page, text: Text, link: int, stop: int) -> int:
    """A chain that begins with an exception that was never raised: only its line stands above the words that link the two.

    `link` is the line of those words; gives the line after the chain, or after the words where no exception stands above.
    """
    last = link - 1
    while last >= 0 and not text.lines[last].strip() and link - last < 4:
        last -= 1
    first = last
    while first > 0 and text.lines[first - 1].strip() and page.free(text.base(first - 1)) and last - first < _BARE:
        first -= 1
    named = exception_line(text.lines[first]) if last >= 0 and page.free(text.base(last)) else None
    start = skip_blank(text, link + 1, stop)
    if named is None or start >= stop or not begins(text.lines[start]):
        return link + 1
    leaf = Unit("exception", NAME, text.base(first), text.base(last))
    leaf.spans[""] = text.whole(first)
    set_exception(leaf, text, first, last + 1, named)
    chain, following = read_chain(page, text, start, stop, bounded=False)
    if chain:
        chain[0].relation = LINKS[text.lines[link].strip()]
    chain.insert(0, leaf)
    page.units.append(leaf)
    for unit in chain:
        unit.chain = chain
    page.claim(leaf.first, leaf.last)
    page.claim(text.base(start), text.base(following - 1))
    return following


def _read_next(page: Page, text: Text, at: int, stop: int, bounded: bool, depth: int) -> tuple[Unit | None, int]:
    line = text.lines[at]
    column = _bar(line)
    if column >= 0:
        end = at + 1
        margin = _bar_below(text.lines[end], column) if end < stop else column
        while end < stop and _is_barred(text.lines[end], margin):
            end += 1
        view = text.view([(at, column + 2), *((index, margin + 2) for index in range(at + 1, end))])
        return _read_group(page, view, depth), end
    if depth and line.startswith(_GROUP):
        view = text.view([(index, 0) for index in range(at, stop)])
        return _read_group(page, view, depth), stop
    return read_one(page, text, at, stop, bounded=bounded)


def _bar_below(line: str, column: int) -> int:
    """The column of the bar under a header; people who paste a group often lose blanks before its first line."""
    stripped = line.lstrip()
    return len(line) - len(stripped) if stripped[:1] == "|" else column


def _is_barred(line: str, column: int) -> bool:
    return not line[:column].strip() and (line[column : column + 1] in ("|", "+") or line.lstrip()[:1] in ("|", "+"))


def _read_group(page: Page, view: Text, depth: int) -> Unit | None:
    """The exception that begins a view without margin, and the members of it, each behind a bar at column 0."""
    lines = view.lines
    marks = [index for index, line in enumerate(lines) if line[:3] == "+--"]
    own = next((index for index, line in enumerate(lines) if line[:2] == "+-"), len(lines))
    unit = read_one(page, view, 0, own, bounded=True)[0] if begins(lines[0]) else _read_leaf(page, view, own)
    if depth >= _DEPTH:
        page.truncated(view.number(0), NAME, "groups inside groups are too deep", len(lines) - own)
        return unit
    for position, mark in enumerate(marks):
        end = marks[position + 1] if position + 1 < len(marks) else len(lines)
        if end > mark + 1:
            _read_member(page, view, mark, end, unit, depth)
    return unit


def _read_leaf(page: Page, view: Text, own: int) -> Unit | None:
    """An exception that was put into a group without ever being raised: it has no header and no frames."""
    more = _MORE.match(view.lines[0].strip())
    if more is not None:
        page.truncated(view.number(0), NAME, "members of a group were not printed", number(more.group(1)) or 0)
    named = exception_line(view.lines[0])
    if named is None:
        return None
    leaf = Unit("exception", NAME, view.base(0), view.base(max(0, own - 1)))
    leaf.spans[""] = view.whole(0)
    set_exception(leaf, view, 0, own, named)
    return leaf


def _read_member(page: Page, view: Text, mark: int, end: int, group: Unit | None, depth: int) -> None:
    member = view.view([(index, 2) for index in range(mark + 1, end)])
    if begins(member.lines[0]):
        chain, _ = read_chain(page, member, 0, len(member), bounded=True, depth=depth + 1)
    else:
        leaf = _read_group(page, member, depth + 1)
        chain = [leaf] if leaf is not None else []
        page.units.extend(chain)
    if group is not None and chain:
        chain[-1].group = group
        chain[-1].member = number(view.lines[mark].strip("+- ")) or 0
