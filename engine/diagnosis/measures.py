"""Why: numbers and relations that rules ask for and cannot compute themselves; none of them judges.

The loader checks the names and outputs that packs use; the session calls the functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tollens.engine.rulebook.measures import MeasureRegistry
from tollens.facts.fact import Fact
from tollens.facts.values import Value

MEASURES = MeasureRegistry()


@MEASURES.register("path_under")
def path_under(rows: Sequence[tuple[Fact, ...]], _options: Mapping[str, Value]) -> Iterator[Mapping[str, object]]:
    """Each (file, root) of the rows where the file's path starts with the root's; separators and `.` parts are folded."""
    seen: set[tuple[str, str]] = set()
    for frame, root in rows:
        pair = (str(frame.get("file")), str(root.get("path")))
        if pair in seen:
            continue
        seen.add(pair)
        parts, start = _parts(pair[0]), _parts(pair[1])
        if parts[: len(start)] == start:
            yield {"file": pair[0], "root": pair[1], "_from": (frame.id, root.id)}


@MEASURES.register("own_module")
def own_module(rows: Sequence[tuple[Fact, ...]], _options: Mapping[str, Value]) -> Iterator[Mapping[str, object]]:
    """For each matched module name, the first of the rows' files that has the module's first part in its path, as a folder or a file."""
    seen: set[str] = set()
    for _, group, _, frame in rows:
        module, file = str(group.get("text")), str(frame.get("file"))
        names = _parts(file.removesuffix(".py"))
        if group.id not in seen and module.split(".", maxsplit=1)[0] in names:
            seen.add(group.id)
            yield {"group": group.id, "module": module, "file": file, "_from": (group.id, frame.id)}


@MEASURES.register("installed_package")
def installed_package(rows: Sequence[tuple[Fact, ...]], _options: Mapping[str, Value]) -> Iterator[Mapping[str, object]]:
    """The package of each frame whose path goes through `site-packages` or `dist-packages`; a row names a frame first."""
    seen: set[str] = set()
    for frame, *_ in rows:
        parts = _parts(str(frame.get("file")))
        at = next((position for position, part in enumerate(parts[:-1]) if part in ("site-packages", "dist-packages")), None)
        if at is not None and frame.id not in seen:
            seen.add(frame.id)
            yield {"frame": frame.id, "package": parts[at + 1].removesuffix(".py"), "_from": (frame.id,)}


@MEASURES.register("installed_self")
def installed_self(rows: Sequence[tuple[Fact, ...]], _options: Mapping[str, Value]) -> Iterator[Mapping[str, object]]:
    """Each frame below `site-packages/NAME` or `dist-packages/NAME` that has a folder NAME further up than the environment itself."""
    for (frame,) in rows:
        parts = _parts(str(frame.get("file")))
        for folder in ("site-packages", "dist-packages"):
            if folder in parts[:-1]:
                at = parts.index(folder)
                package = parts[at + 1].removesuffix(".py")
                # The environment's own folder (.../NAME/lib/python3.x/site-packages) says nothing about the package.
                if package in parts[: max(0, at - 3)]:
                    yield {"frame": frame.id, "package": package, "_from": (frame.id,)}
                break


def _parts(path: str) -> list[str]:
    return [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")]
