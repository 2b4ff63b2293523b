"""Why: a log may tell of one failure a hundred thousand times; what is kept of it is bounded, and what is not kept is counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from tollens.facts.fact import Draft, Span, fact_id
from tollens.parsers.limits import Limits
from tollens.parsers.page import Loose, Unit
from tollens.parsers.patterns import Pattern

_VARYING = Pattern(r"0x[0-9a-fA-F]+|[0-9]+")
#: The fields that refer to a signal; all ids change when signals get their last numbers.
_REFERENCES = ("signal", "test", "group", "last")
REPEATS = "repeats"

#: What signals have in common that say the same; None is like nothing else.
Fingerprint = tuple[object, ...]


class UnitFacts:
    """The drafts of one signal under its first number, and the number of the test that it stands in."""

    __slots__ = ("drafts", "line", "number", "parent")

    def __init__(self, number: int, parent: int | None, line: int, drafts: list[Draft]) -> None:
        self.number = number
        self.parent = parent
        self.line = line
        self.drafts = drafts


class Bundle:
    """Signals that stand or fall together (a chain, a group), with the raw lines that they cite, and what keeping them costs."""

    __slots__ = ("facts", "raw", "units", "weight")

    def __init__(self, units: list[UnitFacts], raw: Mapping[int, str]) -> None:
        self.units = units
        self.raw = raw
        self.facts = sum(len(unit.drafts) for unit in units)
        texts = sum(len(value) for unit in units for draft in unit.drafts for value in draft.fields.values() if isinstance(value, str))
        self.weight = texts + sum(map(len, raw.values()))


class Group:
    """All bundles that say the same: the first, some later ones, how many there were, and the lines of the second and of the last."""

    __slots__ = ("count", "first", "last_lines", "later", "second_line", "thinned")

    def __init__(self, first: Bundle) -> None:
        self.first = first
        self.later: list[Bundle] = []
        self.count = 1
        self.second_line = 0
        self.last_lines = [unit.line for unit in first.units]
        #: Whether only the first and the last are kept, or only the first where there is no room for the last.
        self.thinned = False

    def bundles(self) -> list[Bundle]:
        """What is kept."""
        return [self.first, *self.later]


def fingerprint(units: list[Unit], number: Callable[[Unit], int | None]) -> Fingerprint | None:
    """What the signals have in common with others that say the same: classes, frames, and messages but for their numbers.

    A test, and what failed it, is like nothing else.
    """
    parts: list[object] = []
    for unit in units:
        if unit.record_type == "test" or (unit.parent is not None and unit.section is None):
            return None
        shape = _VARYING.compiled.sub("#", unit.message[:2000]) if unit.message else unit.message
        place = number(unit.parent) if unit.parent is not None else None
        frames = tuple([(frame.file, frame.line, frame.function) for frame in unit.frames])
        parts.append((unit.record_type, unit.grammar, unit.class_name, unit.relation, shape, place, unit.section, frames))
    return tuple(parts)


class Collected:
    """The facts of all parts of a text. Numbers of signals, chains and runs go on from part to part."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        #: How many of the last signals are kept where there are too many.
        self.tail = min(limits.tail, limits.signals // 4)
        self.signals = 0
        self.chains = 0
        self.runs = 0
        self.loose: list[Draft] = []
        self.flags: list[Loose] = []
        self.raw: dict[int, str] = {}
        self._unflagged = 0
        self._groups: dict[object, Group] = {}
        self._tail: dict[object, Group] = {}
        self._units = self._facts = self._weight = self._tail_units = self._tail_weight = 0
        self._lost = self._lost_line = 0

    @property
    def full(self) -> bool:
        """Whether something new can only be kept in the place of something older."""
        return bool(self._tail)

    def seen(self, key: Fingerprint | None) -> int:
        """How often something like this was seen before."""
        group = self._groups.get(key) or self._tail.get(key) if key is not None else None
        return group.count if group is not None else 0

    def count(self, key: Fingerprint, line: int) -> None:
        """One more like the others, of which nothing is kept."""
        group = self._groups.get(key) or self._tail[key]
        group.count += 1
        group.second_line = group.second_line or line

    def add(self, key: Fingerprint | None, bundle: Bundle) -> None:
        """One more bundle. Where too many like it are there, it takes the place of all but the first."""
        name: object = key if key is not None else bundle.units[0].number
        for groups in (self._groups, self._tail):
            group = groups.get(name)
            if group is not None:
                self._one_more(groups, group, bundle)
                return
        groups = self._groups if self._has_room(bundle) and not self._tail else self._tail
        groups[name] = Group(bundle)
        self._charge(groups, bundle, 1)
        self._shorten()

    def _one_more(self, groups: dict[object, Group], group: Group, bundle: Bundle) -> None:
        group.count += 1
        group.second_line = group.second_line or bundle.units[0].line
        group.last_lines = [unit.line for unit in bundle.units]
        roomy = groups is self._groups
        if group.count > self.limits.repeats or group.thinned or not (roomy and self._has_room(bundle)):
            group.thinned = True
            for old in group.later:
                self._charge(groups, old, -1)
            group.later = []
        if not group.thinned or (roomy and self._has_room(bundle)):
            group.later.append(bundle)
            self._charge(groups, bundle, 1)

    def _has_room(self, bundle: Bundle) -> bool:
        limits = self.limits
        return (
            self._units + len(bundle.units) <= limits.signals - self.tail
            and self._facts + bundle.facts <= limits.facts
            and self._weight + bundle.weight <= limits.kept
        )

    def _charge(self, groups: dict[object, Group], bundle: Bundle, sign: int) -> None:
        if groups is self._groups:
            self._units += sign * len(bundle.units)
            self._facts += sign * bundle.facts
            self._weight += sign * bundle.weight
        else:
            self._tail_units += sign * len(bundle.units)
            self._tail_weight += sign * bundle.weight

    def _shorten(self) -> None:
        """Keep the last signals of a text that has too many: what a run ends with is often why it ended."""
        while self._tail_units > self.tail or (self._tail_weight > self.limits.kept and len(self._tail) > 1):
            name = next(iter(self._tail))
            group = self._tail.pop(name)
            for bundle in group.bundles():
                self._charge(self._tail, bundle, -1)
            self.lose(group.count * len(group.first.units), group.first.units[0].line)

    def lose(self, signals: int, line: int) -> None:
        """So many signals, the first of them at this line, are not kept."""
        self._lost += signals
        self._lost_line = min(self._lost_line or line, line)

    def add_loose(self, drafts: list[Draft], raw: Mapping[int, str]) -> None:
        """Facts about no signal, as far as there is room for them."""
        room = max(0, self.limits.facts - len(self.loose))
        if len(drafts) > room:
            line = next(iter(drafts[room].spans.values())).line
            fields = {"line": line, "grammar": "lines", "reason": "too many lines of summaries and warnings", "lost": len(drafts) - room}
            self.flag(Loose(line, "truncated", fields, {"": Span(line, 0, 0)}))
        for draft in drafts[:room]:
            self.loose.append(draft)
            self.raw.update({span.line: raw[span.line] for span in draft.spans.values() if span.line in raw})

    def flag(self, loose: Loose) -> None:
        """One more flag; far more than are ever shown are not kept."""
        if len(self.flags) < 4 * self.limits.truncated:
            self.flags.append(loose)
        else:
            self._unflagged += 1

    def drafts(self) -> list[Draft]:
        """All facts: each signal with what is about it, then the loose facts, then the flags."""
        kept = sorted(self._kept(), key=_number)
        parents = {unit.number: unit.parent for unit, _ in kept}
        numbers: dict[int, int] = {}
        for unit, _ in kept:
            if _stands(unit.number, parents):
                numbers[unit.number] = len(numbers) + 1
            else:
                self.lose(1, unit.line)
        renamed = {fact_id("signal", old): fact_id("signal", new) for old, new in numbers.items()}
        same = all(old == new for old, new in numbers.items())
        drafts: list[Draft] = []
        for unit, more in kept:
            if unit.number in numbers:
                own = [*unit.drafts, *more]
                drafts += own if same else [draft for old in own if (draft := _renumbered(old, numbers, renamed)) is not None]
        if self._lost:
            fields = {"line": self._lost_line, "grammar": "signals", "reason": "too many signals", "lost": self._lost}
            self.flags.append(Loose(self._lost_line, "truncated", fields, {"": Span(self._lost_line, 0, 0)}))
        return [*drafts, *self.loose, *self._merged_flags()]

    def _kept(self) -> Iterator[tuple[UnitFacts, list[Draft]]]:
        for group in (*self._groups.values(), *self._tail.values()):
            repeated = self._repeated(group) if group.thinned else []
            for bundle in group.bundles():
                self.raw.update(bundle.raw)
                for position, unit in enumerate(bundle.units):
                    yield unit, repeated[position : position + 1] if bundle is group.first else []

    def _repeated(self, group: Group) -> list[Draft]:
        """A fact for each signal of the first bundle; what lies between the first and the last is flagged."""
        units, last = group.first.units, group.later[-1].units if group.later else []
        lost = (group.count - len(group.bundles())) * len(units)
        reason = "the same signal again and again: the first and the last are kept"
        fields = {"line": group.second_line, "grammar": REPEATS, "reason": reason, "lost": lost}
        self.flags.append(Loose(group.second_line, "truncated", fields, {"": Span(group.second_line, 0, 0)}))
        drafts = []
        for position, unit in enumerate(units):
            other = fact_id("signal", last[position].number) if last else None
            line = group.last_lines[position] if position < len(group.last_lines) else group.last_lines[-1]
            fields = {"signal": fact_id("signal", unit.number), "last": other, "count": group.count, "last_line": line}
            drafts.append(Draft("repeated", fields, {"": Span(unit.line, 0, 0)}, ("parser", REPEATS)))
        return drafts

    def _merged_flags(self) -> Iterator[Draft]:
        """The flags, one per line and grammar: where there were several, the reasons are joined and the losses added up."""
        merged: dict[tuple[object, object], dict[object, Loose]] = {}
        for fact in sorted(self.flags, key=_line):
            merged.setdefault((fact.line, fact.fields["grammar"]), {}).setdefault(fact.fields["reason"], fact)
        facts = [_one_flag(list(reasons.values())) for reasons in merged.values()]
        limit = self.limits.truncated
        for fact in facts[:limit]:
            yield Draft("truncated", fact.fields, fact.spans, ("parser", str(fact.fields["grammar"])))
        if len(facts) > limit:
            lost = len(facts) - limit + self._unflagged
            fields = {"line": facts[limit].line, "grammar": "flags", "reason": "too many flags", "lost": lost}
            yield Draft("truncated", fields, facts[limit].spans, ("parser", "flags"))


def _stands(number: int, parents: Mapping[int, int | None]) -> bool:
    """Whether a signal is kept, and the test that it stands in, and the one that this stands in."""
    above: int | None = number
    for _ in range(8):
        if above is None:
            return True
        if above not in parents:
            return False
        above = parents[above]
    return False


def _renumbered(draft: Draft, numbers: Mapping[int, int], renamed: Mapping[str, str]) -> Draft | None:
    """The draft under the last numbers of its signals; None where it refers to a signal that is not kept."""
    fields = dict(draft.fields)
    if draft.kind == "signal":
        fields["number"] = numbers[int(str(fields["number"]))]
    for name in _REFERENCES:
        if fields.get(name) is not None:
            if fields[name] not in renamed:
                return None
            fields[name] = renamed[str(fields[name])]
    return draft._replace(fields=fields)


def _one_flag(flags: list[Loose]) -> Loose:
    if len(flags) == 1:
        return flags[0]
    reason = "; ".join([str(flag.fields["reason"]) for flag in flags])
    lost = sum(int(str(flag.fields["lost"])) for flag in flags)
    return flags[-1]._replace(fields={**flags[-1].fields, "reason": reason, "lost": lost})


def _number(item: tuple[UnitFacts, list[Draft]]) -> int:
    return item[0].number


def _line(loose: Loose) -> int:
    return loose.line
