"""Why: whoever embeds the engine gets one object per diagnosis: plain data at once, typed models and the proof when asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tollens.engine.diagnosis.driver import Diagnosed
from tollens.engine.errors import InputError
from tollens.engine.explain.record import build

if TYPE_CHECKING:
    from tollens.facts.views import Diagnosis, Result

Json = dict[str, Any]


class Outcome:
    """What one diagnosis came to. The same from the worker and from this process; safe to hand to other threads."""

    __slots__ = ("_make", "_model", "_record", "notices", "result")

    def __init__(self, result: Json, make_record: Callable[[], Json], notices: tuple[str, ...] = ()) -> None:
        #: The object that `tollens diagnose --format json` prints, as plain data.
        self.result = result
        #: What went another way than asked for, as sentences; empty in the usual case.
        self.notices = notices
        self._make = make_record
        self._record: Json | None = None
        self._model: Result | None = None

    @property
    def outcome(self) -> str:
        """`diagnosis`, `no_failure` or `insufficient_evidence`."""
        return str(self.result["outcome"])

    @property
    def run_id(self) -> str:
        """The name of the run: the same signal, options and rules have the same one."""
        return str(self.result["run_id"])

    @property
    def model(self) -> Result:
        """The result as a validated, frozen model (`tollens.facts.views.Result`); pydantic is imported with the first use."""
        if self._model is None:
            from tollens.facts.views import as_result

            self._model = as_result(self.result)
        return self._model

    @property
    def diagnosis(self) -> Diagnosis | None:
        """The diagnosis as a model (spec 13 section 3.5); None where the outcome is another one."""
        return self.model.diagnosis

    @property
    def record(self) -> Json:
        """The run with facts, proof, sentences and cited raw lines, as JSON data: what `tollens why` reads."""
        record = self._record
        if record is None:
            record = self._record = self._make()
            self._make = lambda: record  # what the record was made from is not needed any more
        return record

    def why(self, name: str = "diagnosis") -> str:
        """The proof of a verdict as text: a field of the result, a kind of fact, or a fact's id or its beginning.

        Where there is no diagnosis, the default explains the outcome. InputError, with the choices, for a name that means nothing here.
        """
        from tollens.engine.explain.reading import Record
        from tollens.engine.explain.select import select
        from tollens.engine.explain.terminal import Style
        from tollens.engine.explain.text import render
        from tollens.engine.explain.tree import build_tree

        if not isinstance(name, str):
            raise InputError(f"name is {name!r:.60}", expected="a str: a field of the result, a kind of fact, or a fact's id")
        record = Record(self.record)
        asked = "outcome" if name == "diagnosis" and not record.answers.get(name) else name
        selections = select(record, asked)
        trees = build_tree(record, [fact_id for selection in selections for fact_id in selection.ids])
        lines: list[str] = []
        for selection in selections:
            lines.append(selection.title)
            lines += render(record, trees[: len(selection.ids)], Style())
            trees = trees[len(selection.ids) :]
            if selection.left_out:
                lines.append(f"{selection.left_out} more facts, not shown")
        return "\n".join(lines) + "\n"

    def __repr__(self) -> str:
        return f"<Outcome {self.outcome} {self.run_id}>"


def outcome_of(done: Diagnosed, source: str, notices: tuple[str, ...] = (), folders: Sequence[str] = ()) -> Outcome:
    """The outcome of a diagnosis that was made in this process; `folders` are those of the user's packs."""
    return Outcome(done.result, lambda: with_folders(json.loads(json.dumps(record_of(done, source))), folders), notices)


def record_of(done: Diagnosed, source: str) -> Json:
    """The record of a finished diagnosis."""
    raw = next((draft for draft in done.parsed.drafts if draft.kind == "raw_text"), None)
    return build(
        done.session,
        run_id=done.run_id,
        evaluator=str(done.result["evaluator"]),
        signal_name=source,
        signal_digest=str(raw.fields["digest"]) if raw else "",
        line=done.line,
        result=done.result,
        answers=done.answers,
    )


def with_folders(record: dict[str, Any], folders: Sequence[str]) -> dict[str, Any]:
    """The record with the folders of the user's packs, which are the last ones, as `given` in `packs`: proofs name packs, not folders."""
    packs = record["packs"]
    for pack, folder in zip(packs[len(packs) - len(folders) :], folders, strict=True):
        pack["given"] = folder
    return record
