"""Why: `tollens rules check`: a rule author sees everything that is wrong or doubtful in a pack at once, before anything runs."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from tollens.engine.diagnosis.packs import check
from tollens.engine.errors import EXIT_DONE, EXIT_FAULT, InputError, PackError, shown_pages
from tollens.engine.interfaces.packs_of import add_packs, chosen_or_own
from tollens.engine.interfaces.screen import style_of

TYPE_CHECKING = False  # as type checkers read it
if TYPE_CHECKING:
    from tollens.engine.bench.findings import Finding


def add_check(parser: ArgumentParser) -> None:
    """The arguments of `tollens rules check`."""
    add_packs(parser)
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument(
        "--findings",
        action="append",
        default=[],
        metavar="NAME=LEVEL",
        help="off, warn or error for one finding, or for `all`; several with commas; `list` shows them all",
    )


def run_check(options: Namespace) -> int:
    """Check the built-in packs with the given ones, or else the project's own; 2 with errors or findings at that level, else 0."""
    if options.findings == ["list"]:
        return _list()
    levels = _levels(options.findings)
    packs = chosen_or_own(options)
    errors = sorted(check(packs), key=_place)
    found = [] if errors else _findings(packs, levels)
    if options.format == "json":
        data = [error.to_json() for error in errors] + [finding.to_json() for finding in found]
        sys.stdout.write(json.dumps(data, ensure_ascii=True, indent=1) + "\n")
    else:
        style = style_of(sys.stdout)
        told: list[PackError | Finding] = [*errors, *found]
        for line in [line for one in told for line in one.lines()]:
            sys.stdout.write(style.safe(shown_pages(line)) + "\n")
        sys.stdout.write(_closing(errors, found, len(packs)) + "\n")
    return EXIT_FAULT if errors or any(finding.level == "error" for finding in found) else EXIT_DONE


def _findings(packs: list[Path], levels: dict[str, str]) -> list[Finding]:
    """What is doubtful: in the given packs, or in all of the built-in ones."""
    from tollens.engine.bench.findings import findings
    from tollens.engine.bench.packs import gate_subject, subject_of

    subject = subject_of(packs)
    if not packs:
        return [*findings(subject, levels), *findings(gate_subject(), levels)]
    names = [pack.name for pack in subject.book.packs][-len(packs) :]
    shown = {name: Path(subject.packs[name].root) for name in names}
    return [_at_home(finding, shown) for finding in findings(subject, levels, frozenset(names))]


def _at_home(finding: Finding, folders: dict[str, Path]) -> Finding:
    """The finding with its file as the user named it."""
    name, _, path = finding.found.place.file.partition("/")
    place = finding.found.place._replace(file=str(folders[name] / path))
    return finding._replace(found=finding.found._replace(place=place))


def _levels(given: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in [part for text in given for part in text.split(",") if part]:
        name, sign, level = part.partition("=")
        if not sign:
            raise InputError(f"--findings {part!r:.60} names no level", expected="NAME=LEVEL", next_step="write, for example, all=error")
        found[name.strip()] = level.strip()
    return found


def _list() -> int:
    from tollens.engine.bench.findings import checks

    for one in checks().values():
        sys.stdout.write(f"{one.name:26}{one.level:7}{one.says}\n")
    return EXIT_DONE


def _place(error: PackError) -> tuple[str, int, int, str]:
    place = error.place
    return (place.file, place.line, place.column, error.message) if place else ("", 0, 0, error.message)


def _closing(errors: list[PackError], found: list[Finding], given: int) -> str:
    packs = "the built-in packs" + (f" and {_count(given, 'pack')} of yours" if given else "")
    if not errors:
        return f"{packs}: no errors" + (f", {_count(len(found), 'finding')}" if found else "")
    files = {error.place.file for error in errors if error.place}
    return f"{packs}: {_count(len(errors), 'error')}" + (f" in {_count(len(files), 'file')}" if files else "")


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
