"""Why: the tools of these tests in one place: builders of rules, the naive evaluation, a child process, and a watched engine."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from tests.session.durable.naive import Outcome, World, const, head, pattern, ref, rule
from tests.session.durable.random_strata import RuleMaker, random_world
from tollens.engine.rulebook.syntax import Ref
from tollens.engine.session.durable import evaluator


def isolated(work: Callable[[], Any], seconds: int = 60) -> Any:
    """What `work` returns (JSON data), from a forked child, so that a crash or a hang in C fails one test and not the run."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover
        signal.alarm(seconds)
        try:
            result = {"value": work()}
        except BaseException as error:  # noqa: BLE001  # whatever it is, the parent raises it
            result = {"error": f"{type(error).__name__}: {error}"}
        with os.fdopen(writer, "w", encoding="utf-8") as pipe:
            json.dump(result, pipe)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, encoding="utf-8") as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    assert status == 0, f"the child ended with signal {status & 127}"
    result = json.loads(text)
    assert "error" not in result, result["error"]
    return result["value"]


class Spy:
    """Stands for the engine's module: offers only what the evaluator may call, and keeps what was sent."""

    def __init__(self) -> None:
        import durable_rules_engine as engine  # here, so that these tests can be skipped where it is not installed

        self.engine = engine
        self.error = engine.error
        self.calls: list[str] = []
        self.rulesets: list[str] = []
        self.messages: list[str] = []
        self.handles: set[int] = set()

    def create_ruleset(self, name: str, text: str) -> int:
        """As the engine does."""
        self.calls.append("create_ruleset")
        self.rulesets.append(text)
        handle = int(self.engine.create_ruleset(name, text))
        self.handles.add(handle)
        return handle

    def assert_fact(self, handle: int, message: str) -> tuple[int, int]:
        """As the engine does."""
        self.messages.append(message)
        state: tuple[int, int] = self.engine.assert_fact(handle, message)
        return state

    def start_action_for_state(self, handle: int, state: int) -> Any:
        """As the engine does."""
        self.calls.append("start")
        return self.engine.start_action_for_state(handle, state)

    def complete_and_start_action(self, handle: int, state: int) -> Any:
        """As the engine does."""
        self.calls.append("complete")
        return self.engine.complete_and_start_action(handle, state)

    def delete_state(self, handle: int, session: str) -> None:
        """As the engine does."""
        self.calls.append("delete_state")
        self.engine.delete_state(handle, session)

    def delete_ruleset(self, handle: int) -> None:
        """As the engine does."""
        self.calls.append("delete_ruleset")
        self.handles.remove(handle)
        self.engine.delete_ruleset(handle)


@pytest.fixture
def spy(monkeypatch: pytest.MonkeyPatch) -> Spy:
    """The engine seen through a Spy."""
    watching = Spy()
    monkeypatch.setattr(evaluator, "load_engine", lambda: watching)
    return watching


@pytest.fixture(scope="session")
def lab() -> SimpleNamespace:
    """The tools above, since test files cannot import each other."""
    return SimpleNamespace(
        World=World, Outcome=Outcome, RuleMaker=RuleMaker, random_world=random_world,
        pattern=pattern, const=const, ref=ref, head=head, rule=rule, isolated=isolated, Ref=Ref,
    )  # fmt: skip
