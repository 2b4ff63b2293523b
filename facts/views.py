"""Why: the seeds' exact schemas as models, for whoever reads a result as typed Python or wants its JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from tollens.facts.base import Record
from tollens.facts.diagnosis import FailureClass, FrameKind, SourceType
from tollens.facts.signal import RecordType
from tollens.facts.work import GateName

Share = Annotated[float, Field(ge=0, le=1, strict=False)]


class Frame(Record):
    """A frame of a parsed record (spec 13 section 3.1)."""

    file: str
    line: int | None
    function: str | None
    in_project: bool


class ParsedRecord(Record):
    """A typed structured record (spec 13 section 3.1); JSON calls `class_` by its seed name `class`."""

    record_type: RecordType
    class_: Annotated[str | None, Field(alias="class")]
    message: str | None
    frames: tuple[Frame, ...]
    actual: str | None
    expected: str | None
    source: str


class Classification(Record):
    """The taxonomy label (spec 13 section 3.2)."""

    failure_class: FailureClass
    classification_basis: str
    evidence_routing: str


class ResidueView(Record):
    """The load-bearing residue (spec 13 section 3.3)."""

    primary_entity: str | None
    frame_kind: FrameKind
    suppressed_cascade_tail: int
    project_frames: tuple[str, ...]
    actual: str | None
    expected: str | None
    test_intent: str | None


class DiagnosticEvidence(Record):
    """One normalised observation, the only currency a diagnosis may cite (spec 13 section 3.4)."""

    source_type: SourceType
    source: str
    timestamp: str
    entity: str
    observation: str
    confidence: Share


class Diagnosis(Record):
    """The diagnosis artifact (spec 13 section 3.5)."""

    failure_class: FailureClass
    symptom: str
    failing_entity: str
    immediate_cause: str
    root_cause_hypothesis: str
    causal_chain: tuple[str, ...]
    supporting_evidence: tuple[DiagnosticEvidence, ...]
    contradictory_evidence: tuple[DiagnosticEvidence, ...]
    confidence: Share
    unresolved_questions: tuple[str, ...]


class Site(Record):
    """A ranked root-cause site; `evidence_ids` are digests of observations."""

    file: str
    function: str | None
    line: int | None
    score: Share
    evidence_ids: tuple[str, ...]
    rule: str


class AlternativeView(Record):
    """A class that was considered and lost."""

    failure_class: FailureClass
    basis: str
    decided_by: str


class OtherFailures(Record):
    """A group of further failures with one cause."""

    cause: str
    count: int
    first_signal: int


class TruncatedSignal(Record):
    """A truncated-signal event (spec 13 section 7.5, item 7)."""

    line: int
    grammar: str
    reason: str
    lost: int


class PackView(Record):
    """The rule packs that decided; `digest` covers them all."""

    name: str
    version: str
    digest: str


class RepairGateView(Record):
    """The verdict of the repair gate on a work item, over so many attempts (spec 13 section 8, invariant 6)."""

    work: str
    state: GateName
    why: str
    attempts: int


class Result(Record):
    """What `tollens diagnose --format json` prints."""

    outcome: Literal["diagnosis", "no_failure", "insufficient_evidence"]
    outcome_reason: str
    next_step: str | None
    diagnosis: Diagnosis | None
    classification: Classification | None
    residue: ResidueView | None
    records: tuple[ParsedRecord, ...]
    evidence: tuple[DiagnosticEvidence, ...]
    evidence_pack_id: str | None
    citation_gate: bool
    hierarchy_populated: bool
    root_cause_sites: tuple[Site, ...]
    alternatives: tuple[AlternativeView, ...]
    other_failures: tuple[OtherFailures, ...]
    truncated_signals: tuple[TruncatedSignal, ...]
    pack: PackView
    evaluator: str
    run_id: str


class GatedResult(Result):
    """What it prints with `--work`: the verdict of the repair gate stands last."""

    repair_gate: RepairGateView


def as_result(data: Mapping[str, object]) -> Result:
    """The model of an object that `tollens diagnose --format json` prints; pydantic's ValidationError where it is none."""
    model = GatedResult if "repair_gate" in data else Result
    return model.model_validate_json(json.dumps(data))
