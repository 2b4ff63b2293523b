"""Why: what a user says once per project: the `[tool.tollens]` table of the pyproject.toml above the current folder."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from tollens.engine.errors import InputError
from tollens.engine.rulebook.syntax import Place

_KEYS = ("rules", "project-roots")


class Project(NamedTuple):
    """Rule packs and roots, as absolute paths; the settings file, where there is one."""

    rules: tuple[Path, ...] = ()
    roots: tuple[str, ...] = ()
    file: Path | None = None


def settings(start: Path) -> Project:
    """The table of the nearest pyproject.toml that has one; InputError names what is wrong with it."""
    for folder in (start, *start.parents):
        file = folder / "pyproject.toml"
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        if "[tool.tollens" in text:
            return _read(file, text)
    return Project()


def _read(file: Path, text: str) -> Project:
    import tomllib  # here: most commands find no table

    line = next(number for number, row in enumerate(text.split("\n"), 1) if "[tool.tollens" in row)
    place = Place(str(file), line)
    try:
        table = tomllib.loads(text).get("tool", {}).get("tollens", {})
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"the file is not valid TOML: {error}", place=place, next_step="mend the file") from None
    if not isinstance(table, dict):
        raise InputError("[tool.tollens] must be a table", place=place, choices=_KEYS)
    for key, value in table.items():
        if key not in _KEYS:
            raise InputError(f"[tool.tollens] has no setting {key!r}", place=place, expected="a setting", choices=_KEYS, found=key)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise InputError(f"{key} must be a list of paths", place=place, next_step=f'write {key} = ["path"]')
    rules = tuple([file.parent / item for item in table.get("rules", ())])
    roots = tuple([(file.parent / item).resolve().as_posix() for item in table.get("project-roots", ())])
    return Project(rules, roots, file)
