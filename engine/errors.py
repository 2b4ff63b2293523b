"""Why: every error a user meets is data (what, where, expected, choices, nearest, next step) with one exit code table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tollens.engine.rulebook.syntax import Place

#: The exit codes of every command. 1 is never used: shells, hooks and crashed interpreters use it.
#: `tollens gate show` has 0 where edits are allowed and 4 where they are not: the evidence for a repair is insufficient.
EXIT_DONE = 0
EXIT_FAULT = 2
EXIT_NO_FAILURE = 3
EXIT_INSUFFICIENT = 4


class TollensError(Exception):
    """A fault with a place and a way on.

    Rendered:

        my-rules/frames.yaml:12:9: error: stack_frame has no field 'fil'
          expected: a field of stack_frame
          choices: depth, file, function, line
          nearest: file
          next: write `file`, or see `tollens docs language#rules`
    """

    code = "fault"

    def __init__(
        self,
        message: str,
        *,
        place: Place | None = None,
        expected: str = "",
        choices: Iterable[str] = (),
        found: str = "",
        next_step: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.place = place
        self.expected = expected
        self.choices = tuple(choices)
        self.nearest = _nearest(found, self.choices) if found and self.choices else ""
        self.next_step = next_step

    def lines(self) -> list[str]:
        """The error as the lines a person reads."""
        where = f"{self.place}: " if self.place else ""
        lines = [f"{where}error: {self.message}"]
        if self.expected:
            lines.append(f"  expected: {self.expected}")
        if self.choices:
            shown = ", ".join(self.choices[:30])
            lines.append(f"  choices: {shown}" + (f", ... ({len(self.choices)} in all)" if len(self.choices) > 30 else ""))
        if self.nearest:
            lines.append(f"  nearest: {self.nearest}")
        if self.next_step:
            lines.append(f"  next: {shown_pages(self.next_step)}")
        return lines

    def to_json(self) -> dict[str, object]:
        """The error as JSON data with the fixed fields code, message, place, expected, choices, nearest, next."""
        place = {"file": self.place.file, "line": self.place.line, "column": self.place.column} if self.place else None
        return {
            "code": self.code,
            "message": self.message,
            "place": place,
            "expected": self.expected,
            "choices": list(self.choices),
            "nearest": self.nearest,
            "next": shown_pages(self.next_step),
        }

    def __str__(self) -> str:
        return "\n".join(self.lines())


def shown_pages(text: str) -> str:
    """A text in which each page `docs/NAME.md#SECTION` is the command that shows it: an installation has no such folder at hand."""
    if "docs/" not in text:
        return text
    import re  # here, as above

    return re.sub(r"docs/([\w-]+)\.md(#[\w-]+)?", r"`tollens docs \1\2`", text)


def _nearest(found: str, choices: tuple[str, ...]) -> str:
    from difflib import get_close_matches  # here, as a run without errors starts without it

    return next(iter(get_close_matches(found, choices, n=1, cutoff=0.5)), "")


class PackError(TollensError):
    """A rule file that cannot be used."""

    code = "pack"


class PackErrors(TollensError):
    """All that is wrong with the packs at once; `errors` holds each."""

    code = "packs"

    def __init__(self, errors: Iterable[PackError]) -> None:
        self.errors = tuple(errors)
        super().__init__(f"{len(self.errors)} errors in the rule files", place=self.errors[0].place)

    def __reduce__(self) -> tuple[type[PackErrors], tuple[tuple[PackError, ...]]]:
        """How the error is made anew in another process; its message alone would not do."""
        return (type(self), (self.errors,))

    def lines(self) -> list[str]:
        """Each error's lines."""
        return [line for error in self.errors for line in error.lines()]


class InputError(TollensError):
    """A signal, option or file that the user gave and that cannot be used."""

    code = "input"


class FactError(TollensError):
    """Facts that do not fit their kinds, or that contradict each other."""

    code = "facts"


class BudgetExceeded(TollensError):
    """A stage fired more often than its bound."""

    code = "budget"


class EngineError(TollensError):
    """The engine behind an evaluator failed; the session is discarded."""

    code = "engine"


class WorkerCrashed(EngineError):
    """The worker process died, hung or ran out of memory; the next call starts a new one.

    `how` is start (it could not be started), exit, signal, time, memory or garbage (it sent what is no answer); `stderr` is the end of
    what it wrote to standard error.
    """

    code = "worker"

    def __init__(self, message: str, *, how: str = "exit", stderr: str = "", next_step: str = "") -> None:
        super().__init__(message, next_step=next_step)
        self.how = how
        self.stderr = stderr


_RETOLD = {error.code: error for error in (TollensError, PackError, InputError, FactError, BudgetExceeded, EngineError)}


def retold(data: Mapping[str, Any]) -> TollensError:
    """The error that another process told with `to_json`; a code that is not known here becomes an EngineError with that code."""
    place = data["place"]
    error = _RETOLD.get(data["code"], EngineError)(
        data["message"],
        place=Place(place["file"], place["line"], place["column"]) if place else None,
        expected=data["expected"],
        choices=data["choices"],
        next_step=data["next"],
    )
    error.code, error.nearest = data["code"], data["nearest"]
    return error
