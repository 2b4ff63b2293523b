"""Why: a rule's page is made from what the rule is: its sentence, conditions, rivals and cases; so it cannot say anything else."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tollens.engine.bench.cards_words import card
from tollens.engine.bench.cases import fired
from tollens.engine.bench.graph import word
from tollens.engine.bench.packs import gate_subject, subject_of
from tollens.engine.bench.subject import Subject
from tollens.engine.errors import InputError
from tollens.engine.rulebook.build.entries import Entry

INDEX = "README.md"
#: Cases that a page names at most.
SHOWN_CASES = 5


def pages(user: Sequence[Path] = ()) -> dict[str, str]:
    """Path to text of all pages: of the given packs, or of the built-in ones and the repair gate."""
    made: dict[str, str] = {}
    lists: list[str] = []
    subjects = [subject_of(user)] if user else [subject_of(), gate_subject()]
    for subject in subjects:
        names = [pack.name for pack in subject.book.packs]
        for pack in names[-len(user) :] if user else names:
            cards = dict(_cards(subject, pack))
            made |= cards
            lists += _index(subject, pack)
    head = ["# The rules", "", "One page for each rule, made from the rules themselves by `tollens rules docs`.", ""]
    return {INDEX: "\n".join([*head, *lists]).rstrip("\n") + "\n", **made}


def _cards(subject: Subject, pack: str) -> Iterator[tuple[str, str]]:
    cases = _cases(subject)
    for entry in subject.entries:
        if entry.meta.pack == pack:
            yield f"{pack}/{entry.meta.id}.md", "\n".join(card(subject, entry, cases.get(entry.meta.id, ()))) + "\n"


def _cases(subject: Subject) -> Mapping[str, Sequence[str]]:
    """For each entry, the names of the first cases of its pack that name it in `fires`, or else of those in whose session it takes part."""
    mine = {entry.meta.id: entry.meta.pack for entry in subject.entries if entry.meta.pack in subject.asked}
    found: dict[str, list[str]] = {}
    for pack, case in subject.cases:
        for name in case.fires:
            if mine.get(name) == pack:
                found.setdefault(name, []).append(case.name)
    unnamed = {name for name in mine if name not in found}
    for pack, case, session in subject.sessions() if unnamed else ():
        for name in fired(session) & unnamed:
            if mine[name] == pack:
                found.setdefault(name, []).append(case.name)
    return {name: cases[:SHOWN_CASES] for name, cases in found.items()}


def _index(subject: Subject, pack: str) -> Iterator[str]:
    yield f"## {pack}"
    yield ""
    for stage in subject.book.stages:
        mine = [entry for entry in subject.entries if entry.meta.pack == pack and entry.meta.stage == stage.name]
        if mine:
            yield f"- **{stage.name}**"
            yield from [f"  - {_link(pack, entry)} ({word(entry)})" for entry in mine]
    yield ""


def _link(pack: str, entry: Entry) -> str:
    return f"[{entry.meta.id}]({pack}/{entry.meta.id}.md)"


def stale(folder: Path, made: Mapping[str, str]) -> list[str]:
    """The pages that are not on the disk as they would be written, and pages of the same packs that nothing stands for any more."""
    old = [name for name, text in made.items() if _text(folder / name) != text]
    packs = {name.partition("/")[0] for name in made if "/" in name}
    there = [path.relative_to(folder).as_posix() for pack in sorted(packs) for path in sorted((folder / pack).glob("*.md"))]
    return old + [name for name in there if name not in made]


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def write(folder: Path, made: Mapping[str, str]) -> None:
    """Write all pages that differ and remove those that nothing stands for any more; InputError where that cannot be done."""
    for name in stale(folder, made):
        path = folder / name
        try:
            if name not in made:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            waiting = path.with_name(f".{path.name}.{os.getpid()}.tmp")
            waiting.write_text(made[name], encoding="utf-8", newline="\n")
            os.replace(waiting, path)
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror}", next_step="check the folder and its permissions") from None
