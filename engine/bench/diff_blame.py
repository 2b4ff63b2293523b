"""Why: of all rules that an edit touched, only those that took part in a changed verdict did it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tollens.engine.bench.subject import in_stage_order
from tollens.engine.diagnosis.driver import Diagnosed
from tollens.engine.rulebook.syntax import Meta, Place, Row, Rulebook
from tollens.engine.session.proof import Derivation

_ROW = "row of "


def changed_parts(old: Rulebook, new: Rulebook) -> frozenset[str]:
    """The ids of entries, and `row of KIND {...}` of rows, that are in one rulebook only or differ in more than their places."""
    before, after = _parts(old), _parts(new)
    return frozenset([name for name in {**before, **after} if before.get(name) != after.get(name)])


def _parts(book: Rulebook) -> dict[str, object]:
    found: dict[str, object] = {entry.meta.id: _placeless(entry) for stage in book.stages for entry in in_stage_order(stage)}
    found.update({redaction.meta.id: _placeless(redaction) for redaction in book.redactions})
    found.update({_row(row): True for row in book.rows})
    return found


def _row(row: Row) -> str:
    return _row_text(row.kind, dict(row.fields))


def _row_text(kind: str, fields: dict[str, object]) -> str:
    return f"{_ROW}{kind} {{{', '.join(f'{name}: {value}' for name, value in fields.items() if value is not None)}}}"


def _placeless(part: object) -> object:
    """An entry without its places, its position and its pack."""
    if isinstance(part, Place):
        return None
    if isinstance(part, Meta):
        return (part.id, part.stage, _placeless(part.says), part.sealed)
    return tuple([_placeless(item) for item in part]) if isinstance(part, tuple) else part


def culprits(before: Diagnosed, after: Diagnosed, paths: Sequence[str], parts: frozenset[str]) -> list[str]:
    """The changed parts below the changed answers, in either proof; where there are none, those whose part in the run changed at all.

    An empty list means that no rule did it: only the order, the sentence or the version of a pack differs.
    """
    names = dict.fromkeys(
        [path.replace("[", ".").split(".")[-1] for path in paths] + [path.replace("[", ".").split(".")[0] for path in paths]
    )
    uses_before, uses_after = set(_uses(before)), set(_uses(after))
    below = {part for run in (before, after) for part in _below(run, names)} & parts
    different = {part for part, _ in uses_before ^ uses_after} & parts
    return sorted(below & different or different or below)


def _below(run: Diagnosed, names: Iterable[str]) -> set[str]:
    """Everything that the proofs of these answers rest on."""
    queue = [fact_id for name in names for fact_id in run.answers.get(name, ())]
    seen = set(queue)
    found: set[str] = set()
    for fact_id in queue:
        for way in run.session.proof.of(fact_id):
            found.add(_used(run, fact_id, way))
            for other in [*[one for _, one in way.bound], *way.inputs, *[one for computed in way.computed for one in computed.inputs]]:
                if other not in seen:
                    seen.add(other)
                    queue.append(other)
    return found


def _uses(run: Diagnosed) -> Iterator[tuple[str, str]]:
    """Which part derives which fact from what."""
    for fact_id, ways in run.session.proof:
        for way in ways:
            yield _used(run, fact_id, way), f"{fact_id} {way.bound} {way.inputs} {way.key}"


def _used(run: Diagnosed, fact_id: str, way: Derivation) -> str:
    """The name of what a derivation comes from."""
    if way.by != "row":
        return way.name
    fact = run.session.store.get(fact_id)
    assert fact is not None
    return _row_text(fact.kind.name, dict(zip(fact.kind.index, fact.values, strict=True)))
