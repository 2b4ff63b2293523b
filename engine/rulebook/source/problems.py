"""Why: a rule author sees everything that is wrong at once, in the order of the files, with paths as they were given."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tollens.engine.errors import PackError, PackErrors
from tollens.engine.rulebook.syntax import Place

if TYPE_CHECKING:
    from types import TracebackType


class Followup(PackError):
    """A fault that only follows from one that is told already; it is never shown."""


class Catch:
    """Keeps a PackError raised in its block; anything else passes."""

    __slots__ = ("_problems",)

    def __init__(self, problems: Problems) -> None:
        self._problems = problems

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> bool:
        if isinstance(error, PackErrors):
            for part in error.errors:
                self._problems.add(part)
            return True
        if isinstance(error, PackError):
            self._problems.add(error)
            return True
        return False


class Problems:
    """Collects errors. Places carry the stored file name (`pack/path.yaml`); `shown` turns it into the name that the user gave."""

    def __init__(self) -> None:
        self._errors: dict[tuple[Place, str], PackError] = {}
        self._shown: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._errors)

    def show(self, stored: str, shown: str) -> None:
        """Name the file as the user gave it."""
        self._shown[stored] = shown

    def shown(self, place: Place) -> Place:
        """A place with the file as the user gave it, for the text of a message."""
        return place._replace(file=self._shown.get(place.file, place.file))

    def add(self, error: PackError) -> None:
        """Keep an error; the same message at the same place counts once."""
        if isinstance(error, Followup):
            return
        if error.place is not None:
            error.place = self.shown(error.place)
        self._errors.setdefault((error.place or Place("", 0), error.message), error)

    def catch(self) -> Catch:
        """A context that keeps a PackError raised inside and goes on after the block."""
        return Catch(self)

    def sorted(self) -> list[PackError]:
        """All errors by file, line, column and message."""
        return [error for _, error in sorted(self._errors.items())]

    def check(self) -> None:
        """Raise PackErrors when there is any."""
        if self._errors:
            raise PackErrors(self.sorted())


def fault(
    place: Place | None, message: str, *, expected: str = "", choices: Iterable[str] = (), found: str = "", next_step: str = ""
) -> PackError:
    """A PackError; `choices` are the valid words and `found` is what stands there."""
    return PackError(message, place=place, expected=expected, choices=choices, found=found, next_step=next_step)


def unknown(place: Place, message: str, found: str, choices: Iterable[str], expected: str, page: str) -> PackError:
    """The error for a word that is not among the valid ones, with the nearest of them."""
    error = fault(place, message, expected=expected, choices=choices, found=found)
    error.next_step = f"write `{error.nearest}`, or see docs/language.md#{page}" if error.nearest else f"see docs/language.md#{page}"
    return error
