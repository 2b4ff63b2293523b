"""Why: tables decide as much as rules do; rows are dropped, their values changed, and ranks of neighbours trade places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from tollens.engine.bench.coverage_conditions import row_text
from tollens.engine.bench.mutate_expressions import changed
from tollens.engine.rulebook.syntax import Place, Row, Rulebook
from tollens.facts.kind import Kind
from tollens.facts.values import Value

Rows = tuple[Row, ...]


def row_mutants(book: Rulebook, packs: Sequence[str]) -> Iterator[tuple[str, tuple[Place, ...], Rows]]:
    """(What was done, the rows that it touches, all rows of the rulebook)."""
    kinds = {kind.name: kind for kind in book.kinds}
    ranked: dict[tuple[str, str], list[int]] = {}
    for position, row in enumerate(book.rows):
        if row.pack not in packs:
            continue
        text = f"row {row_text(row.kind, row.fields)}"
        before, after = book.rows[:position], book.rows[position + 1 :]
        yield f"{text}: left out", (row.place,), before + after
        kind = kinds[row.kind]
        for number, (name, value) in enumerate(row.fields):
            field = kind.field(name)
            if _is_key(kind, name) and len(kind.key) == 1:
                continue
            if field.type == "int":
                ranked.setdefault((row.kind, name), []).append(position)
                continue
            other = changed(value, field)
            fields = (*row.fields[:number], (name, other), *row.fields[number + 1 :])
            yield f"{text}: {name} becomes {other!r:.60}", (row.place,), (*before, row._replace(fields=fields), *after)
    for (kind_name, name), positions in ranked.items():
        yield from _swaps(book, kind_name, name, positions)


def _is_key(kind: Kind, name: str) -> bool:
    return name in kind.key


def _swaps(book: Rulebook, kind: str, name: str, positions: Sequence[int]) -> Iterator[tuple[str, tuple[Place, ...], Rows]]:
    """Each two neighbouring values of a column trade places, in all rows that hold them."""
    values = sorted({rank for position in positions if isinstance(rank := dict(book.rows[position].fields)[name], int)})
    for low, high in pairwise(values):
        trade: dict[Value, Value] = {low: high, high: low}
        rows = list(book.rows)
        touched = []
        for position in positions:
            row = rows[position]
            value = dict(row.fields)[name]
            if value in trade:
                rows[position] = row._replace(fields=tuple([(n, trade[v] if n == name else v) for n, v in row.fields]))
                touched.append(row.place)
        yield f"rows {kind}: {name} {low} and {high} trade places", tuple(touched), tuple(rows)
