"""Why: the engine in C takes 9 kB for each fact and never gives one back; what it holds at a time must not grow with the signal."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tollens.engine.diagnosis.driver import Diagnosed
from tollens.engine.session.durable import driver
from tollens.engine.session.durable.limits import LIMITS
from tollens.engine.session.durable.ruleset import Form
from tollens.facts.fact import Fact

pytest.importorskip("durable_rules_engine", reason="the production evaluator is not installed")

HEAD = "Traceback (most recent call last):\n"
LINK = "\n\nDuring handling of the above exception, another exception occurred:\n\n"


def one(number: int, frames: int = 2) -> str:
    lines = "".join(f'  File "/srv/app/a{number % 97}.py", line {frame + 1}, in f{frame}\n    g()\n' for frame in range(frames))
    return f"{HEAD}{lines}ValueError: bad thing {number}"


SHAPES: dict[str, Callable[[int], str]] = {
    "a chain": lambda size: LINK.join(one(number) for number in range(size)),
    "tracebacks": lambda size: "\n\n".join(one(number) for number in range(size)),
    "two recursions": lambda size: "\n\n".join(one(number, 5 * size) for number in range(2)),
    "the same": lambda size: "\n\n".join(one(0) for _ in range(5 * size)),
}


class Sent:
    """Counts the facts that are sent to engines, and the most that one held."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = self.most = 0
        real = driver.Engine.send

        def send(engine: driver.Engine, fact: Fact, form: Form) -> None:
            real(engine, fact, form)
            self.count += 1
            self.most = max(self.most, len(engine._facts))

        monkeypatch.setattr(driver.Engine, "send", send)


@pytest.mark.parametrize("shape", SHAPES)
def test_what_the_engine_is_sent_grows_with_the_signal_and_what_it_holds_has_an_end(
    shape: str, run: Callable[..., Diagnosed], monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = []
    for size in (150, 600):
        sent = Sent(monkeypatch)
        done = run(SHAPES[shape](size).encode(), evaluator="durable_rules", project_roots=("/srv/app",))
        assert done.result["outcome"] == "diagnosis"
        assert sent.most <= LIMITS.held
        counts.append(sent.count)
        monkeypatch.undo()
    assert counts[1] <= 4.5 * counts[0] + 100
