"""Why: what a worker does with a request stands apart from how it keeps itself and its pipes."""

from __future__ import annotations

from tollens.engine.diagnosis.driver import Options, diagnose
from tollens.engine.errors import EngineError, TollensError
from tollens.engine.interfaces.frames import Frame
from tollens.engine.interfaces.outcome import record_of
from tollens.engine.rulebook.encoding import decode
from tollens.engine.rulebook.syntax import Rulebook
from tollens.engine.session.evaluator import Evaluator


class Desk:
    """Answers requests with the rulebook that the last request with rules brought."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._book: Rulebook | None = None

    def answer(self, frame: Frame) -> dict[str, object]:
        """The answer to one request (both as `worker_main` says); MemoryError where the process has to end."""
        request = frame.data
        number, source = request["number"], request["source"]
        if "rules" in request:
            self._book = decode(request["rules"])
        if self._book is None or self._book.digest != request["digest"]:
            raise LookupError("a request names rules that were not sent")
        options = Options(
            source, tuple(request["project_roots"]), request["timestamp"], request["budget"], tuple(request["project_packages"])
        )
        try:
            done = diagnose(frame.raw, self._book, self._evaluator, options)
        except EngineError as error:
            if isinstance(error.__cause__, MemoryError):
                raise error.__cause__ from None
            # What an engine in C left behind after an error is not to be trusted.
            return {"number": number, "error": error.to_json(), "last": True}
        except TollensError as error:
            return {"number": number, "error": error.to_json()}
        return {"number": number, "record": record_of(done, source)}
