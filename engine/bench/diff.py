"""Why: an edit of a rule is safe when it is known which past verdicts it changes, and which rule did it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tollens.engine.bench.diff_blame import changed_parts, culprits
from tollens.engine.diagnosis.driver import Diagnosed, Options, diagnose
from tollens.engine.diagnosis.packs import BUILTIN, GATE, rulebook
from tollens.engine.errors import InputError, TollensError
from tollens.engine.rulebook.source.snapshot import PACK_FILE
from tollens.engine.rulebook.syntax import Rulebook
from tollens.engine.session.evaluator import Evaluator
from tollens.facts.values import digest

#: Bytes of one signal of a corpus; larger files are passed over and counted.
SIGNAL_LIMIT = 8 * 1024 * 1024
#: Parts of a result that name the rules or the machine, not what they say.
_ASIDE = ("pack", "run_id", "evaluator", "evidence_pack_id")
#: The parts of a result by what a change of them means; all others are reasons.
_VERDICT = ("outcome", "failure_class", "citation_gate", "hierarchy_populated")
_RANKING = ("root_cause_sites", "alternatives", "other_failures")


class Change(NamedTuple):
    """One part of a result that differs: its path, what it is (verdict, ranking or reason), before and after as JSON values or None."""

    path: str
    what: str
    before: object
    after: object


class Changed(NamedTuple):
    """One signal whose result differs: its name in the corpus, what differs, and the ids of the rules (or places of rows) that did it."""

    name: str
    changes: tuple[Change, ...]
    by: tuple[str, ...]

    @property
    def fingerprint(self) -> str:
        """What stands for this change in a file of accepted ones."""
        return digest(self.name, *[f"{c.path}\0{c.before!r}\0{c.after!r}" for c in self.changes])


class Compared(NamedTuple):
    """A corpus under two states of a pack: what changes, how many signals were compared, and what could not be read, with the reason."""

    changed: tuple[Changed, ...]
    compared: int
    unread: tuple[tuple[str, str], ...]


def books(old: Path | None, new: Path | None) -> tuple[Rulebook, Rulebook]:
    """The two rulebooks; None stands for the built-in packs alone. A pack that has a built-in one's name takes its place."""
    return _book(old), _book(new)


def _book(pack: Path | None) -> Rulebook:
    if pack is None:
        return rulebook()
    if _same_name(pack, GATE):
        raise InputError("the repair gate's pack decides about attempts, not about signals", next_step="compare its cases instead")
    return rulebook((), builtin=(pack,)) if any(_same_name(pack, own) for own in BUILTIN) else rulebook([pack])


def _same_name(pack: Path, own: Path) -> bool:
    """Whether the two folders say `name:` alike."""
    return (name := _name(pack)) != "" and name == _name(own)


def _name(pack: Path) -> str:
    try:
        lines = (pack / PACK_FILE).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].split("#")[0].strip(" \"'") for line in lines if line.startswith("name:")), "")


def signals(corpus: Path, pattern: str = "*") -> list[Path]:
    """The files of a corpus, sorted; hidden files and folders are passed over. InputError where there is nothing."""
    if not corpus.exists():
        raise InputError(f"there is no corpus {corpus}", expected="a folder with raw outputs of failed runs", next_step="check the path")
    if corpus.is_file():
        return [corpus]
    files = [path for path in sorted(corpus.rglob(pattern)) if path.is_file()]
    files = [path for path in files if not any(part.startswith(".") for part in path.relative_to(corpus).parts)]
    if not files:
        raise InputError(f"{corpus} holds no file that fits {pattern!r:.60}", expected="raw outputs of failed runs")
    return files


def compare(old: Rulebook, new: Rulebook, corpus: Path, files: Sequence[Path], evaluator: Evaluator, roots: Sequence[str] = ()) -> Compared:
    """Diagnose every signal under both rulebooks. What cannot be read is told, and what cannot be diagnosed has an error as its verdict."""
    changed: list[Changed] = []
    unread: list[tuple[str, str]] = []
    parts = changed_parts(old, new)
    same = old.digest == new.digest
    for file in files:
        name = file.relative_to(corpus).as_posix() if file != corpus else file.name
        try:
            with file.open("rb") as stream:
                data = stream.read(SIGNAL_LIMIT + 1)
        except OSError as error:
            unread.append((name, error.strerror or str(error)))
            continue
        if len(data) > SIGNAL_LIMIT:
            unread.append((name, f"larger than {SIGNAL_LIMIT} bytes"))
            continue
        if same:
            continue
        options = Options(name, tuple(roots))
        before, after = _run(data, old, evaluator, options), _run(data, new, evaluator, options)
        changes = tuple(differences(before, after))
        if changes:
            changed.append(Changed(name, changes, tuple(_blame(before, after, changes, parts))))
    return Compared(tuple(changed), len(files) - len(unread), tuple(unread))


def _run(data: bytes, book: Rulebook, evaluator: Evaluator, options: Options) -> Diagnosed | TollensError:
    try:
        return diagnose(data, book, evaluator, options)
    except TollensError as error:
        return error


def _blame(
    before: Diagnosed | TollensError, after: Diagnosed | TollensError, changes: Sequence[Change], parts: frozenset[str]
) -> list[str]:
    if isinstance(before, TollensError) or isinstance(after, TollensError):
        return sorted(parts)
    return culprits(before, after, [change.path for change in changes], parts)


def differences(before: Diagnosed | TollensError, after: Diagnosed | TollensError) -> Iterator[Change]:
    """The parts of two results that differ, verdicts first, then rankings, then reasons; each by the path of its value."""
    one, other = dict(_leaves(_result(before), "")), dict(_leaves(_result(after), ""))
    paths = [path for path in dict.fromkeys([*one, *other]) if one.get(path) != other.get(path)]
    found = [Change(path, _what(path), one.get(path), other.get(path)) for path in paths]
    yield from sorted(found, key=lambda change: ("verdict", "ranking", "reason").index(change.what))


def _result(run: Diagnosed | TollensError) -> Mapping[str, object]:
    if isinstance(run, TollensError):
        return {"outcome": f"error: {run.message}"}
    return {name: value for name, value in run.result.items() if name not in _ASIDE}


def _what(path: str) -> str:
    names = path.replace("[", ".").split(".")
    if names[0] in _RANKING:
        return "ranking"
    return "verdict" if names[-1] in _VERDICT and names[0] in (*_VERDICT, "diagnosis", "classification") else "reason"


def _leaves(value: object, path: str) -> Iterator[tuple[str, object]]:
    """Every value that is not a container, by its path; digests are left out, as they change with whatever they stand for."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            if name not in ("digest", "evidence_pack_id"):
                yield from _leaves(item, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list | tuple):
        for number, item in enumerate(value):
            yield from _leaves(item, f"{path}[{number}]")
    else:
        yield path, value
