"""Why: pytest's report is the richest Python signal: which test failed, where, on which values, and how the run ended."""

from __future__ import annotations

from tollens.parsers.page import Extra, Loose, Page, Unit
from tollens.parsers.pytest_block import NAME
from tollens.parsers.pytest_line import read_lines
from tollens.parsers.pytest_orphans import read_orphans
from tollens.parsers.pytest_sections import EXPECTED, FAILING, Section, is_block_title, outline, read_title
from tollens.parsers.pytest_summary import SummaryFound, read_summaries
from tollens.parsers.pytest_test import read_test
from tollens.parsers.pytest_unprinted import read_unprinted


class PytestReport:
    """Failure and error blocks in the long, short and line styles, the short summary, and the closing counts."""

    name = NAME

    def read(self, page: Page) -> None:
        """See `Grammar.read`."""
        plan = outline(page.text)
        tests: list[Unit] = []
        for section in plan.sections:
            page.claim(section.at, section.at)
            if section.title in FAILING:
                tests += _read_section(page, section, plan.nested)
            elif section.title in EXPECTED:
                page.claim(section.at, section.end - 1)
        for index, counts in plan.counts:
            page.claim(index, index)
            fields = {"tool": "pytest", **counts}
            page.loose.append(Loose(page.text.number(index), "test_run", fields, {"": page.text.whole(index)}))
        summaries = read_summaries(page, plan.sections)
        tests += read_orphans(page)
        left = _name_tests(tests, summaries)
        read_unprinted(page, left if page.starts else [], printed=any(unit.record_type != "test" for unit in page.units))


def _read_section(page: Page, section: Section, nested: bytearray) -> list[Unit]:
    text, titles = page.text, []
    for index in range(section.at + 1, section.end):
        if text.lines[index][:1] == "_" and not nested[index]:
            title = read_title(text.lines[index])
            if title is not None and is_block_title(title, section.width):
                titles.append((index, title))
    if not section.closed and page.ends:
        page.truncated(text.number(section.at), NAME, f"the section {section.title} does not end")
    if not titles:
        read_lines(page, section.at + 1, section.end)
        return []
    ends = [index for index, _ in titles[1:]] + [section.end]
    return [read_test(page, index, title, end, section.width) for (index, title), end in zip(titles, ends, strict=True)]


def _name_tests(tests: list[Unit], summaries: list[SummaryFound]) -> list[SummaryFound]:
    """Give each test the node id that the short summary lists for its name, each line of the summary once; gives the lines left over."""
    ahead: dict[str, list[SummaryFound]] = {}
    behind: dict[str, list[SummaryFound]] = {}
    for summary in reversed(summaries):
        if summary.word in ("FAILED", "ERROR") or summary.word.startswith("SUBFAIL"):
            ahead.setdefault(summary.name, []).append(summary)
    for test in tests:
        case = test.extras[0]
        name = str(case.fields["name"])
        lines, passed = ahead.get(name, []), behind.setdefault(name, [])
        # A summary follows its blocks; where several runs list the same test, each block takes the next line.
        while lines and lines[-1].row < test.first:
            passed.append(lines.pop())
        if not lines and not passed:
            continue
        chosen = (lines or passed).pop()
        file = case.fields.get("file") or chosen.file
        spans = {**case.spans, "node_id": chosen.span}
        test.extras[0] = Extra(case.kind, {**case.fields, "node_id": chosen.node_id, "file": file}, spans)
    left = [summary for lines in (*behind.values(), *ahead.values()) for summary in lines]
    return sorted(left, key=_row)


def _row(summary: SummaryFound) -> int:
    return summary.row
