"""Why: errors name pages of the documentation, and whoever installed Tollens has no folder with them at hand: `tollens docs` shows them."""

from __future__ import annotations

import os
import re
import sys
from argparse import ArgumentParser, Namespace

import tollens.facts
from tollens.engine.errors import EXIT_DONE, InputError
from tollens.engine.files import read_regular

#: The pages, beside the vocabulary in a checkout as in an installation.
FOLDER = os.path.join(os.path.dirname(os.path.dirname(tollens.facts.__file__)), "docs")
_HEADING = re.compile(r"(#{1,6}) +(.*?)\s*#*\s*")
_SUFFIX = ".md"


def add_arguments(parser: ArgumentParser) -> None:
    """The arguments of `tollens docs`."""
    parser.add_argument("page", nargs="?", default="", metavar="PAGE[#SECTION]", help="a page or a section of one; without it, a list")


def run(options: Namespace) -> int:
    """Print a page, a section of it, or the list of pages."""
    name, _, section = options.page.partition("#")
    pages = _pages()
    if not name:
        width = max([len(page) for page in pages], default=0)
        shown = [f"{page:{width}}  {next(iter(_lines(page)), '').lstrip('# ')}" for page in pages]
    else:
        name = name.removeprefix("docs/").removesuffix(_SUFFIX)
        if name not in pages:
            raise InputError(f"there is no page {name!r:.80}", expected="a page", choices=pages, found=name, next_step="see `tollens docs`")
        shown = _section(name, section) if section else _lines(name)
    for line in shown:
        sys.stdout.write(line + "\n")
    return EXIT_DONE


def _pages() -> list[str]:
    try:
        names = sorted(os.listdir(FOLDER))
    except OSError:
        raise InputError("the pages are not installed", next_step="install tollens again") from None
    return [name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX) and name != "README.md"]


def _lines(page: str) -> list[str]:
    return read_regular(os.path.join(FOLDER, page + _SUFFIX)).decode("utf-8").splitlines()


def _section(page: str, wanted: str) -> list[str]:
    """The lines from a heading up to the next one that is not below it."""
    lines = _lines(page)
    headings = _headings(lines)
    for position, (start, level, anchor) in enumerate(headings):
        if anchor == wanted.lower():
            end = next((line for line, other, _ in headings[position + 1 :] if other <= level), len(lines))
            return lines[start:end]
    raise InputError(
        f"the page {page} has no section {wanted!r:.80}",
        expected="a section",
        choices=[anchor for _, _, anchor in headings],
        found=wanted,
        next_step=f"see `tollens docs {page}`",
    )


def _headings(lines: list[str]) -> list[tuple[int, int, str]]:
    """Line (from 0), level and anchor of each heading that stands outside of a code block."""
    found: list[tuple[int, int, str]] = []
    fenced = False
    for number, line in enumerate(lines):
        if line.startswith("```"):
            fenced = not fenced
        heading = None if fenced else _HEADING.fullmatch(line)
        if heading:
            anchor = re.sub(r"[^\w\- ]", "", heading[2].lower()).replace(" ", "-")
            found.append((number, len(heading[1]), anchor))
    return found
