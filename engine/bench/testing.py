"""Why: one runner for the command line, pytest and programs: which cases belong to which packs, and what became of each."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from os import fspath
from pathlib import Path
from typing import NamedTuple

from tollens.engine.bench.cases import RIGHT, CaseResult, run_case
from tollens.engine.bench.cases_file import Case, Reviewed, read_contents
from tollens.engine.bench.cases_source import read_file, write_accepted
from tollens.engine.diagnosis.packs import BUILTIN, GATE, gate_rulebook, rulebook
from tollens.engine.errors import InputError
from tollens.engine.rulebook.load import load
from tollens.engine.rulebook.syntax import Rulebook
from tollens.engine.session.choose import choose
from tollens.facts.kind import KindTable

ENDING = ".cases.yaml"
_PAGE = "see docs/cases.md"


class Tested(NamedTuple):
    """A rulebook and the files of cases that are about it; `packs` are the names of the packs that they lie in."""

    book: Rulebook
    files: tuple[Path, ...]
    packs: tuple[str, ...]


class FileCases(NamedTuple):
    """A file of cases with the bytes that it was read from."""

    path: Path
    data: bytes
    cases: tuple[Case, ...]
    equivalent: tuple[Reviewed, ...] = ()
    unreachable: tuple[Reviewed, ...] = ()


class FileResult(NamedTuple):
    """The results of a file's cases, in its order."""

    file: FileCases
    results: tuple[CaseResult, ...]


def run_cases(
    packs: Sequence[Path | str] = (),
    *,
    evaluator: str = "auto",
    filter: str = "",  # noqa: A002 - as on the command line
    alone: bool = False,
) -> list[CaseResult]:
    """Run the cases of packs (none given: of the built-in ones), as `tollens rules test` does.

    A pack is named by its folder, by a folder below it or by one file of cases. `evaluator` is auto, durable_rules or reference; `filter`
    is a glob over the names of cases, their files and the rules that they name; with `alone` the packs stand without the built-in ones.
    Raises PackErrors where packs or files of cases do not fit, InputError where there is no case at all.
    """
    tested = plan([Path(pack) for pack in packs], alone=alone)
    return [result for file in run(tested, evaluator, filter) for result in file.results]


def plan(folders: Sequence[Path], *, alone: bool = False) -> list[Tested]:
    """Which files of cases run over which rulebook. The user's packs make one rulebook, on top of the built-in ones."""
    if not folders:
        folders = [*BUILTIN, GATE]
    roots = [(pack_of(folder), folder) for folder in folders]
    own = [(root, folder) for root, folder in roots if not _builtin(root)]
    tested = []
    for builtin in (*BUILTIN, GATE):
        inside = [folder for root, folder in roots if _same(root, builtin)]
        if inside:
            book = gate_rulebook() if builtin == GATE else rulebook()
            tested.append(Tested(book, _files(inside), (_name(book, -1),)))
    if own:
        users = list(dict.fromkeys(root for root, _ in own))
        book = load((), users, KindTable(), {}) if alone else rulebook(users)
        names = tuple([pack.name for pack in book.packs[-len(users) :]])
        tested.append(Tested(book, _files([folder for _, folder in own]), names))
    if not any(part.files for part in tested):
        shown = ", ".join(fspath(folder) for folder in folders)
        raise InputError(f"there are no cases in {shown}", expected=f"files named *{ENDING} beside the rules", next_step=_PAGE)
    return tested


def pack_of(folder: Path) -> Path:
    """The folder of the pack that a path is, or lies in; the path itself where there is none, which the loader will say."""
    if not folder.exists():
        raise InputError(f"there is no file or folder {folder}", expected="a pack, or a file of cases in one", next_step="check the path")
    if not folder.is_dir() and not folder.name.endswith(ENDING):
        raise InputError(f"{folder} is no file of cases", expected=f"a pack's folder, or a file named *{ENDING}", next_step=_PAGE)
    start = folder if folder.is_dir() else folder.parent
    for place in (start, *start.absolute().parents):
        if (place / "pack.yaml").is_file():
            return place
    return start


def _builtin(root: Path) -> bool:
    return any(_same(root, pack) for pack in (*BUILTIN, GATE))


def _same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()


def _name(book: Rulebook, position: int) -> str:
    return book.packs[position].name


def _files(folders: Sequence[Path]) -> tuple[Path, ...]:
    """The files of cases in these folders, sorted; hidden files and folders are passed over."""
    found: dict[Path, None] = {}
    for folder in folders:
        if not folder.is_dir():
            found[folder] = None
            continue
        for path in sorted(folder.rglob(f"*{ENDING}")):
            if not any(part.startswith(".") for part in path.relative_to(folder).parts):
                found[path] = None
    return tuple(found)


def read_all(tested: Tested) -> list[FileCases]:
    """The cases of a rulebook's files; PackErrors and InputError as reading raises them."""
    read = []
    for path in tested.files:
        data = read_file(path)
        read.append(FileCases(path, data, *read_contents(tested.book, path, data)))
    return read


def run(tested: Sequence[Tested], evaluator: str = "auto", pattern: str = "") -> list[FileResult]:
    """Run all cases that fit the pattern, with one evaluator; InputError where none does."""
    chosen, _ = choose(evaluator)
    done = []
    names: list[str] = []
    for part in tested:
        for file in read_all(part):
            names += [case.name for case in file.cases]
            fitting = [case for case in file.cases if not pattern or fits(case, file.path, pattern)]
            if fitting:
                done.append(FileResult(file, tuple([run_case(part.book, case, chosen) for case in fitting])))
    if not done:
        if pattern:
            message = f"none of {len(names)} cases fits {pattern!r:.80}"
            raise InputError(message, expected="a glob over names of cases, files or rules", choices=names, found=pattern)
        raise InputError("the files of cases hold no case", expected="`cases:` with at least one", next_step=_PAGE)
    return done


def fits(case: Case, path: Path, pattern: str) -> bool:
    """Whether a glob matches a case's name, its file's name or a rule that it names."""
    return any(fnmatchcase(text, pattern) for text in (case.name, path.name, *case.fires, *case.silent))


def accept(results: Sequence[FileResult]) -> list[Path]:
    """Write the explanations that changed, or were not accepted yet, into their files; gives these files."""
    written = []
    for file, cases in results:
        renewed = [item for result in cases for item in result.renewed]
        if renewed:
            write_accepted(file.path, file.data, renewed)
            written.append(file.path)
    return written


def counts(results: Sequence[FileResult]) -> dict[str, int]:
    """How many cases came to each outcome; right first."""
    found = {RIGHT: 0}
    for _, cases in results:
        for result in cases:
            found[result.outcome] = found.get(result.outcome, 0) + 1
    return found
