"""Why: patterns and measures turn what facts hold into more facts before any rule of their stage reads them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tollens.engine.rulebook.build.regex import compile_regex
from tollens.engine.rulebook.measures import FROM, MeasureFunction
from tollens.engine.rulebook.syntax import Measure, TextPattern
from tollens.engine.session.operators import Asserting, Row
from tollens.engine.session.proof import Derivation
from tollens.facts.fact import Draft, Fact, Span, make_fact
from tollens.facts.values import Value


def run_patterns(patterns: Sequence[TextPattern], out: Asserting) -> None:
    """The first match of each pattern in each text of its field, and each named group that took part in it."""
    over: dict[tuple[str, str], list[int]] = {}
    for position, pattern in enumerate(patterns):
        over.setdefault((pattern.kind, pattern.field), []).append(position)
    found: list[list[Fact]] = [[] for _ in patterns]
    for (kind, field), positions in over.items():
        facts = [fact for fact in out.store.facts(kind) if fact.get(field) is not None]
        if facts:
            choose = _chooser([patterns[position] for position in positions])
            for fact in facts:
                for chosen in choose(str(fact.get(field))):
                    found[positions[chosen]].append(fact)
    for pattern, matching in zip(patterns, found, strict=True):
        for fact in matching:
            _match(pattern, fact, out)


def _chooser(group: Sequence[TextPattern]) -> Callable[[str], list[int]]:
    """Which patterns occur in a text: one pass over all of them at once where there are several."""
    if len(group) < 3:
        return lambda text: list(range(len(group)))
    import re2  # here, so that packs without patterns start without it

    options = re2.Options()
    options.log_errors = False
    together = re2.Set.SearchSet(options)
    for pattern in group:
        together.Add(pattern.regex)
    try:
        together.Compile()
    except re2.error:  # too many or too large for one automaton; each alone is within bounds
        return lambda text: list(range(len(group)))
    return lambda text: sorted(together.Match(text) or ())  # None where nothing matches


def _match(pattern: TextPattern, fact: Fact, out: Asserting) -> None:
    compiled = compile_regex(pattern.regex)
    text = str(fact.get(pattern.field))
    found = compiled.search(text)
    if found is None:
        return
    made = Derivation("pattern", pattern.meta.id, pattern.meta.place, inputs=(fact.id,), key=pattern.field)
    origin, span = ("pattern", pattern.meta.id), fact.spans.get(pattern.field)
    start, end = found.span()
    values = (pattern.meta.id, fact.id, pattern.field, start, end, text[start:end])
    match = Fact(out.store.kinds["match"], values, _inside(span, text, start, end), origin)
    out.add(match, made)
    for name, number in sorted(compiled.groupindex.items(), key=lambda item: item[1]):
        start, end = found.span(number)
        if start >= 0:
            part = Fact(
                out.store.kinds["match_group"], (match.id, name, start, end, text[start:end]), _inside(span, text, start, end), origin
            )
            out.add(part, made)


def _inside(span: Span | None, text: str, start: int, end: int) -> dict[str, Span]:
    """Where a part of a field's text stands in the raw line, when the whole text stands there as it is."""
    if span is None or span.end - span.start != len(text):
        return {}
    return {"": Span(span.line, span.start + start, span.start + end)}


def run_measure(measure: Measure, function: MeasureFunction, out: Asserting) -> None:
    """Call the function once per block of rows and store what it yields."""
    source = out.source(measure.meta, measure.source, ())
    kind = out.store.kinds[measure.output]
    rows = source.rows()
    options: dict[str, Value] = dict(measure.options)
    blocks: dict[tuple[Any, ...], list[Row]] = {}
    readers = [source.reader(ref) for ref in measure.block]
    for row in rows:
        blocks.setdefault(tuple([read(row) for read in readers]), []).append(row)
    for block in blocks.values():
        for fields in function(block, options):
            used = fields.get(FROM, ())
            inputs = tuple(str(item) for item in used) if isinstance(used, tuple | list) else ()
            plain = {name: value for name, value in fields.items() if name != FROM}
            fact = make_fact(kind, Draft(kind.name, plain, {}, ("measure", measure.meta.id)))
            out.add(fact, Derivation("measure", measure.meta.id, measure.meta.place, inputs=inputs, key=measure.function))
