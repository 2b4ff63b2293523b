"""Why: a bound of the engine is met in production unless the author hears of it before."""

from __future__ import annotations

from collections.abc import Iterator

from tollens.engine.bench.findings import Found, at, check
from tollens.engine.bench.subject import Subject
from tollens.engine.rulebook.build.patterns import ALTERNATIVE_LIMIT, PATTERN_LIMIT
from tollens.engine.rulebook.build.regex import REGEX_LENGTH
from tollens.engine.rulebook.source.snapshot import COUNT_LIMIT, FILE_LIMIT, PACK_LIMIT
from tollens.engine.rulebook.syntax import Place

#: From this share of a bound on it is near.
NEAR = 0.8


@check("near-limit", "A rule, file or pack is within a fifth of a bound of the engine.")
def near_limit(subject: Subject) -> Iterator[Found]:
    """Rules by patterns and alternatives, expressions by length, files and packs by size."""
    for rule in subject.rules:
        size = max(map(len, rule.alternatives)) + len(rule.unless)
        if _near(size, PATTERN_LIMIT):
            text = f"{rule.meta.id} has {size} patterns of at most {PATTERN_LIMIT}"
            yield at(rule.meta, text, "derive a helper kind in an earlier rule")
        if _near(len(rule.alternatives), ALTERNATIVE_LIMIT):
            text = f"{rule.meta.id} has {len(rule.alternatives)} alternatives of at most {ALTERNATIVE_LIMIT}"
            yield at(rule.meta, text, "derive a helper kind in an earlier rule")
    for pattern in subject.patterns:
        if _near(len(pattern.regex), REGEX_LENGTH):
            text = f"{pattern.meta.id} has {len(pattern.regex)} characters of at most {REGEX_LENGTH}"
            yield at(pattern.meta, text, "split it into several patterns")
    for name, snapshot in subject.packs.items():
        for file in snapshot.files:
            if _near(len(file.data), FILE_LIMIT):
                text = f"the file has {len(file.data)} bytes of at most {FILE_LIMIT}"
                yield Found(Place(f"{name}/{file.path}", 1), name, text, "split it into several files")
        total = sum(len(file.data) for file in snapshot.files)
        if _near(total, PACK_LIMIT) or _near(len(snapshot.files), COUNT_LIMIT):
            text = f"the pack has {len(snapshot.files)} files of at most {COUNT_LIMIT}, {total} bytes of at most {PACK_LIMIT}"
            yield Found(Place(f"{name}/pack.yaml", 1), name, text, "split it into several packs")


def _near(size: int, limit: int) -> bool:
    return size >= NEAR * limit
