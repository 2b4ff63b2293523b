"""Why: what loads can still be a mistake; each such doubt has a name, a level and a page, and a pack can switch it with a reason."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from tollens.engine.bench.settings import LEVELS, OFF, setting_for
from tollens.engine.bench.subject import Subject
from tollens.engine.errors import InputError
from tollens.engine.rulebook.syntax import Meta, Place

PAGE = "docs/findings.md"


class Found(NamedTuple):
    """One doubt: where, about which id (a rule, kind or pack), a sentence, and the next step."""

    place: Place
    about: str
    message: str
    next_step: str


class Finding(NamedTuple):
    """A doubt with the name of its check and the level that the pack gives it (warn or error)."""

    name: str
    level: str
    found: Found

    def lines(self) -> list[str]:
        """The finding as a person reads it, like an error of the loader."""
        word = "error" if self.level == "error" else "warning"
        place, _, message, step = self.found
        return [f"{place}: {word}: {message} [{self.name}]", f"  next: {step}; see {PAGE}#{self.name}"]

    def to_json(self) -> dict[str, object]:
        """The finding with the fields of an error, and `finding`, `level` and `about`."""
        place = self.found.place
        return {
            "code": "finding",
            "finding": self.name,
            "level": self.level,
            "about": self.found.about,
            "message": self.found.message,
            "place": {"file": place.file, "line": place.line, "column": place.column},
            "next": self.found.next_step,
        }


Look = Callable[[Subject], Iterable[Found]]


class Check(NamedTuple):
    """A named check: one sentence on what it finds, its level where nobody says otherwise, and the function that looks."""

    name: str
    says: str
    level: str
    look: Look


_CHECKS: dict[str, Check] = {}
_MODULES = ("rules", "kinds", "orders", "patterns", "cases", "limits", "disagreements")


def check(name: str, says: str, level: str = "warn") -> Callable[[Look], Look]:
    """A decorator that enters a function as a check."""

    def enter(look: Look) -> Look:
        assert name not in _CHECKS, name
        _CHECKS[name] = Check(name, says, level, look)
        return look

    return enter


def checks() -> Mapping[str, Check]:
    """All checks by name, in the order of their modules."""
    for module in _MODULES:
        importlib.import_module(f"tollens.engine.bench.find_{module}")
    return _CHECKS


def at(meta: Meta, message: str, next_step: str) -> Found:
    """A doubt about an entry of a rule file."""
    return Found(meta.place, meta.id, message, next_step)


def findings(subject: Subject, given: Mapping[str, str] | None = None, only: frozenset[str] | None = None) -> list[Finding]:
    """What the checks find in a rulebook, by file and line, without what the packs switch off.

    `given` are levels by name of a check (or `all`) that override the packs' settings; `only` are the packs that are asked about.
    InputError for a name or level in `given` that there is not.
    """
    given = given or {}
    _validate(given)
    found: list[Finding] = []
    for each in checks().values():
        if _silent(subject, each.name, given):
            continue
        told = list(each.look(subject))
        if not given and each.name not in _PASSES_OVER:
            found += _unused(subject, each.name, told)
        for one in told:
            pack = one.place.file.partition("/")[0]
            if only is not None and pack not in only:
                continue
            setting = setting_for(subject.settings.get(pack, ()), each.name, one.about)
            level = given.get(each.name) or given.get("all") or (setting.level if setting else each.level)
            if level != OFF:
                found.append(Finding(each.name, level, one))
    found += _unknown(subject)
    mine = [one for one in found if only is None or one.found.place.file.partition("/")[0] in only]
    return sorted(mine, key=lambda one: (one.found.place, one.name, one.found.message))


def _silent(subject: Subject, name: str, given: Mapping[str, str]) -> bool:
    """Whether a check need not look: the caller switches it off, or all packs that are asked about do so for everything."""
    wanted = given.get(name, given.get("all"))
    if wanted is not None:
        return wanted == OFF
    mine = [[one for one in subject.settings.get(pack, ()) if one.name == name] for pack in subject.asked]
    return all(settings and all(one.level == OFF and not one.only for one in settings) for settings in mine)


#: Checks that do not look at what the settings switch off.
_PASSES_OVER = ("rule-without-case",)


def _unused(subject: Subject, name: str, told: Sequence[Found]) -> Iterator[Finding]:
    """Settings of the packs that switch off, for some ids, what is not found there any more."""
    for pack in subject.asked:
        abouts = {one.about for one in told if one.place.file.partition("/")[0] == pack}
        for setting in subject.settings.get(pack, ()):
            for about in setting.only if setting.name == name and setting.level == OFF else ():
                if about not in abouts:
                    message = f"{name} is switched off for {about}, where it is not found"
                    yield Finding("unused-setting", "warn", Found(setting.place, about, message, f"remove {about} from `only`"))


def _unknown(subject: Subject) -> Iterator[Finding]:
    """Settings of the packs for checks that there are not, and for what they do not name."""
    for settings in subject.settings.values():
        for setting in settings:
            if setting.name not in checks():
                step = f"write one of: {', '.join(checks())}"
                yield Finding("unknown-finding", "error", Found(setting.place, setting.name, f"there is no finding {setting.name!r}", step))


def _validate(given: Mapping[str, str]) -> None:
    for name, level in given.items():
        if name != "all" and name not in checks():
            raise InputError(f"there is no finding {name!r:.60}", expected="a finding, or all", choices=["all", *checks()], found=name)
        if level not in LEVELS:
            raise InputError(f"a finding has no level {level!r:.60}", expected="a level", choices=LEVELS, found=level)
