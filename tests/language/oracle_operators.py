"""Why: elections, selections, groups, patterns and measures, the slow and obvious way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.language.oracle_expressions import Evaluation
from tests.language.oracle_facts import Env, Facts, Json
from tests.language.oracle_values import (
    bound,
    digest_of,
    inside,
    rank_of,
    ref_of,
    ref_text,
    regex,
)
from tollens.engine.rulebook.syntax import (
    By,
    Elect,
    Group,
    Head,
    Measure,
    Meta,
    Pattern,
    Ref,
    Take,
    TextPattern,
)
from tollens.facts.fact import Draft, Fact, Span, make_fact


class Operators(Facts):
    """What a stage's operators conclude from the facts `seen`, those of earlier stages."""

    def source(self, patterns: Sequence[Pattern], unless: Sequence[Pattern], seen: list[Fact]) -> list[tuple[Fact, ...]]:
        rows = [row for row in self.rows(patterns, seen) if not any(self.exists(p, patterns, row, seen) for p in unless)]
        return sorted(rows, key=lambda row: [fact.seq for fact in row])

    def split(self, rows: list[tuple[Fact, ...]], patterns: Sequence[Pattern], per: Sequence[Ref]) -> list[list[tuple[Fact, ...]]]:
        """Rows with equal values of `per` together, the groups by their first rows; absent is a value of its own here."""
        keys: list[list[Any]] = []
        groups: list[list[tuple[Fact, ...]]] = []
        for row in rows:
            key = [ref_of(ref, patterns, row) for ref in per]
            if key not in keys:
                keys.append(key)
                groups.append([])
            groups[keys.index(key)].append(row)
        return groups

    def ordered(self, rows: list[tuple[Fact, ...]], patterns: Sequence[Pattern], by: Sequence[By]) -> list[tuple[Fact, ...]]:
        """By the keys, then by the facts' numbers; absent values last both ways. A selection sort over `before`."""

        def before(a: tuple[Fact, ...], b: tuple[Fact, ...]) -> bool:
            for key in by:
                x, y = (rank_of(key.value, patterns, row) for row in (a, b))
                if x == y:
                    continue
                if x is None or y is None:
                    return y is None
                return bool(x > y) if key.descending else bool(x < y)
            return [fact.seq for fact in a] < [fact.seq for fact in b]

        left, result = list(rows), []
        while left:
            first = left[0]
            for row in left[1:]:
                if before(row, first):
                    first = row
            left.remove(first)
            result.append(first)
        return result

    def conclude(self, head: Head | None, meta: Meta, by: str, env: Env, names: Json, data: Json, seen: list[Fact]) -> None:
        if head is None:
            return
        evaluation = Evaluation(self, env, seen)
        evaluation.names.update(names)
        fact = evaluation.head(head, (by, meta.id))
        if fact is not None:
            self.way(self.put(fact), data)

    def own(self, kind: str, meta: Meta, by: str, values: tuple[Any, ...], data: Json, spans: Mapping[str, Span] | None = None) -> Fact:
        fact = self.put(Fact(self.kinds[kind], values, spans or {}, (by, meta.id)))
        self.way(fact, data)
        return fact

    def elect(self, elect: Elect, seen: list[Fact]) -> None:
        base = {"by": "elect", "name": elect.meta.id, "place": str(elect.meta.place)}
        for rows in self.split(self.source(elect.source, elect.unless, seen), elect.source, elect.per):
            self.fired.append(elect)
            winner, *others = self.ordered(rows, elect.source, elect.by)
            inputs: list[str] = []
            for row in (winner, *others):
                if row[0].id not in inputs:
                    inputs.append(row[0].id)
            key = self.decides(elect, winner, others[0]) if others else "the only one"
            data = {**base, "bound": bound(elect.source, winner), "inputs": inputs, "key": key}
            env = dict(zip([p.alias for p in elect.source], winner, strict=True))
            self.conclude(elect.into, elect.meta, "elect", env, {}, data, seen)
            told = [winner[0].id]
            for row in others:
                if row[0].id in told:
                    self.events["elect: a fact in several rows"] += 1
                    continue
                told.append(row[0].id)
                key = self.decides(elect, winner, row)
                data = {**base, "bound": bound(elect.source, row), "inputs": [winner[0].id], "key": key}
                self.own("passed_over", elect.meta, "elect", (elect.meta.id, key, row[0].id, winner[0].id), data)
                self.events["elect: passed over"] += 1
                but_last = elect.by[:-1]
                if but_last and all(ref_of(k.value, elect.source, row) == ref_of(k.value, elect.source, winner) for k in but_last):
                    self.own("tied", elect.meta, "elect", (elect.meta.id, winner[0].id, row[0].id), data)
                    self.events["elect: tied"] += 1

    def decides(self, elect: Elect, winner: tuple[Fact, ...], row: tuple[Fact, ...]) -> str:
        for key in elect.by:
            if ref_of(key.value, elect.source, winner) != ref_of(key.value, elect.source, row):
                return f"{'desc' if key.descending else 'asc'} {ref_text(key.value)}"
        self.events["elect: canonical order decides"] += 1
        return "canonical order"

    def take(self, take: Take, seen: list[Fact]) -> None:
        base = {"by": "take", "name": take.meta.id, "place": str(take.meta.place)}
        pairs: list[tuple[Any, Any]] = []
        if take.apart is not None:
            pairs = [(fact.get(take.apart.left), fact.get(take.apart.right)) for fact in self.of_kind(take.apart.kind, seen)]
        for rows in self.split(self.source(take.source, take.unless, seen), take.source, take.per):
            self.fired.append(take)
            taken: list[str] = []
            left = 0
            for row in self.ordered(rows, take.source, take.by):
                me = row[0].id
                linked = [t for t in dict.fromkeys(taken) if t != me and ((t, me) in pairs or (me, t) in pairs)]
                near = linked[0] if linked else None
                self.events["take: linked to several"] += len(linked) > 1
                self.events["take: linked to itself"] += me in taken and (me, me) in pairs
                env = dict(zip([p.alias for p in take.source], row, strict=True))
                data: Json = {**base, "bound": bound(take.source, row)}
                if near is None and (take.keep < 0 or len(taken) < take.keep):
                    taken.append(me)
                    data["key"] = f"number {len(taken)}"
                    self.conclude(take.into, take.meta, "take", env, {"number": len(taken), "nearest": None}, data, seen)
                    self.events["take: taken"] += 1
                else:
                    left += 1
                    if near is not None:
                        data["inputs"] = [near]
                    data["key"] = f"keep {take.keep}" if near is None else "apart"
                    self.events["take: too late" if near is None else "take: apart"] += 1
                    self.conclude(take.rest, take.meta, "take", env, {"number": left, "nearest": near}, data, seen)

    def group(self, group: Group, seen: list[Fact]) -> None:
        rows = [
            row
            for row in self.source(group.source, group.unless, seen)
            if ref_of(group.left, group.source, row) is not None and ref_of(group.right, group.source, row) is not None
        ]
        edges = [(ref_of(group.left, group.source, row), ref_of(group.right, group.source, row), row) for row in rows]
        members: list[Any] = []
        if group.members is not None:
            members = [row[0].id for row in self.source((group.members,), (), seen)]
        else:
            for value in [side for a, b, _ in edges for side in (a, b)]:
                if value not in members:
                    members.append(value)
        done: list[Any] = []
        for member in members:
            if member in done:
                continue
            reached, growing = [member], True
            while growing:
                more = [y for a, b, _ in edges for x, y in ((a, b), (b, a)) if x in reached and y not in reached]
                growing = bool(more)
                reached += more[:1]
            component = [value for value in members if value in reached]
            done += component
            inputs: list[str] = []
            for a, _, row in edges:
                if a in reached:
                    inputs += [fact.id for fact in row if fact.id not in inputs]
            self.component(group, component, inputs, seen)

    def component(self, group: Group, component: list[Any], inputs: list[str], seen: list[Fact]) -> None:
        self.fired.append(group)
        self.events["group: alone" if len(component) == 1 else "group: several"] += 1
        name = digest_of(sorted(component))
        data = {
            "by": "group",
            "name": group.meta.id,
            "place": str(group.meta.place),
            "inputs": inputs or [str(value) for value in component],
            "key": f"{len(component)} members",
        }
        names = {"group": name, "size": len(component)}
        self.conclude(group.into, group.meta, "group", {}, names, data, seen)
        for value in component:
            self.conclude(group.member, group.meta, "group", {}, {**names, "member": value}, data, seen)

    def text_pattern(self, pattern: TextPattern, seen: list[Fact]) -> None:
        for fact in self.of_kind(pattern.kind, seen):
            text = fact.get(pattern.field)
            found = regex(pattern.regex).search(text) if isinstance(text, str) else None
            if found is None:
                continue
            assert isinstance(text, str)
            self.fired.append(pattern)
            data: Json = {
                "by": "pattern",
                "name": pattern.meta.id,
                "place": str(pattern.meta.place),
                "inputs": [fact.id],
                "key": pattern.field,
            }
            values = (pattern.meta.id, fact.id, pattern.field, found.start(), found.end(), found.group())
            spans = inside(fact, pattern.field, text, found.start(), found.end())
            self.events["pattern: a match with a span"] += bool(spans)
            self.events["pattern: no span in a text that has one"] += pattern.field in fact.spans and not spans
            match = self.own("match", pattern.meta, "pattern", values, data, spans)
            groups = sorted(regex(pattern.regex).groupindex.items(), key=lambda item: item[1])
            for name, number in groups:
                if found.group(number) is None:
                    self.events["pattern: a group took no part"] += 1
                    continue
                start, end = found.span(number)
                spans = inside(fact, pattern.field, text, start, end)
                self.own("match_group", pattern.meta, "pattern", (match.id, name, start, end, found.group(number)), data, spans)
                self.events["pattern: a named group"] += 1

    def measure(self, measure: Measure, seen: list[Fact]) -> None:
        rows = self.source(measure.source, (), seen)
        for block in self.split(rows, measure.source, measure.block):
            self.fired.append(measure)
            for fields in self.measures[measure.function].function(block, dict(measure.options)):
                plain = {name: value for name, value in fields.items() if name != "_from"}
                fact = make_fact(self.kinds[measure.output], Draft(measure.output, plain, {}, ("measure", measure.meta.id)))
                data: Json = {"by": "measure", "name": measure.meta.id, "place": str(measure.meta.place)}
                used: Any = fields.get("_from")
                if used:
                    data["inputs"] = list(used)
                self.way(self.put(fact), {**data, "key": measure.function})
