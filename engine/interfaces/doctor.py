"""Why: `tollens doctor` says what is installed, which evaluator decides, and the exact command for what is missing."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from tollens.engine.errors import TollensError

TYPE_CHECKING = False  # as type checkers read it
if TYPE_CHECKING:
    from tollens.engine.rulebook.syntax import Rulebook

ENGINE_MODULE = "durable_rules_engine"
ENGINE_RELEASE = "durable-rules==2.0.28"
OLDEST = (3, 11)
_ABOVE = "install what is missing above"


class Check(NamedTuple):
    """One line of the report. State: `ok`; `note`, it works with less; `fault`, something must be done. `next` is how to put it right."""

    name: str
    state: str
    detail: str
    next: str = ""


def engine_command(python: tuple[int, int], executable: str = "python") -> str:
    """The command that builds durable_rules for this Python.

    Python 3.13 dropped PyEval_CallObject, which its C source calls; without the setting the build succeeds and the import fails.
    """
    command = f"{executable} -m pip install --force-reinstall --no-cache-dir --no-binary durable-rules {ENGINE_RELEASE}"
    return command if python < (3, 13) else f'CC="gcc -DPyEval_CallObject=PyObject_CallObject" {command}'


def _release(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return ""


def _python() -> Check:
    found = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] < OLDEST:
        return Check("python", "fault", found, "use Python 3.11 or later")
    return Check("python", "ok", f"{found} at {sys.executable}")


def _tollens() -> Check:
    from tollens.engine.version import __version__

    return Check("tollens", "ok", __version__)


def evaluator_check(importer: Callable[[str], object] = import_module) -> Check:
    """Which evaluator decides here; the reference evaluator stands in for durable_rules, with the same results."""
    release = _release("durable-rules")
    command = engine_command(sys.version_info[:2], sys.executable)
    try:
        importer(ENGINE_MODULE)
    except ImportError as error:
        why = f"{release} is installed but does not import: {error}" if release else "is not installed"
        return Check("evaluator", "note", f"reference (the same results, slower on big inputs); durable_rules {why}", command)
    return Check("evaluator", "ok", f"durable_rules {release}".rstrip())


def _library(name: str, module: str, distribution: str, why: str) -> Check:
    try:
        import_module(module)
    except ImportError as error:
        return Check(name, "fault", f"needed for {why}: {error}", f"{sys.executable} -m pip install {distribution}")
    return Check(name, "ok", _release(distribution))


def folder_check(name: str, folder: Path) -> Check:
    """Whether a folder exists and can be written, or could be made. Nothing is created."""
    place = folder
    while not os.path.exists(place) and place != place.parent:  # unlike Path.exists, false also where it cannot be found out
        place = place.parent
    writable = os.path.isdir(place) and os.access(place, os.W_OK | os.X_OK)
    if not writable:
        return Check(name, "note", f"{folder} cannot be written", f"make {place} writable, or go on without what is kept there")
    return Check(name, "ok", str(folder) if place == folder else f"{folder} (made when first needed)")


def _packs() -> Check:
    from tollens.engine.diagnosis.packs import rulebook

    try:
        return Check("packs", "ok", _named(rulebook(cached=False)))
    except ImportError as error:
        return Check("packs", "fault", f"cannot be read: {error}", _ABOVE)
    except TollensError as error:
        return Check("packs", "fault", "; ".join(error.lines()), "reinstall tollens")


def _project() -> list[Check]:
    """The settings of the project that the current folder is in, where there are any, and the rules that they make."""
    from tollens.engine.diagnosis.packs import rulebook
    from tollens.engine.interfaces.project import settings

    try:
        here = Path.cwd()
    except OSError as error:
        return [Check("settings", "note", f"there is no current folder: {error.strerror}", "change to a folder that is there")]
    try:
        found = settings(here)
    except TollensError as error:
        return [Check("settings", "fault", "; ".join(error.lines()), "mend the setting")]
    checks = [Check("settings", "note", text, "save it as TOML in UTF-8, if it is the project's") for text in found.notices]
    if found.file is not None:
        checks.append(Check("settings", "ok", str(found.file)))
    if found.rules:
        try:
            checks.append(Check("in use", "ok", _named(rulebook(found.rules, cached=False))))
        except ImportError as error:
            checks.append(Check("in use", "fault", f"cannot be read: {error}", _ABOVE))
        except TollensError as error:
            checks.append(Check("in use", "fault", "; ".join(error.lines()), "run `tollens rules check`"))
    return checks


def _named(book: Rulebook) -> str:
    """A rulebook as a diagnosis names it."""
    name, version = "+".join(pack.name for pack in book.packs), "+".join(pack.version for pack in book.packs)
    return f"{name} {version} ({book.digest[:10]})"


def checks() -> list[Check]:
    """All checks, in the order in which they are shown."""
    from tollens.engine.diagnosis.packs import cache_folder
    from tollens.engine.explain.runs import default_folder

    return [
        _python(),
        _tollens(),
        evaluator_check(),
        _library("re2", "re2", "google-re2", "patterns in linear time"),
        _library("pydantic", "pydantic", "pydantic", "the models of facts and views"),
        _library("yaml", "yaml", "PyYAML", "reading rule files"),
        folder_check("cache", cache_folder()),
        folder_check("runs", Path(default_folder())),
        _packs(),
        *_project(),
    ]


def report(found: Iterable[Check] | None = None) -> dict[str, object]:
    """The report as JSON data: `ok` (no fault), `evaluator` (`durable_rules` or `reference`), and `checks` (name, state, detail, next)."""
    done = list(checks() if found is None else found)
    evaluator = next((check.detail.split(maxsplit=1)[0] for check in done if check.name == "evaluator"), "")
    return {
        "ok": all(check.state != "fault" for check in done),
        "evaluator": evaluator,
        "checks": [check._asdict() for check in done],
    }


def lines(found: Iterable[Check] | None = None) -> list[str]:
    """The report as a person reads it, one line a check and one for each way on."""
    shown: list[str] = []
    for check in checks() if found is None else found:
        shown.append(f"{check.state:<5} {check.name:<10} {check.detail}".rstrip())
        if check.next:
            shown.append(f"      {'':<10} next: {check.next}")
    return shown
