"""Why: patterns and measures turn what facts hold into more facts before any rule of their stage reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tollens.engine.rulebook.syntax import Measure, TextPattern
from tollens.engine.session.conditions import regex
from tollens.engine.session.operators import Asserting, Row, Source
from tollens.engine.session.proof import Derivation, Proof
from tollens.engine.session.store import FactStore
from tollens.facts.fact import Draft, Fact, Span, make_fact
from tollens.facts.values import Value

#: A measure: rows of one block and its options in, the fields of output facts out; `_from` names the ids of the facts it used.
MeasureFunction = Callable[[Sequence[Row], Mapping[str, Value]], Iterable[Mapping[str, object]]]


def run_patterns(patterns: Sequence[TextPattern], store: FactStore, proof: Proof) -> None:
    """The first match of each pattern in each text of its field, and each named group that took part in it."""
    over: dict[tuple[str, str], list[TextPattern]] = {}
    for pattern in patterns:
        over.setdefault((pattern.kind, pattern.field), []).append(pattern)
    for (kind, field), group in over.items():
        facts = [fact for fact in store.facts(kind) if fact.get(field) is not None]
        if facts:
            choose = _chooser(group)
            for fact in facts:
                for position in choose(str(fact.get(field))):
                    _match(group[position], fact, store, proof)


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
    together.Compile()
    return lambda text: sorted(together.Match(text))


def _match(pattern: TextPattern, fact: Fact, store: FactStore, proof: Proof) -> None:
    compiled = regex(pattern.regex)
    text = str(fact.get(pattern.field))
    found = compiled.search(text)
    if found is None:
        return
    out = Asserting(store, proof)
    made = Derivation("pattern", pattern.meta.id, pattern.meta.place, inputs=(fact.id,), key=pattern.field)
    origin, span = ("pattern", pattern.meta.id), fact.spans.get(pattern.field)
    start, end = found.span()
    values = (pattern.meta.id, fact.id, pattern.field, start, end, text[start:end])
    match = out.add(Fact(store.kinds["match"], values, _inside(span, text, start, end), origin), made)
    for name, number in sorted(compiled.groupindex.items(), key=lambda item: item[1]):
        start, end = found.span(number)
        if start >= 0:
            part = Fact(store.kinds["match_group"], (match.id, name, start, end, text[start:end]), _inside(span, text, start, end), origin)
            out.add(part, made)


def _inside(span: Span | None, text: str, start: int, end: int) -> dict[str, Span]:
    """Where a part of a field's text stands in the raw line, when the whole text stands there as it is."""
    if span is None or span.end - span.start != len(text):
        return {}
    return {"": Span(span.line, span.start + start, span.start + end)}


def run_measure(measure: Measure, function: MeasureFunction, store: FactStore, proof: Proof) -> None:
    """Call the function once per block of rows and store what it yields."""
    source, out = Source(store, measure.source, ()), Asserting(store, proof)
    kind = store.kinds[measure.output]
    rows = source.rows()
    options: dict[str, Value] = dict(measure.options)
    blocks: dict[tuple[Any, ...], list[Row]] = {}
    readers = [source.reader(ref) for ref in measure.block]
    for row in rows:
        blocks.setdefault(tuple([read(row) for read in readers]), []).append(row)
    for block in blocks.values():
        for fields in function(block, options):
            used = fields.get("_from", ())
            inputs = tuple(str(item) for item in used) if isinstance(used, tuple | list) else ()
            plain = {name: value for name, value in fields.items() if name != "_from"}
            fact = make_fact(kind, Draft(kind.name, plain, {}, ("measure", measure.meta.id)))
            out.add(fact, Derivation("measure", measure.meta.id, measure.meta.place, inputs=inputs, key=measure.function))
