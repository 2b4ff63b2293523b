"""Why: the short summary names tests by their full ids, which the blocks above it do not."""

from __future__ import annotations

from typing import NamedTuple

from tollens.facts.fact import Span
from tollens.parsers.page import Loose, Page
from tollens.parsers.patterns import Pattern
from tollens.parsers.pytest_sections import Section

_LINE = Pattern(r"(FAILED|ERROR|XFAIL|XPASS|RERUN|PASSED|SKIPPED|SUBFAILED|SUBFAIL|SUBPASSED|SUBSKIPPED)(\[| )(\S.*)$")
_WORDS = ("FAILED", "ERROR", "XFAIL", "XPASS", "RERUN", "PASSED", "SKIPPED", "SUB")
_SUBTEST = Pattern(r"(.*?[\])]) (\S+::\S.*)$")


class SummaryFound(NamedTuple):
    """A line of the short summary; `name` is the node id as a block's title writes it."""

    word: str
    node_id: str
    name: str
    file: str
    span: Span
    row: int
    text: str | None


def read_summaries(page: Page, sections: list[Section]) -> list[SummaryFound]:
    """Read every summary line that is free: in a summary section any, elsewhere those that name a test by its full id."""
    inside = bytearray(len(page.text))
    for section in sections:
        if section.title == "short test summary info":
            inside[section.at : section.end] = b"\x01" * (section.end - section.at)
    found: list[SummaryFound] = []
    lost: list[int] = []
    captured = bytearray(len(page.text))
    for region in page.regions:
        captured[region.first : region.last + 1] = b"\x01" * (region.last + 1 - region.first)
    for index, line in enumerate(page.text.lines):
        if not line.startswith(_WORDS) or not page.free(index) or captured[index]:
            continue
        summary = _read_line(page, index, bool(inside[index]))
        if summary is None:
            continue
        if len(found) >= page.limits.summary_lines:
            lost.append(index)
        else:
            found.append(summary)
    if lost:
        page.truncated(page.text.number(lost[0]), "pytest_summary", "too many summary lines", len(lost))
    return found


def _read_line(page: Page, index: int, inside: bool) -> SummaryFound | None:
    line = page.text.lines[index].rstrip()
    match = _LINE.match(line)
    if match is None:
        return None
    rest, start = match.group(3), match.start(3)
    label = ""
    if match.group(1).startswith("SUB") or match.group(2) == "[":
        subtest = _SUBTEST.match(line[match.start(2) :])
        if subtest is None:
            return None
        label, rest, start = subtest.group(1).strip(), subtest.group(2), match.start(2) + subtest.start(2)
    node_id, text = _split(rest)
    path, separator, test = node_id.partition("::")
    if not (separator and "." in path) and not (inside and "." in node_id.rpartition("/")[2]):
        return None
    name = _block_name(test) if separator else node_id
    spans = {"": page.text.whole(index), "node_id": page.text.span(index, start, start + len(node_id))}
    if text is not None:
        spans["text"] = page.text.span(index, len(line) - len(text), len(line))
    fields = {"line": page.text.number(index), "word": match.group(1), "node_id": node_id, "text": text}
    page.loose.append(Loose(page.text.number(index), "summary_line", fields, spans))
    page.claim(index, index)
    return SummaryFound(match.group(1), node_id, f"{name} {label}".rstrip(), path, spans["node_id"], index, text)


def _split(rest: str) -> tuple[str, str | None]:
    """The node id and the text after ` - `; a dash inside a parameter's brackets does not count."""
    at = rest.find(" - ")
    while at >= 0:
        if rest.count("[", 0, at) == rest.count("]", 0, at):
            return rest[:at], rest[at + 3 :] or None
        at = rest.find(" - ", at + 1) if at < 2_000 else -1
    at = rest.find(" - ")
    return (rest, None) if at < 0 else (rest[:at], rest[at + 3 :] or None)


def _block_name(test: str) -> str:
    """`TestA::test_b[x::y]` as a block's title writes it: `TestA.test_b[x::y]`."""
    head, bracket, parameters = test.partition("[")
    return head.replace("::", ".") + bracket + parameters
