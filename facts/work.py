"""Why: the repair gate is decided over what was tried on one piece of work, so each attempt is a fact like any other."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from tollens.facts.base import Body
from tollens.facts.diagnosis import Verdict

#: Whether edits are allowed; escalated asks for an instrumented run before anything else.
GateName = Literal["locked", "unlocked", "escalated"]


class WorkItem(Body):
    """A piece of work: one failure that somebody wants repaired, by the name its caller gave it."""

    KIND: ClassVar[str] = "work_item"
    work: str


class Attempt(Body):
    """One thing that was tried on a work item, in the order of `number`. What does not concern its kind is absent."""

    KIND: ClassVar[str] = "attempt"
    KEY: ClassVar[tuple[str, ...] | None] = ("work", "number")
    work: str
    number: Annotated[int, Field(description="position among the attempts of the work item, from 1")]
    what: Literal["diagnosis", "repair"]
    run: Annotated[str | None, Field(description="the run that was diagnosed; of a repair, the run whose diagnosis it followed")] = None
    outcome: Annotated[
        Literal["diagnosis", "no_failure", "insufficient_evidence"] | None, Field(description="what a diagnosis came to")
    ] = None
    citation_gate: Annotated[bool | None, Field(description="of a diagnosis (spec 13 section 3.5)")] = None
    hierarchy_populated: Annotated[bool | None, Field(description="of a diagnosis (spec 13 section 3.5)")] = None
    resolved: Annotated[bool | None, Field(description="of a repair: whether the failure is gone")] = None
    instrumented: Annotated[bool | None, Field(description="of a diagnosis: whether the run was made with instrumentation")] = None
    stamped: Annotated[bool | None, Field(description="whether an ablation made it")] = None


class GateState(Verdict):
    """Whether the work item's diagnosis has earned the right to change anything (spec 13 section 8, invariant 6)."""

    KIND: ClassVar[str] = "gate_state"
    KEY: ClassVar[tuple[str, ...] | None] = ("work",)
    work: str
    state: GateName
    why: str
