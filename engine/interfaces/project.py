"""Why: what a user says once per project: the `[tool.tollens]` table of the pyproject.toml above the current folder."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, NamedTuple

from tollens.engine.errors import InputError
from tollens.engine.files import plain_name, read_regular
from tollens.engine.rulebook.syntax import Place

_KEYS = ("packs", "rules", "project-roots", "project-packages")
_NAME = b"tollens"
_TABLE = re.compile(r"^[ \t]*\[[ \t]*tool[ \t]*\.[ \t]*tollens\b", re.MULTILINE)
_AT = re.compile(r"\(at line (\d+), column (\d+)\)")


class Project(NamedTuple):
    """Rule packs and roots, as absolute paths; the settings file, where there is one; what was passed over, as sentences."""

    rules: tuple[Path, ...] = ()
    roots: tuple[str, ...] = ()
    file: Path | None = None
    notices: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()


def own() -> Project:
    """The settings of the project that the current folder is in, and notices said; none where there is no current folder any more."""
    try:
        here = Path.cwd()
    except OSError:
        return Project()
    found = settings(here)
    if found.notices:
        from tollens.engine.interfaces.say import notice  # here, as there is seldom anything to say

        for text in found.notices:
            notice(text)
    return found


def settings(start: Path) -> Project:
    """The table of the nearest pyproject.toml that has one; InputError names what is wrong with it."""
    passed: list[str] = []
    for folder in (start, *start.parents):
        file = folder / "pyproject.toml"
        try:
            data = read_regular(file)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            passed.append(f"{file} was passed over: {error.strerror or error}")
            continue
        found = _read(file, data, passed)
        if found is not None:
            return found._replace(notices=tuple(passed))
    return Project(notices=tuple(passed))


def _read(file: Path, data: bytes, passed: list[str]) -> Project | None:
    """The settings in a file; None where it has none, or is passed over."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        if b"[tool.tollens" in data:
            column = error.start - data.rfind(b"\n", 0, error.start)
            raise InputError(
                "the file is not UTF-8 text", place=Place(str(file), line, column), expected="UTF-8", next_step="save the file in UTF-8"
            ) from None
        passed.append(f"{file} was passed over: it is not UTF-8 text (line {line})")
        return None
    if _NAME not in data:
        return None
    import tomllib  # here: most commands find no table

    try:
        whole = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        if _TABLE.search(text):
            place = _place_of(file, text, error)
            raise InputError(f"the file is not valid TOML: {error}", place=place, next_step="mend the file") from None
        passed.append(f"{file} was passed over: it is not valid TOML: {error}")
        return None
    tool = whole.get("tool")
    if not isinstance(tool, dict) or "tollens" not in tool:
        return None
    return _checked(file, text, tool["tollens"])


def _checked(file: Path, text: str, table: Any) -> Project:  # noqa: ANN401 - TOML holds anything
    if not isinstance(table, dict):
        raise InputError("[tool.tollens] must be a table", place=_at(file, text, "tollens"), choices=_KEYS)
    for key, value in table.items():
        place = _at(file, text, key)
        if key not in _KEYS:
            raise InputError(f"[tool.tollens] has no setting {key!r}", place=place, expected="a setting", choices=_KEYS, found=key)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            what = "names" if key.endswith(("packs", "packages")) else "paths"
            raise InputError(f"{key} must be a list of {what}", place=place, next_step=f'write {key} = ["{what[:-1]}"]')
        if any("\0" in item or not item for item in value):
            raise InputError(f"{key} holds an empty path, or one with a NUL character", place=place, expected="paths of folders")
    rules = (*_installed(table.get("packs", ())), *[file.parent / item for item in table.get("rules", ())])
    roots = tuple([plain_name(os.path.realpath(file.parent / item)) for item in table.get("project-roots", ())])
    return Project(rules, tuple([Path(root).as_posix() for root in roots]), file, (), tuple(table.get("project-packages", ())))


def _installed(names: list[str]) -> list[Path]:
    if not names:
        return []
    from tollens.engine.bench.installed import find_pack  # here, as looking among installed packages takes its time

    return [find_pack(name) for name in names]


def _at(file: Path, text: str, key: str) -> Place:
    """Where a key of the table is written; where the table begins, if it cannot be found."""
    header = _TABLE.search(text)
    start = header.start() if header else 0
    found = re.compile(rf"""(?:^|[{{,.\s])(["']?{re.escape(key)}["']?)\s*[=.]""", re.MULTILINE).search(text, start)
    offset = found.start(1) if found else start
    return Place(str(file), text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))


def _place_of(file: Path, text: str, error: ValueError) -> Place:
    """Where TOML went wrong, as the message says; its end, where that is what is wrong."""
    found = _AT.search(str(error))
    if found:
        return Place(str(file), int(found[1]), int(found[2]))
    lines = text.rstrip("\n").split("\n")
    return Place(str(file), len(lines), len(lines[-1]) + 1)
