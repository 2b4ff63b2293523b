"""Why: the next rule to write is the one that most failures wait for; this groups the failures that no rule explains."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tollens.engine.diagnosis.driver import Diagnosed, Options, diagnose
from tollens.engine.errors import InputError, TollensError
from tollens.engine.rulebook.syntax import Rulebook
from tollens.engine.session.evaluator import Evaluator

#: The most that is read of one signal, in bytes.
MAX_SIGNAL = 64 * 1024 * 1024
_SHAPES = (
    (re.compile(r"0x[0-9a-fA-F]+"), "ADDRESS"),
    (re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`"), "'...'"),
    (re.compile(r"(?:[A-Za-z]:)?[\\/][^\s:,]+"), "PATH"),
    (re.compile(r"\d+"), "#"),
)
_SHAPE_LIMIT = 80


class Unexplained(NamedTuple):
    """Failures alike that no rule explains: why not, what they share, and the names of the signals."""

    why: str
    class_name: str
    shape: str
    patterns: tuple[str, ...]
    signals: tuple[str, ...]


class Corpus(NamedTuple):
    """A folder of signals after its diagnosis; `failed` are signals whose session ended with an error."""

    folder: str
    signals: int
    groups: tuple[Unexplained, ...]
    failed: tuple[tuple[str, str], ...]

    @property
    def unexplained(self) -> int:
        """How many signals no rule explains."""
        return sum(len(group.signals) for group in self.groups)


def signals_of(folder: Path) -> list[tuple[str, Path]]:
    """The signals of a corpus: `NAME/signal.txt` for each folder that has one, and every other `*.txt`; InputError where there is none."""
    if not folder.is_dir():
        raise InputError(f"there is no folder {folder}", expected="a folder of signals", next_step="check the path")
    found: list[tuple[str, Path]] = []
    for path in sorted(folder.rglob("*.txt")):
        name = path.relative_to(folder)
        if path.name == "signal.txt":
            found.append((name.parent.as_posix() if name.parent.parts else "signal.txt", path))
        elif not (path.parent / "signal.txt").is_file():
            found.append((name.as_posix(), path))
    if not found:
        raise InputError(
            f"there is no signal in {folder}", expected="folders with a signal.txt, or *.txt files", next_step="check the path"
        )
    return found


def corpus_coverage(folder: Path, book: Rulebook, evaluator: Evaluator, progress: Callable[[str], None] | None = None) -> Corpus:
    """Diagnose every signal of a corpus and group those that are explained by nothing but what is true of every signal."""
    signals = signals_of(folder)
    groups: dict[tuple[str, str, str], list[tuple[str, tuple[str, ...]]]] = {}
    failed = []
    for name, path in signals:
        try:
            with path.open("rb") as stream:
                data = stream.read(MAX_SIGNAL)
            done = diagnose(data, book, evaluator, Options(name))
        except OSError as error:
            failed.append((name, f"it cannot be read: {error.strerror}"))
            continue
        except TollensError as error:
            failed.append((name, error.message))
            continue
        if progress is not None:
            progress(name)
        why = unexplained(done)
        if why:
            class_name, message = _primary(done)
            groups.setdefault((why, class_name, shape(message)), []).append((name, _patterns(done)))
    found = [
        Unexplained(*key, _shared([patterns for _, patterns in members]), tuple([name for name, _ in members]))
        for key, members in groups.items()
    ]
    found.sort(key=lambda group: (-len(group.signals), group[:3]))
    return Corpus(str(folder), len(signals), tuple(found), tuple(failed))


def unexplained(done: Diagnosed) -> str:
    """Why no rule explains a run ("" where one does): it came to no diagnosis of a failure, or its class has the worst of all fits."""
    store = done.session.store
    for outcome in store.facts("outcome"):
        if outcome.get("value") == "insufficient_evidence":
            return f"{outcome.get('value')}: {outcome.get('why')}"
    for primary in store.facts("primary"):
        for classified in store.facts("classified"):
            if classified.get("signal") == primary.get("signal") and classified.get("fit") == classified.kind.field("fit").choices[0]:
                return f"no class fits: {classified.get('subreason')}"
    return ""


def shape(message: str) -> str:
    """The first line of a message with what varies left out: numbers, addresses, quoted texts, paths."""
    text = message.strip().split("\n", maxsplit=1)[0]
    for pattern, stands in _SHAPES:
        text = pattern.sub(stands, text)
    return text if len(text) <= _SHAPE_LIMIT else text[: _SHAPE_LIMIT - 3] + "..."


def _primary(done: Diagnosed) -> tuple[str, str]:
    store = done.session.store
    for primary in store.facts("primary"):
        signal = store.get(str(primary.get("signal")))
        if signal is not None:
            return str(signal.get("class_name") or "(no class)"), str(signal.get("message") or "")
    return "(no signal)", ""


def _patterns(done: Diagnosed) -> tuple[str, ...]:
    return tuple(sorted({str(fact.get("pattern")) for fact in done.session.store.facts("match")}))


def _shared(lists: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """What all lists have in common, in the order of the first."""
    return tuple([item for item in lists[0] if all(item in other for other in lists)])


def lines(corpus: Corpus) -> Iterator[str]:
    """The report for people."""
    yield f"{corpus.folder}: {corpus.signals} signals, {corpus.signals - corpus.unexplained - len(corpus.failed)} explained"
    for group in corpus.groups:
        yield f"  {len(group.signals)} x {group.class_name}: {group.shape or '(no message)'} - {group.why}"
        if group.patterns:
            yield f"      all match {', '.join(group.patterns)}"
        yield f"      {', '.join(group.signals[:6])}{', ...' if len(group.signals) > 6 else ''}"
    for name, message in corpus.failed:
        yield f"  failed: {name}: {message}"
