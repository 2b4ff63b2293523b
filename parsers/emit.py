"""Why: signals get their numbers by position once all grammars have read, and the bounds on what is kept hold for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tollens.facts.fact import Draft, Span, fact_id
from tollens.parsers.limits import Limits
from tollens.parsers.page import Extra, FrameFound, Loose, Page, Region, Unit

#: Fields that hold free text of any length, by kind; longer values are cut.
_FREE = {
    "stack_frame": ("file", "function", "source", "marked"),
    "comparison": ("left", "operator", "right", "expression", "call", "left_source", "right_source"),
    "detail": ("text",),
    "test_case": ("name", "node_id", "file"),
    "summary_line": ("node_id", "text"),
    "signal": ("class_name", "message"),
    "captured": ("section",),
    "warning_line": ("message", "file", "source"),
}


#: The grammar that facts about no signal come from.
_LOOSE = {"summary_line": "pytest_summary", "warning_line": "python_warning"}


class Emitter:
    """Turns what stands on a page into drafts in their canonical order: each signal with what is about it, then the loose facts."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.limits: Limits = page.limits
        self.drafts: list[Draft] = []
        self.numbers: dict[int, int] = {}

    def emit(self) -> list[Draft]:
        """All drafts of the page."""
        units = sorted(self.page.units, key=_position)
        kept = units[: self.limits.signals]
        if len(units) > len(kept):
            line = self.page.text.number(units[len(kept)].first)
            self.page.truncated(line, "signals", "too many signals", len(units) - len(kept))
        self.numbers = {id(unit): number for number, unit in enumerate(kept, 1)}
        chains: dict[int, int] = {}
        self._place(kept)
        for unit in kept:
            if unit.chain is not None:
                chains.setdefault(id(unit.chain), len(chains) + 1)
            self._unit(unit, chains)
        self._loose()
        return self.drafts

    def _place(self, units: list[Unit]) -> None:
        """Find the test in whose block each signal stands, where its grammar did not say."""
        regions = sorted(self.page.regions, key=_region_start)
        at = 0
        for unit in units:
            while at < len(regions) and regions[at].last < unit.first:
                at += 1
            if unit.parent is not None or at >= len(regions) or regions[at].first > unit.first:
                continue
            if unit.record_type != "test" or regions[at].section is not None:
                unit.parent, unit.section = regions[at].test, regions[at].section

    def _unit(self, unit: Unit, chains: Mapping[int, int]) -> None:
        text = self.page.text
        number = self.numbers[id(unit)]
        reference = fact_id("signal", number)
        grammar = unit.grammar
        fields = {
            "number": number, "record_type": unit.record_type, "grammar": grammar, "class_name": unit.class_name,
            "message": unit.message, "first_line": text.number(unit.first), "last_line": text.number(unit.last),
        }  # fmt: skip
        self._add("signal", fields, unit.spans, grammar, unit)
        parent = self.numbers.get(id(unit.parent)) if unit.parent is not None else None
        extras = list(unit.extras)
        if parent is not None:
            test = fact_id("signal", parent)
            section = Extra("captured", {"test": test, "section": unit.section}) if unit.section else None
            extras.insert(0, section or Extra("belongs", {"test": test}))
        if unit.chain is not None:
            place = {"chain": chains[id(unit.chain)], "position": unit.chain.index(unit), "relation": unit.relation}
            extras.append(Extra("chain_member", place))
        group = self.numbers.get(id(unit.group)) if unit.group is not None else None
        if group is not None:
            extras.append(Extra("group_member", {"group": fact_id("signal", group), "number": unit.member}))
        self._frames(unit, reference)
        details = 0
        for extra in extras:
            more: dict[str, object] = {"signal": reference}
            if extra.kind == "detail":
                details += 1
                more["number"] = details
                if details > self.limits.details:
                    continue
            self._add(extra.kind, {**more, **extra.fields}, extra.spans or unit_span(unit), grammar, unit)
        if details > self.limits.details:
            self._cut(unit, "too many details", details - self.limits.details)

    def _frames(self, unit: Unit, reference: str) -> None:
        frames, limit = unit.frames, self.limits.frames
        rows: Iterable[tuple[int, FrameFound]] = enumerate(frames)
        if len(frames) > limit:
            kept = list(rows)
            rows = kept[: limit - limit // 2] + kept[len(frames) - limit // 2 :]
            self._cut(unit, "too many frames; those in the middle are left out", len(frames) - limit)
        for depth, frame in rows:
            fields = {
                "signal": reference, "depth": depth, "file": frame.file, "line": frame.line, "function": frame.function,
                "source": frame.source, "marked": frame.marked, "repeated": frame.repeated,
            }  # fmt: skip
            self._add("stack_frame", fields, frame.spans, unit.grammar, unit)

    def _add(self, kind: str, fields: dict[str, object], spans: Mapping[str, Span], grammar: str, unit: Unit | None) -> None:
        limit = self.limits.value
        for name in _FREE.get(kind, ()):
            value = fields.get(name)
            if isinstance(value, str) and len(value) > limit:
                fields[name] = value[:limit]
                lost = len(value) - limit
                span = spans.get(name) or spans.get("")
                line = span.line if span is not None else self.page.text.number(unit.first) if unit is not None else 1
                self.page.truncated(line, f"{grammar}.{name}", f"the {name} is too long", lost)
                if name in spans and span is not None and span.end - span.start > limit:
                    spans = {**spans, name: Span(span.line, span.start, span.start + limit)}
        self.drafts.append(Draft(kind, fields, spans, ("parser", grammar)))

    def _cut(self, unit: Unit, reason: str, lost: int) -> None:
        self.page.truncated(self.page.text.number(unit.first), f"{unit.grammar}.{reason.split()[2].rstrip(';')}", reason, lost)

    def _loose(self) -> None:
        runs = 0
        seen: dict[int, int] = {}
        for fact in sorted((loose for loose in self.page.loose if loose.kind != "truncated"), key=_line):
            fields = dict(fact.fields)
            if fact.kind == "test_run":
                runs += 1
                fields["number"] = runs
            elif fact.line in seen:
                continue
            else:
                seen[fact.line] = 1
            self._add(fact.kind, fields, fact.spans, _LOOSE.get(fact.kind, "counts"), None)
        self._truncated()

    def _truncated(self) -> None:
        """The flags, one per line and grammar: where there were several, the reasons are joined and the losses added up."""
        merged: dict[tuple[object, object], Loose] = {}
        for fact in sorted((loose for loose in self.page.loose if loose.kind == "truncated"), key=_line):
            key = (fact.line, fact.fields["grammar"])
            known = merged.get(key)
            if known is None:
                merged[key] = fact
            elif known.fields["reason"] != fact.fields["reason"]:
                reason = f"{known.fields['reason']}; {fact.fields['reason']}"
                lost = int(str(known.fields["lost"])) + int(str(fact.fields["lost"]))
                merged[key] = fact._replace(fields={**fact.fields, "reason": reason, "lost": lost})
        facts = list(merged.values())
        limit = self.limits.truncated
        for fact in facts[:limit]:
            self.drafts.append(Draft("truncated", fact.fields, fact.spans, ("parser", str(fact.fields["grammar"]))))
        if len(facts) > limit:
            fields = {"line": facts[limit].line, "grammar": "flags", "reason": "too many flags", "lost": len(facts) - limit}
            self.drafts.append(Draft("truncated", fields, facts[limit].spans, ("parser", "flags")))


def unit_span(unit: Unit) -> dict[str, Span]:
    """The span of a unit's first line, for facts about it that stand in no line of their own."""
    return {"": unit.spans[""]} if "" in unit.spans else {}


def _position(unit: Unit) -> tuple[int, bool]:
    return unit.first, unit.record_type != "test"


def _region_start(region: Region) -> int:
    return region.first


def _line(loose: Loose) -> int:
    return loose.line
