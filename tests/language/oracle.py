"""Why: what the rule language means, said a second time, slowly and plainly, so that an evaluator can be found wrong.

It shares nothing with the engine but the facts and the checked form of rules. Matches are found by trying every combination of facts, the fixpoint by
trying all of them again until nothing new comes, and the canonical numbers are given round by round as docs/language.md says.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tests.language.oracle_expressions import MILLION, Evaluation
from tests.language.oracle_facts import ContradictionError, Json, OverBudgetError, TooBigError
from tests.language.oracle_operators import Operators
from tests.language.oracle_values import (
    bound,
    pattern_text,
)
from tollens.engine.rulebook.syntax import (
    Rule,
    Stage,
)
from tollens.facts.fact import BadFact, Draft, Fact, make_fact

__all__ = ["ContradictionError", "Oracle", "OverBudgetError", "TooBigError"]


class Oracle(Operators):
    """One run of a rule book over facts."""

    def run(self, drafts: Iterable[Draft]) -> Json:
        for row in self.rulebook.rows:
            given = dict(row.fields)
            kind = self.kinds[row.kind]
            fact = self.put(Fact(kind, tuple(given.get(f.name) for f in kind.fields), {}, ("row", str(row.place))))
            self.way(fact, {"by": "row", "name": row.pack, "place": str(row.place)})
        inputs = []
        for draft in drafts:
            made = make_fact(self.kinds[draft.kind], draft)
            if made.kind.verdict:
                raise BadFact(f"{draft.kind} is a verdict")
            fact = self.put(made)
            self.way(fact, {"by": draft.origin[0], "name": draft.origin[1]})
            inputs.append(fact)
        for fact in inputs:
            for field, value in zip(fact.kind.fields, fact.values, strict=True):
                if field.type == "ref" and value is not None and self.known(str(value)) is None:
                    raise BadFact(f"{value} is no fact")
        for stage in self.rulebook.stages:
            self.stage(stage)
        return self.json()

    def json(self) -> Json:
        facts = []
        for number, fact in enumerate(self.facts):
            fields: Json = {}
            for field, value in zip(fact.kind.fields, fact.values, strict=True):
                if value is None:
                    continue
                fields[field.name] = value
                if isinstance(value, tuple):
                    fields[field.name] = list(value)
                elif field.type == "number":
                    assert isinstance(value, int)
                    fields[field.name] = value // MILLION if value % MILLION == 0 else value / MILLION
            spans = {name: [span.line, span.start, span.end] for name, span in fact.spans.items()}
            facts.append(
                {"id": fact.id, "kind": fact.kind.name, "seq": number, "fields": fields, "spans": spans, "derivations": self.ways[fact.id]}
            )
        return {"rulebook": self.rulebook.digest, "facts": facts, "firings": self.firings}

    def stage(self, stage: Stage) -> None:
        seen = list(self.facts)  # operators see only what earlier stages left
        for pattern in stage.patterns:
            self.text_pattern(pattern, seen)
        for measure in stage.measures:
            self.measure(measure, seen)
        for elect in stage.elects:
            self.elect(elect, seen)
        for take in stage.takes:
            self.take(take, seen)
        for group in stage.groups:
            self.group(group, seen)
        self.firings[stage.name] = self.rules(stage)

    def rules(self, stage: Stage) -> int:
        finished = list(self.facts)
        tried: set[tuple[int, int, tuple[str, ...]]] = set()
        firings = matches = depth = 0
        records: list[tuple[tuple[Any, ...], list[Fact], Json]] = []
        growing = True
        while growing:
            growing = False
            depth += 1
            fresh: list[tuple[tuple[Any, ...], Rule, int, tuple[Fact, ...]]] = []
            for rule in stage.rules:
                for alternative, patterns in enumerate(rule.alternatives):
                    for row in self.rows(patterns, self.facts):
                        mark = (rule.meta.index, alternative, tuple(fact.id for fact in row))
                        if mark in tried:
                            continue
                        tried.add(mark)
                        if any(self.exists(blocker, patterns, row, finished) for blocker in rule.unless):
                            self.events["unless blocks"] += 1
                            continue
                        matches += 1
                        if matches > self.budget:
                            raise OverBudgetError(stage.name)
                        fresh.append(((rule.meta.index, alternative, [fact.seq for fact in row]), rule, alternative, row))
            fresh.sort(key=lambda item: item[0])
            for order, rule, alternative, row in fresh:
                made = self.fire(rule, alternative, row, finished)
                if made is None:
                    continue
                firings += 1
                facts, data = made
                before = len(self.facts)
                stored = [self.put(fact) for fact in facts]
                growing = growing or len(self.facts) > before
                records.append(((depth, *order), stored, {**data, "depth": depth, **({"alternative": alternative} if alternative else {})}))
                self.fired.append(rule)
                if depth > 1:
                    self.events["depth beyond 1"] += 1
                if alternative:
                    self.events["second alternative"] += 1
        for _, stored, data in records:
            for fact in stored:
                self.way(fact, data)
        return firings

    def fire(self, rule: Rule, alternative: int, row: tuple[Fact, ...], finished: list[Fact]) -> tuple[list[Fact], Json] | None:
        patterns = rule.alternatives[alternative]
        env = {pattern.alias: fact for pattern, fact in zip(patterns, row, strict=True)}
        evaluation = Evaluation(self, env, finished)
        computed: list[list[Any]] = []
        for let in rule.lets:
            evaluation.inputs = []
            value = evaluation.value(let.expr)
            evaluation.names[let.name] = value
            if let.type == "number":
                evaluation.numbers.add(let.name)
            computed.append([let.name, list(value) if isinstance(value, tuple) else value, evaluation.inputs])
        evaluation.inputs = []
        for condition in rule.conditions:
            if not evaluation.condition(condition):
                self.events["condition fails"] += 1
                return None
        facts = []
        for head in rule.heads:
            fact = evaluation.head(head, ("rule", rule.meta.id))
            if fact is None:
                self.events["head without a value"] += 1
                return None
            facts.append(fact)
        if evaluation.inputs:
            computed.append(["", None, evaluation.inputs])
        data: Json = {"by": "rule", "name": rule.meta.id, "place": str(rule.meta.place), "bound": bound(patterns, row)}
        if rule.unless:
            data["absent"] = [pattern_text(pattern, self.kinds[pattern.kind]) for pattern in rule.unless]
        if computed:
            data["computed"] = computed
        return facts, data
