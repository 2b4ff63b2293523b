"""Why: `tollens rules check`: a rule author sees everything that is wrong with a pack at once, before anything runs."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tollens.engine.diagnosis.packs import check
from tollens.engine.errors import EXIT_DONE, EXIT_FAULT, PackError
from tollens.engine.interfaces.screen import style_of


def run(options: argparse.Namespace) -> int:
    """Check the built-in packs and the given ones on top of them; 0 where all is well, 2 with errors."""
    errors = sorted(check([Path(pack) for pack in options.pack]), key=_place)
    if options.format == "json":
        sys.stdout.write(json.dumps([error.to_json() for error in errors], ensure_ascii=True, indent=1) + "\n")
    else:
        style = style_of(sys.stdout)
        for error in errors:
            for line in error.lines():
                sys.stdout.write(style.safe(line) + "\n")
        sys.stdout.write(_closing(errors, len(options.pack)) + "\n")
    return EXIT_FAULT if errors else EXIT_DONE


def _place(error: PackError) -> tuple[str, int, int, str]:
    place = error.place
    return (place.file, place.line, place.column, error.message) if place else ("", 0, 0, error.message)


def _closing(errors: list[PackError], given: int) -> str:
    packs = "the built-in packs" + (f" and {_count(given, 'pack')} of yours" if given else "")
    if not errors:
        return f"{packs}: no errors"
    files = {error.place.file for error in errors if error.place}
    return f"{packs}: {_count(len(errors), 'error')}" + (f" in {_count(len(files), 'file')}" if files else "")


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
