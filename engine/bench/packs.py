"""Why: the bench looks at packs as they lie on the disk, beside the rulebook that they make."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tollens.engine.bench.subject import Subject
from tollens.engine.diagnosis.measures import MEASURES
from tollens.engine.diagnosis.packs import BUILTIN, GATE, cache_folder
from tollens.engine.errors import PackErrors
from tollens.engine.rulebook.load import load
from tollens.engine.rulebook.source.snapshot import read_pack
from tollens.facts.table import base_kinds


def subject_of(user: Sequence[Path] = (), builtin: Sequence[Path] = BUILTIN) -> Subject:
    """The rulebook of these packs with what they are made of; PackErrors where they do not load.

    The folders are read twice; where they changed between, they are read again, and in the end the last state counts.
    """
    for _ in range(4):
        book = load(builtin, user, base_kinds(), MEASURES, cache_dir=cache_folder())
        snapshots = [read_pack(folder) for folder in (*builtin, *user)]
        if [snapshot.digest for snapshot in snapshots] == [pack.digest for pack in book.packs]:
            names = [pack.name for pack in book.packs]
            return Subject(book, dict(zip(names, snapshots, strict=True)), MEASURES, names[len(builtin) :])
    from tollens.engine.errors import PackError

    raise PackErrors([PackError("the packs kept changing while they were read", next_step="wait until the edit is finished")])


def gate_subject() -> Subject:
    """The repair gate's rulebook, which no pack of a user takes part in."""
    return subject_of((), (GATE,))
