"""Why: each stage of the pipeline can be asked alone, so that its work can be tested, compared and switched without the stages after it."""

from __future__ import annotations

from collections.abc import Mapping

from tollens.engine.diagnosis.driver import Options, Pieces, context, read
from tollens.engine.diagnosis.measures import MEASURES
from tollens.engine.diagnosis.view import Json, View
from tollens.engine.errors import InputError
from tollens.engine.rulebook.syntax import Rulebook
from tollens.engine.session.evaluator import Evaluator
from tollens.engine.session.session import Session, run_session

#: The stages of the pipeline (spec 13 section 3), each with the last stage of rules that it needs and the part of the result that it makes.
STAGES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "parse": ("frames", ("records", "truncated_signals")),
    "classify": ("classify", ("classification",)),
    "triage": ("evidence", ("residue",)),
    "normalize": ("hypotheses", ("evidence",)),
    "assemble": ("outcome", ("outcome", "diagnosis", "evidence_pack_id", "citation_gate", "hierarchy_populated")),
}


def run_to(stage: str, data: bytes | Pieces, book: Rulebook, evaluator: Evaluator, options: Options = Options()) -> Session:  # noqa: B008 - immutable
    """The facts and the proof after a stage of the pipeline: `parse`, `classify`, `triage`, `normalize` or `assemble`.

    No rule of a later stage is run, and nothing that it would conclude is there. InputError for another name.
    """
    if stage not in STAGES:
        raise InputError(f"there is no stage {stage!r}", expected="a stage of the pipeline", choices=list(STAGES), found=stage)
    names = [known.name for known in book.stages]
    end = names.index(STAGES[stage][0]) + 1
    parsed, redacted = read(data, book)
    drafts = [*context(parsed, options), *redacted, *parsed.drafts]
    return run_session(book._replace(stages=book.stages[:end]), drafts, evaluator, measures=MEASURES, budget=options.budget)


def stage_view(stage: str, data: bytes | Pieces, book: Rulebook, evaluator: Evaluator, options: Options = Options()) -> Json:  # noqa: B008 - immutable
    """What a stage alone makes of a signal: the fields of `tollens diagnose --format json` that it fills, and no others.

    parse: records (which printed side is the actual one is not known yet), truncated_signals. classify: classification (its routing
    comes with the grounds). triage: residue. normalize: evidence. assemble: outcome, diagnosis,
    evidence_pack_id, citation_gate, hierarchy_populated. Errors as `run_to`.
    """
    view = View(run_to(stage, data, book, evaluator, options), options.source).result(evaluator.name, "")
    return {name: view[name] for name in STAGES[stage][1]}
