"""Why: a mistyped command, option or value is answered with the nearest right one and with the help of the command that it was given to."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from tollens.engine.errors import InputError
from tollens.engine.files import plain_name

_MOST_DIGITS = 5


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are InputErrors, which look like all others."""

    #: What was given after the command's name, where it is known: a command of many actions need not prepare all of them.
    rest: Sequence[str] = ()

    def error(self, message: str) -> NoReturn:
        """Raise what argparse has to say."""
        subs = [action for action in self._actions if isinstance(action, argparse._SubParsersAction)]  # noqa: SLF001 - no public name
        choices = [name for action in subs for name in action.choices] if "required" in message else []
        raise InputError(message, choices=choices, next_step=self._help())

    def _help(self) -> str:
        return f"see `{self.prog} --help`"

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """As in argparse, which gives no nearest choice."""
        if action.choices is not None and value not in action.choices:
            option = next(iter(action.option_strings), "")
            what = f"{option} takes no" if option else f"there is no {str(action.metavar or action.dest).lower()}"
            raise InputError(f"{what} {value!r:.80}", choices=map(str, action.choices), found=str(value), next_step=self._help())

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # noqa: ANN401 - argparse's own signature
        """As in argparse, but what is not known is refused here, where the options are known that may have been meant."""
        found, extra = super().parse_known_args(args, namespace)
        if extra:
            self._refuse(extra)
        return found, extra

    def _refuse(self, extra: Sequence[str]) -> NoReturn:
        option = next((text.partition("=")[0] for text in extra if text.startswith("-") and text.strip("-")), "")
        if option:
            known = [max(action.option_strings, key=len) for action in self._actions if action.option_strings]
            raise InputError(f"`{self.prog}` has no option {option:.80}", choices=known, found=option, next_step=self._help())
        raise InputError(f"`{self.prog}` does not know what to do with {extra[0]!r:.80}", next_step=self._help())


class Formatter(argparse.RawDescriptionHelpFormatter):
    """Help as wide as the terminal, asked for without the modules that argparse would import to find out."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)


def _columns() -> int:
    """The terminal's width, or COLUMNS, or 80."""
    named = os.environ.get("COLUMNS", "")
    if named.isdecimal() and len(named) <= _MOST_DIGITS and int(named):
        return int(named)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or 80 if sys.__stdout__ else 80
    except (OSError, ValueError):
        return 80


#: What options and arguments that name a file or folder are called in the parsed arguments.
_PATHS = ("file", "rules", "runs", "project_root", "work_folder", "folders", "folder", "paths", "corpus", "out")


def check_arguments(options: argparse.Namespace) -> None:
    """InputError where a path is empty, or an argument is not valid UTF-8; only the signal's FILE may have a name of any bytes."""
    for name, value in vars(options).items():
        for text in value if isinstance(value, list) else [value]:
            if text == "" and name in _PATHS:
                what = "the name of the file" if name == "file" else f"a path given for {_title(name)}"
                raise InputError(f"{what} is empty", next_step="name a file or folder; `.` is the current folder")
            if isinstance(text, str) and not _is_valid(text) and (options.command, name) != ("diagnose", "file"):
                raise InputError(f"the argument {plain_name(text):.200} is not valid UTF-8", expected="text in UTF-8")


def _title(name: str) -> str:
    return {"folders": "DIR", "paths": "PATH", "folder": "--in"}.get(name, "--" + name.replace("_", "-"))


def _is_valid(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)
