"""Why: the result's JSON is rendered from facts alone; nothing here decides, it only lays out what rules concluded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tollens.engine.session.session import Session
from tollens.facts.fact import Fact

#: JSON data of one object; what each field holds is said by tollens.facts.views.
Json = dict[str, Any]


class View:
    """Renders one session as the object that `tollens diagnose --format json` prints (spec 13 sections 3.1 to 3.5)."""

    def __init__(self, session: Session, source: str) -> None:
        self._session = session
        self._source = source
        self._in_project = {str(fact.get("frame")) for fact in self._facts("project_frame")}
        self._frames: dict[str, list[Fact]] = {}
        for frame in self._facts("stack_frame"):
            self._frames.setdefault(str(frame.get("signal")), []).append(frame)

    def _facts(self, kind: str) -> Sequence[Fact]:
        return self._session.store.facts(kind)

    def _one(self, kind: str) -> Json | None:
        facts = self._facts(kind)
        return facts[0].plain() if facts else None

    def _of(self, kind: str, signal: object) -> Json | None:
        return next((fact.plain() for fact in self._facts(kind) if fact.get("signal") == signal), None)

    def result(self, evaluator: str, run_id: str) -> Json:
        """The whole object, its fields in the order of the design."""
        outcome = self._one("outcome") or {"value": "insufficient_evidence", "why": "no rule concluded anything"}
        primary = self._one("primary") or {}
        gate, check, pack = self._one("citation_gate"), self._one("hierarchy_check"), self._one("evidence_pack")
        book = self._session.rulebook
        return {
            "outcome": outcome["value"],
            "outcome_reason": outcome["why"],
            "next_step": outcome.get("next_step"),
            "diagnosis": self._diagnosis(),
            "classification": self._classification(primary.get("signal")),
            "residue": self._residue(primary.get("signal")),
            "records": [self._record(fact) for fact in self._facts("signal")],
            "evidence": [_observation(fact.plain()) for fact in self._facts("evidence")],
            "evidence_pack_id": pack["name"] if pack else None,
            "citation_gate": bool(gate and gate["passed"]),
            "hierarchy_populated": bool(check and check["populated"]),
            "root_cause_sites": self._sites(),
            "alternatives": [fact.plain() for fact in self._facts("alternative")],
            "other_failures": [fact.plain() for fact in self._facts("other_failure")],
            "truncated_signals": [fact.plain() for fact in self._facts("truncated")],
            "pack": {
                "name": "+".join(info.name for info in book.packs),
                "version": "+".join(info.version for info in book.packs),
                "digest": book.digest,
            },
            "evaluator": evaluator,
            "run_id": run_id,
        }

    def _diagnosis(self) -> Json | None:
        made = self._one("diagnosis")
        if made is None:
            return None
        return {
            "failure_class": made["failure_class"],
            "symptom": made["symptom"],
            "failing_entity": made["failing_entity"],
            "immediate_cause": made["immediate_cause"],
            "root_cause_hypothesis": made["root_cause_hypothesis"],
            "causal_chain": [step.get("text") for step in self._facts("causal_step")],
            "supporting_evidence": self._cited("supporting"),
            "contradictory_evidence": self._cited("contradictory"),
            "confidence": made["confidence"],
            "unresolved_questions": [question.get("text") for question in self._facts("question")],
        }

    def _cited(self, side: str) -> list[Json]:
        by_digest = {fact.get("digest"): fact for fact in self._facts("evidence")}
        cited = [fact.get("digest") for fact in self._facts("cited") if fact.get("side") == side]
        return [_observation(by_digest[digest].plain()) for digest in cited if digest in by_digest]

    def _classification(self, signal: object) -> Json | None:
        made, routing = self._of("classified", signal), self._of("routing", signal)
        if made is None:
            return None
        return {
            "failure_class": made["failure_class"],
            "classification_basis": made["basis"],
            "evidence_routing": routing["text"] if routing else "",
        }

    def _residue(self, signal: object) -> Json | None:
        made = self._of("residue", signal)
        if made is None:
            return None
        frames = [frame for frame in self._frames.get(str(signal), ()) if frame.id in self._in_project]
        return {
            "primary_entity": made.get("primary_entity"),
            "frame_kind": made["frame_kind"],
            "suppressed_cascade_tail": made["suppressed_cascade_tail"],
            "project_frames": [_entity(frame) for frame in frames],
            "actual": made.get("actual"),
            "expected": made.get("expected"),
            "test_intent": made.get("test_intent"),
        }

    def _record(self, signal: Fact) -> Json:
        values = self._of("values", signal.id) or {}
        frames = [
            {"file": f.get("file"), "line": f.get("line"), "function": f.get("function"), "in_project": f.id in self._in_project}
            for f in self._frames.get(signal.id, ())
        ]
        return {
            "record_type": signal.get("record_type"),
            "class": signal.get("class_name"),
            "message": signal.get("message"),
            "frames": frames,
            "actual": values.get("actual"),
            "expected": values.get("expected"),
            "source": f"{self._source}:{signal.get('first_line')}-{signal.get('last_line')}",
        }

    def _sites(self) -> list[Json]:
        ids: dict[object, list[object]] = {}
        for fact in self._facts("site_evidence"):
            ids.setdefault(fact.get("site"), []).append(fact.get("digest"))
        sites = []
        for fact in self._facts("root_cause_site"):
            plain = fact.plain()
            sites.append(
                {
                    "file": plain["file"],
                    "function": plain.get("function"),
                    "line": plain.get("line"),
                    "score": plain["score"],
                    "evidence_ids": ids.get(fact.id, []),
                    "rule": plain["rule"],
                }
            )
        return sites

    def answers(self) -> dict[str, list[str]]:
        """Which facts stand behind each name in the result, for whoever asks why."""
        kinds: Mapping[str, str] = {
            "outcome": "outcome",
            "diagnosis": "diagnosis",
            "failure_class": "classified",
            "classification": "classified",
            "evidence_routing": "routing",
            "symptom": "claim",
            "immediate_cause": "claim",
            "root_cause_hypothesis": "claim",
            "residue": "residue",
            "primary_entity": "pin",
            "failing_entity": "pin",
            "project_frames": "project_frame",
            "actual": "values",
            "expected": "values",
            "confidence": "confidence",
            "evidence": "evidence",
            "supporting_evidence": "cited",
            "causal_chain": "causal_step",
            "unresolved_questions": "question",
            "root_cause_sites": "root_cause_site",
            "alternatives": "alternative",
            "other_failures": "other_failure",
            "truncated_signals": "truncated",
            "citation_gate": "citation_gate",
            "hierarchy_populated": "hierarchy_check",
        }
        primary = (self._one("primary") or {}).get("signal")
        found: dict[str, list[str]] = {}
        for name, kind in kinds.items():
            facts = [fact for fact in self._facts(kind) if "signal" not in fact.kind.index or fact.get("signal") == primary]
            if kind == "claim":
                facts = [fact for fact in facts if fact.get("level") == name]
            if facts:
                found[name] = [fact.id for fact in facts]
        return found


def _observation(plain: Json) -> Json:
    return {name: plain[name] for name in ("source_type", "source", "timestamp", "entity", "observation", "confidence")}


def _entity(frame: Fact) -> str:
    line = frame.get("line")
    return str(frame.get("file")) if line is None else f"{frame.get('file')}:{line}"
