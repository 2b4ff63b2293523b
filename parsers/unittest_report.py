"""Why: unittest (and Django's runner) puts each failure between drawn rules; the rules say which test a traceback belongs to."""

from __future__ import annotations

from tollens.parsers.page import Extra, Loose, Page, Region, Unit
from tollens.parsers.patterns import Pattern, number
from tollens.parsers.traceback_one import HEADER

NAME = "unittest_failure"

_HEAD = Pattern(r"(FAIL|ERROR): (\S+)(?: \((\S+)\))?(?: (.*))?$")
_RAN = Pattern(r"Ran ([0-9]+) tests? in [0-9.]+s$")
_RESULT = Pattern(r"(OK|FAILED|NO TESTS RAN)(?: \((.*)\))?$")
_COUNTS = {"failures": "failed", "errors": "errors", "skipped": "skipped"}
_PHASES = {"setUpClass": "setup", "setUpModule": "setup", "tearDownClass": "teardown", "tearDownModule": "teardown"}


class UnittestReport:
    """`FAIL:` and `ERROR:` blocks between rules, and the closing counts; the tracebacks inside are left to their grammar."""

    name = NAME

    def read(self, page: Page) -> None:
        """See `Grammar.read`."""
        lines = page.text.lines
        for index in range(len(lines) - 1):
            line = lines[index]
            if line[:10] == "==========" and page.free(index) and not line.strip().strip("="):
                _read_block(page, index)
            elif line[:4] == "Ran " and page.free(index):
                _read_counts(page, index)


def _read_block(page: Page, at: int) -> None:
    text, lines = page.text, page.text.lines
    head = _HEAD.match(lines[at + 1].rstrip())
    if head is None or not page.free(at + 1):
        return
    rule = next((index for index in range(at + 2, min(at + 40, len(lines))) if lines[index][:10] == "----------"), None)
    if rule is None:
        page.truncated(text.number(at + 1), NAME, "a failure's head without its body")
        return
    end = rule + 1
    while end < len(lines) and page.free(end) and not _is_rule(lines[end]):
        end += 1
    if (end == len(lines) and page.ends) or (end < len(lines) and not page.free(end)):
        page.truncated(text.number(at + 1), NAME, "the block does not end")
    test = Unit("test", NAME, at + 1, end - 1)
    test.spans[""] = text.whole(at + 1)
    page.units.append(test)
    page.claim(at, rule)
    page.regions.append(Region(rule + 1, end - 1, test, None))
    _name(page, at + 1, test, head.group(2), head.group(3), head.group(4))
    while test.last > rule and not lines[test.last].strip():
        test.last -= 1
    if not any(HEADER in lines[index] for index in range(rule + 1, end)):
        page.truncated(text.number(rule), NAME, "a block without a traceback")


def _is_rule(line: str) -> bool:
    stripped = line.rstrip()
    return len(stripped) >= 60 and (not stripped.strip("=") or not stripped.strip("-"))


def _name(page: Page, index: int, test: Unit, name: str, owner: str | None, more: str | None) -> None:
    """The test case: its name as printed with its class, its dotted id, and what a sub-test adds."""
    text = page.text
    phase = _PHASES.get(name, "call")
    node_id = None
    if owner is not None:
        node_id = owner if owner.endswith("." + name) else f"{owner}.{name}"
        if "unittest.loader._FailedTest" in owner or owner.startswith("unittest.loader.ModuleImportFailure"):
            phase, node_id = "collect", name
    column = text.lines[index].find(name)
    fields = {"name": f"{name} {more}" if more and more[:1] in "[(" else name, "node_id": node_id, "phase": phase}
    spans = {"name": text.span(index, column, column + len(name))} if fields["name"] == name else {}
    test.extras.append(Extra("test_case", fields, spans))


def _read_counts(page: Page, index: int) -> None:
    text = page.text
    ran = _RAN.match(text.lines[index].rstrip())
    if ran is None:
        return
    total = number(ran.group(1)) or 0
    counts = dict.fromkeys(("failed", "errors", "skipped", "other"), 0)
    for following in range(index + 1, min(index + 4, len(text))):
        result = _RESULT.match(text.lines[following].rstrip())
        if result is not None:
            for part in (result.group(2) or "").split(", "):
                word, _, amount = part.partition("=")
                counts[_COUNTS.get(word, "other")] += number(amount) or 0
            page.claim(following, following)
            break
    passed = max(0, total - sum(counts.values()))
    fields = {"tool": "unittest", "passed": passed, **counts}
    page.loose.append(Loose(text.number(index), "test_run", fields, {"": text.whole(index)}))
    page.claim(index, index)
