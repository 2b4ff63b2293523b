"""Why: what a program hands to the engine is checked where it comes in, so that a wrong type is an InputError that names the right one."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NoReturn, TypeVar

from tollens.engine.errors import InputError
from tollens.engine.files import plain_name

T = TypeVar("T")

PATH = "a path (str or os.PathLike)"


def checked(name: str, value: object, expected: str, kind: type[T]) -> T:
    """The value, which must be of that type; a bool is no number."""
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        _refuse(name, value, expected)
    return value


def text(name: str, value: object) -> str:
    """A text."""
    return checked(name, value, "a str", str)


def optional_text(name: str, value: object) -> str | None:
    """A text as valid Unicode, or None."""
    return None if value is None else plain_name(checked(name, value, "a str, or None", str))


def number(name: str, value: object) -> float:
    """An int or a float."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        _refuse(name, value, "a number")
    return value


def path(name: str, value: object, expected: str = PATH) -> str:
    """A path as a text, which is not empty and holds no NUL character."""
    found = value if isinstance(value, str) else _as_path(name, value, expected)
    if not found or "\0" in found:
        raise InputError(f"{name} is {'a path with a NUL character' if found else 'an empty path'}", expected=expected)
    return found


def _as_path(name: str, value: object, expected: str) -> str:
    found = os.fspath(value) if isinstance(value, os.PathLike) else None
    if not isinstance(found, str):
        _refuse(name, value, expected)
    return found


def paths(name: str, values: object) -> list[str]:
    """A list of paths; a lone text is not read letter by letter."""
    expected = f'a list of paths, such as {name}=["folder"]'
    if isinstance(values, str | bytes | os.PathLike) or not isinstance(values, Iterable):
        _refuse(name, values, expected)
    return [path(f"{name}[{position}]", value) for position, value in enumerate(values)]


def absolute(name: str, value: object) -> str:
    """A path as an absolute one; links stay."""
    given = path(name, value)
    try:
        return os.path.abspath(given)
    except OSError as error:
        raise InputError(f"{name} {given!r:.80} cannot be found: {error.strerror}", next_step="give an absolute path") from None


def root(name: str, value: str) -> str:
    """A project root as an absolute path without links, in valid Unicode, with `/`."""
    try:
        found = os.path.realpath(value)
    except OSError as error:
        raise InputError(f"{name} {value!r:.80} cannot be found: {error.strerror}", next_step="give an absolute path") from None
    return plain_name(found.replace(os.sep, "/"))


def _refuse(name: str, value: object, expected: str) -> NoReturn:
    raise InputError(f"{name} is {_called(value)}", expected=expected)


def _called(value: object) -> str:
    """A value as an error shows it."""
    return "None" if value is None else f"of type {type(value).__name__}: {value!r:.60}"
