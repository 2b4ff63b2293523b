"""Why: the vocabulary of what rules conclude about a failed run; the views of spec 13 are rendered from these facts alone."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from tollens.facts.base import Body, Number, Ordered, RefTo
from tollens.facts.signal import FrameRef, SignalRef

#: Spec 13 section 3.2: exactly these seven.
FailureClass = Literal["syntax", "type", "null", "off-by-one", "async-order", "env-config", "concurrency"]
#: Spec 13 section 3.4: exactly these nine.
SourceType = Literal["compiler", "exception", "assertion", "trace", "test", "log", "metric", "config", "runtime_state"]
#: How well the class fits the failure, worst first.
Fit = Annotated[Literal["none", "weak", "good"], Ordered()]
FrameKind = Literal["earliest_root", "deepest_non_library", "assertion"]
Level = Literal["symptom", "immediate_cause", "root_cause_hypothesis"]


class Verdict(Body):
    """A judgement: only rules may assert it."""

    VERDICT: ClassVar[bool] = True


class LibraryFrame(Verdict):
    """A frame in code that the project did not write."""

    KIND: ClassVar[str] = "library_frame"
    frame: FrameRef
    why: str


class ProjectFrame(Verdict):
    """A frame in the project's own code."""

    KIND: ClassVar[str] = "project_frame"
    KEY: ClassVar[tuple[str, ...] | None] = ("frame",)
    signal: SignalRef
    frame: FrameRef
    depth: int


class Primary(Verdict):
    """The one signal that the run's diagnosis is about."""

    KIND: ClassVar[str] = "primary"
    KEY: ClassVar[tuple[str, ...] | None] = ()
    signal: SignalRef


class Classified(Verdict):
    """A signal's place in the taxonomy (spec 13 section 3.2), with how well it fits and a finer reason."""

    KIND: ClassVar[str] = "classified"
    KEY: ClassVar[tuple[str, ...] | None] = ("signal",)
    signal: SignalRef
    failure_class: FailureClass
    basis: str
    fit: Fit
    subreason: str


class Routing(Verdict):
    """What the class says to observe next."""

    KIND: ClassVar[str] = "routing"
    signal: SignalRef
    text: str


class Pin(Verdict):
    """The frame that a signal is pinned to: never library code (spec 13 section 3.3, rule 2)."""

    KIND: ClassVar[str] = "pin"
    KEY: ClassVar[tuple[str, ...] | None] = ("signal",)
    signal: SignalRef
    frame: FrameRef


class Residue(Verdict):
    """What is left to reason over (spec 13 section 3.3); no entity where no project frame is known."""

    KIND: ClassVar[str] = "residue"
    KEY: ClassVar[tuple[str, ...] | None] = ("signal",)
    signal: SignalRef
    primary_entity: str | None = None
    frame_kind: FrameKind
    suppressed_cascade_tail: int
    actual: str | None = None
    expected: str | None = None
    test_intent: str | None = None


class Evidence(Verdict):
    """One normalised observation (spec 13 section 3.4); `digest` stands for its six fields."""

    KIND: ClassVar[str] = "evidence"
    KEY: ClassVar[tuple[str, ...] | None] = ("digest",)
    digest: str
    source_type: SourceType
    source: str
    timestamp: str
    entity: str
    observation: str
    confidence: Number


class Cited(Verdict):
    """An observation that the diagnosis cites, by its digest; the citation gate looks for it among the evidence."""

    KIND: ClassVar[str] = "cited"
    digest: str
    side: Literal["supporting", "contradictory"]


class CausalStep(Verdict):
    """One step of the path from root to symptom."""

    KIND: ClassVar[str] = "causal_step"
    KEY: ClassVar[tuple[str, ...] | None] = ("position",)
    position: int
    text: str
    observed: bool


class Claim(Verdict):
    """What the diagnosis says at one level of the hierarchy."""

    KIND: ClassVar[str] = "claim"
    KEY: ClassVar[tuple[str, ...] | None] = ("level",)
    level: Level
    text: str
    observed: bool


class Confidence(Verdict):
    """The calibrated number of the diagnosis and the table row it came from."""

    KIND: ClassVar[str] = "confidence"
    KEY: ClassVar[tuple[str, ...] | None] = ()
    value: Number
    reason: str


class Question(Verdict):
    """Something that the diagnosis does not know yet."""

    KIND: ClassVar[str] = "question"
    text: str


class CitationGate(Verdict):
    """Whether everything cited was observed (spec 13 section 3.5)."""

    KIND: ClassVar[str] = "citation_gate"
    KEY: ClassVar[tuple[str, ...] | None] = ()
    passed: bool


class HierarchyCheck(Verdict):
    """Whether symptom, immediate cause and root cause are all named."""

    KIND: ClassVar[str] = "hierarchy_check"
    KEY: ClassVar[tuple[str, ...] | None] = ()
    populated: bool


class Assembled(Verdict):
    """The diagnosis itself; lists are the facts of their own kinds."""

    KIND: ClassVar[str] = "diagnosis"
    KEY: ClassVar[tuple[str, ...] | None] = ()
    failure_class: FailureClass
    symptom: str
    failing_entity: str
    immediate_cause: str
    root_cause_hypothesis: str
    confidence: Number
    evidence_pack_id: str


class RootCauseSite(Verdict):
    """A place that may hold the defect, ranked from 1."""

    KIND: ClassVar[str] = "root_cause_site"
    KEY: ClassVar[tuple[str, ...] | None] = ("rank",)
    rank: int
    file: str
    function: str | None = None
    line: int | None = None
    score: Number
    rule: str


class SiteEvidence(Verdict):
    """An observation that speaks for a site, by its digest."""

    KIND: ClassVar[str] = "site_evidence"
    site: Annotated[str, RefTo(("root_cause_site",))]
    digest: str


class Alternative(Verdict):
    """A class that lost the election for the primary signal, and the key that decided."""

    KIND: ClassVar[str] = "alternative"
    failure_class: FailureClass
    basis: str
    decided_by: str


class OtherFailure(Verdict):
    """Further failures of the same run, grouped by cause."""

    KIND: ClassVar[str] = "other_failure"
    KEY: ClassVar[tuple[str, ...] | None] = ("cause",)
    cause: str
    count: int
    first_signal: Annotated[int, Field(description="number of the first signal of the group")]


class Outcome(Verdict):
    """What the run of Tollens comes to."""

    KIND: ClassVar[str] = "outcome"
    KEY: ClassVar[tuple[str, ...] | None] = ()
    value: Literal["diagnosis", "no_failure", "insufficient_evidence"]
    why: str
    next_step: Annotated[str | None, Field(description="what a person could do to get further")] = None
