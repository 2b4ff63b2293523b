"""Why: every command of a rule author names packs in the same way: folders, installed packs, and the project's own."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from tollens.engine.bench.installed import find_pack
from tollens.engine.interfaces.project import own


def add_packs(parser: ArgumentParser, *, positional: bool = True) -> None:
    """`DIR ...` or `--rules DIR`, and `--pack NAME` for an installed one."""
    if positional:
        parser.add_argument("folders", nargs="*", metavar="DIR", help="packs of yours, on top of the built-in ones")
    else:
        parser.add_argument("--rules", dest="folders", action="append", default=[], metavar="DIR", help="a rule pack of yours")
    parser.add_argument("--pack", action="append", default=[], metavar="NAME", help="a pack that is installed as a Python package")


def chosen(options: Namespace, more: Sequence[Path] = ()) -> list[Path]:
    """The folders of the packs that a command names, in order."""
    return [*more, *[find_pack(name) for name in options.pack], *map(Path, options.folders)]


def chosen_or_own(options: Namespace) -> list[Path]:
    """The folders of the packs that a command names; where it names none, the project's own packs."""
    return chosen(options) or list(own().rules)
