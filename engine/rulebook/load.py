"""Why: one call turns pack folders into a checked rulebook, from the cache where nothing changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tollens.engine.errors import PackError, PackErrors
from tollens.engine.rulebook.cache import cache_key, fetch, keep
from tollens.engine.rulebook.source.snapshot import Snapshot, read_pack

if TYPE_CHECKING:
    from pathlib import Path

    from tollens.engine.rulebook.measures import MeasureSignature
    from tollens.engine.rulebook.syntax import Rulebook
    from tollens.facts.kind import KindTable


def load(
    builtin: Sequence[Path],
    user: Sequence[Path],
    base_kinds: KindTable,
    measures: Mapping[str, MeasureSignature],
    *,
    cache_dir: Path | None = None,
) -> Rulebook:
    """The rulebook of the built-in packs and the user's, in this order.

    Raises PackErrors with everything that is wrong, by file and line. With `cache_dir` a rulebook that was compiled before from the
    same bytes is read back; a cache that is missing, broken or not writable is passed over in silence.
    """
    snapshots, errors = _read([*builtin, *user])
    if errors:
        # Everything at once, also of the packs that can be read. That reads anew: what was wrong may be mended by then.
        raise PackErrors(check_packs(builtin, user, base_kinds, measures) or errors)
    key = ""
    if cache_dir is not None:
        key = cache_key(snapshots, len(builtin), base_kinds, measures)
        known = fetch(cache_dir, key)
        if known is not None:
            return known
    rulebook, errors = _compile(snapshots, len(builtin), base_kinds, measures)
    if errors:
        raise PackErrors(errors)
    if cache_dir is not None:
        keep(cache_dir, key, rulebook)
    return rulebook


def check_packs(
    builtin: Sequence[Path], user: Sequence[Path], base_kinds: KindTable, measures: Mapping[str, MeasureSignature]
) -> list[PackError]:
    """All errors of these packs, by file and line; an empty list means that they load."""
    _, unread = _read([*builtin, *user])
    readable: list[list[Snapshot]] = [_read(packs)[0] for packs in (builtin, user)]
    _, errors = _compile([*readable[0], *readable[1]], len(readable[0]), base_kinds, measures)
    return [*unread, *errors]


def _read(packs: Sequence[Path]) -> tuple[list[Snapshot], list[PackError]]:
    snapshots: list[Snapshot] = []
    errors: list[PackError] = []
    for folder in packs:
        try:
            snapshots.append(read_pack(folder))
        except PackError as error:
            errors.append(error)
    return snapshots, errors


def _compile(
    snapshots: Sequence[Snapshot], builtin: int, base_kinds: KindTable, measures: Mapping[str, MeasureSignature]
) -> tuple[Rulebook, list[PackError]]:
    from tollens.engine.rulebook.source.problems import Problems
    from tollens.engine.rulebook.whole.compile import Source, compile_packs

    problems = Problems()
    sources = [Source(snapshot, position >= builtin) for position, snapshot in enumerate(snapshots)]
    return compile_packs(sources, base_kinds, measures, problems), problems.sorted()
