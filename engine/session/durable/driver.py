"""Why: the engine's functions are called in the one order that is safe, by one small class.

No host (its threads, time limits and swallowed exceptions stay away), no batch calls, no retraction. A session's first action runs
before anything else, since the engine crashes when a session without one is deleted. An engine that ran out of memory is left as it is:
its pools are gone, and it crashes when it is touched again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from json import loads
from types import ModuleType

from tollens.engine.errors import EngineError
from tollens.engine.session.durable.headroom import Headroom
from tollens.engine.session.durable.numbers import numbers
from tollens.engine.session.durable.ruleset import BOOT_MESSAGE, Form, Ruleset
from tollens.engine.session.evaluator import TooLarge
from tollens.facts.fact import Fact

_HANDLED, _SEEN = 0, 2
_MORE_MEMORY = "give the part of the log around the failure, or allow the process more memory"
_IDS = re.compile(r'"id":(\d+)')


class EngineUnavailable(EngineError):
    """The engine cannot be used here at all, so that another evaluator has to."""

    code = "engine_unavailable"


def load_engine() -> ModuleType:
    """The engine's extension module; EngineUnavailable where it cannot be imported."""
    try:
        import durable_rules_engine  # only here, so that a stratum without a live rule starts without it
    except ImportError as error:
        raise EngineUnavailable(
            f"the durable_rules engine cannot be imported: {error}",
            next_step="install durable_rules 2.0.28, or go on with the reference evaluator, which gives the same results",
        ) from None
    module: ModuleType = durable_rules_engine
    return module


class Engine:
    """One ruleset in the engine, with the facts that it was sent; `expected` is about how many, `most` how many it may be.

    Close it in every case.
    """

    def __init__(self, module: ModuleType, ruleset: Ruleset, expected: int = 0, check: bool = False, most: int = 1 << 30) -> None:
        self.ruleset = ruleset
        self._most = most
        self._headroom = Headroom()
        self._module = module
        self._check = check
        self._facts: dict[int, Fact] = {}
        self._numbers = numbers(expected)
        self._errors = (module.error, MemoryError)
        try:
            self._handle: int | None = module.create_ruleset("tollens", ruleset.text)
        except self._errors as error:
            raise self._failed(f"refused a ruleset of {len(ruleset.units)} rules", error) from error
        self._state: int | None = None
        try:
            self._state = self._boot()
        except self._errors as error:
            failed = self._failed("did not start", error)
            self.close()
            raise failed from error

    def _failed(self, what: str, error: BaseException) -> EngineError:
        """The error to raise; an engine without memory is given up first."""
        if isinstance(error, MemoryError):
            self._handle = None
            return EngineError(f"the engine {what}, as memory ran out", next_step=_MORE_MEMORY)
        return EngineError(f"the engine {what}: {error}")

    def _boot(self) -> int:
        code, state = self._module.assert_fact(self._handle, BOOT_MESSAGE)
        first = self._module.start_action_for_state(self._handle, state)
        if code != _HANDLED or first is None or self._module.complete_and_start_action(self._handle, state) is not None:
            self.close()
            raise EngineError("the engine did not start: its first rule did not fire")
        return int(state)

    def renew(self, expected: int) -> None:
        """Begin anew, without a fact, in the memory of the session before, whose matches are all known."""
        try:
            self._module.delete_state(self._handle, "0")
            self._state = None
            self._facts.clear()
            self._numbers = numbers(expected)
            self._state = self._boot()
        except self._errors as error:
            raise self._failed("did not start again", error) from error

    def send(self, fact: Fact, form: Form) -> None:
        """Assert a fact. The engine tells ids apart by a 32-bit hash, so one that it takes for a known id gets the next number."""
        values = [read(fact) for read in form.readers]
        if len(self._facts) >= self._most:
            raise TooLarge(fact.kind.name)
        if not self._headroom.suffices(len(self._facts)):
            raise EngineError("the engine would need more memory than there is", next_step=_MORE_MEMORY) from MemoryError()
        while True:
            number = next(self._numbers)
            self._facts[number] = fact
            try:
                code, state = self._module.assert_fact(self._handle, form.template % (number, *values))
            except self._errors as error:
                raise self._failed(f"refused a {fact.kind.name}", error) from error
            if code == _HANDLED and state == self._state:
                return
            if code != _SEEN:
                raise EngineError(f"the engine did not take a {fact.kind.name} (code {code})")

    def firings(self) -> Iterator[tuple[int, list[tuple[Fact, ...]]]]:
        """The matches that came up since the last call: unit numbers, each with some rows of bound facts. Send nothing meanwhile."""
        try:
            started = self._module.start_action_for_state(self._handle, self._state)
            message = started[1] if started else None
            while message is not None:
                yield self._read(message)
                message = self._module.complete_and_start_action(self._handle, self._state)
        except self._errors as error:
            raise self._failed("failed while it fired", error) from error

    def _read(self, message: str) -> tuple[int, list[tuple[Fact, ...]]]:
        unit = int(message[3 : message.index('"', 3)])
        ids = [int(number) for number in _IDS.findall(message)]
        size = self.ruleset.sizes[unit]
        if self._check:
            _compare(message, unit, size, ids)
        facts = [self._facts[number] for number in ids if number in self._facts]
        if len(facts) != len(ids) or len(ids) % size:
            raise EngineError("the engine fired something that it was not sent")
        return unit, list(zip(*[iter(facts)] * size, strict=True))

    def close(self) -> None:
        """Free the engine's memory; safe to call again. State without a first action stays, for the engine crashes when it is deleted."""
        handle, self._handle = self._handle, None
        if handle is not None:
            try:
                if self._state is not None:
                    self._module.delete_state(handle, "0")
                self._module.delete_ruleset(handle)
            except self._errors as error:
                raise self._failed("could not be closed", error) from error


def _compare(message: str, unit: int, size: int, ids: list[int]) -> None:
    """Read the message the slow way: the facts stand in the order of the rule's conditions."""
    ((name, rows),) = loads(message).items()
    slow = [row[f"m{slot}"]["id"] for row in rows for slot in range(size)]
    if name != f"r{unit}" or slow != ids or any(len(row) != size for row in rows):
        raise EngineError(f"the engine's message is not in the expected form: {message:.200}")
