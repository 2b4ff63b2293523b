"""Why: signals get their numbers by position once all grammars have read, and the bounds on what is kept hold for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tollens.facts.fact import Draft, Span, fact_id
from tollens.parsers.collect import Bundle, Collected, UnitFacts, fingerprint
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
    """Turns what stands on a page into drafts: each signal with what is about it, then the loose facts. `collected` says what is kept."""

    def __init__(self, page: Page, collected: Collected, *, whole: bool = True) -> None:
        self.page = page
        self.collected = collected
        self.limits: Limits = page.limits
        self.drafts: list[Draft] = []
        self.numbers: dict[int, int] = {}
        self.positions: dict[int, int] = {}
        self.chains: dict[int, int] = {}
        #: Whether the whole text is at hand, so that no raw line has to be kept for its citations.
        self.whole = whole

    def emit(self) -> None:
        """Hand over all that stands on the page."""
        units = sorted(self.page.units, key=_position)
        first = self.collected.signals + 1
        self.numbers = {id(unit): number for number, unit in enumerate(units, first)}
        self.collected.signals += len(units)
        self._place(units)
        bundles = [(bundle, fingerprint(bundle, self._number)) for bundle in self._bundles(units)]
        last = {key: position for position, (_, key) in enumerate(bundles)}
        for position, (bundle, key) in enumerate(bundles):
            seen = self.collected.seen(key)
            if key is not None and seen >= self.limits.repeats and last[key] != position:
                self.collected.count(key, self.page.text.number(bundle[0].first))
            elif not seen and self.collected.full and position < len(bundles) - self.collected.tail:
                self.collected.lose(len(bundle), self.page.text.number(bundle[0].first))
            else:
                self.collected.add(key, self._bundle(bundle))
        self.collected.chains += len(self.chains)
        self._loose()
        for loose in self.page.loose:
            if loose.kind == "truncated":
                self.collected.flag(loose)

    def _number(self, unit: Unit) -> int | None:
        return self.numbers.get(id(unit))

    def _bundles(self, units: list[Unit]) -> list[list[Unit]]:
        """The signals that are kept together: chains, groups, and chains in groups; in the order of their first signals."""
        heads: dict[int, int] = {}
        for unit in units:
            if unit.chain is not None and id(unit.chain) not in self.chains:
                self.chains[id(unit.chain)] = self.collected.chains + len(self.chains) + 1
                self.positions.update({id(member): position for position, member in enumerate(unit.chain)})
        own = {id(unit): id(unit.chain) if unit.chain is not None else id(unit) for unit in units}
        for unit in units:
            if unit.group is not None and id(unit.group) in own:
                one, other = _head(heads, own[id(unit)]), _head(heads, own[id(unit.group)])
                if one != other:
                    heads[one] = other
        bundles: dict[int, list[Unit]] = {}
        for unit in units:
            bundles.setdefault(_head(heads, own[id(unit)]), []).append(unit)
        return list(bundles.values())

    def _bundle(self, units: list[Unit]) -> Bundle:
        most = self.limits.signals - self.collected.tail
        if len(units) > most:
            self.collected.lose(len(units) - most, self.page.text.number(units[most].first))
            units = units[:most]
        found: list[UnitFacts] = []
        raw: dict[int, str] = {}
        for unit in units:
            self.drafts = []
            self._unit(unit)
            parent = self._number(unit.parent) if unit.parent is not None else None
            found.append(UnitFacts(self.numbers[id(unit)], parent, self.page.text.number(unit.first), self.drafts))
            if not self.whole:
                self._cite(raw)
        return Bundle(found, raw)

    def _cite(self, raw: dict[int, str]) -> None:
        for draft in self.drafts:
            for span in draft.spans.values():
                raw[span.line] = self.page.text.raw(span.line)

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

    def _unit(self, unit: Unit) -> None:
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
            place = {"chain": self.chains[id(unit.chain)], "position": self.positions[id(unit)], "relation": unit.relation}
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
        seen: dict[int, int] = {}
        self.drafts = []
        for fact in sorted((loose for loose in self.page.loose if loose.kind != "truncated"), key=_line):
            fields = dict(fact.fields)
            if fact.kind == "test_run":
                self.collected.runs += 1
                fields["number"] = self.collected.runs
            elif fact.line in seen:
                continue
            else:
                seen[fact.line] = 1
            self._add(fact.kind, fields, fact.spans, _LOOSE.get(fact.kind, "counts"), None)
        raw: dict[int, str] = {}
        if not self.whole:
            self._cite(raw)
        self.collected.add_loose(self.drafts, raw)


def _head(heads: dict[int, int], name: int) -> int:
    """The name of the set that a name is in; shortens the way to it."""
    while name in heads:
        heads[name] = name = heads.get(heads[name], heads[name])
    return name


def unit_span(unit: Unit) -> dict[str, Span]:
    """The span of a unit's first line, for facts about it that stand in no line of their own."""
    return {"": unit.spans[""]} if "" in unit.spans else {}


def _position(unit: Unit) -> tuple[int, bool]:
    return unit.first, unit.record_type != "test"


def _region_start(region: Region) -> int:
    return region.first


def _line(loose: Loose) -> int:
    return loose.line
