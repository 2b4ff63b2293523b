"""Why: one run of a rulebook over input facts: stage by stage, operators first, then rules to the fixpoint, with the proof."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Mapping

from tollens.engine.errors import FactError
from tollens.engine.rulebook.measures import MeasureSignature
from tollens.engine.rulebook.syntax import Rulebook, Stage
from tollens.engine.session.evaluator import Evaluator
from tollens.engine.session.firing import Stratification
from tollens.engine.session.meter import BUDGET, Meter
from tollens.engine.session.operators import Asserting, run_elect, run_group, run_take
from tollens.engine.session.proof import Derivation, Proof
from tollens.engine.session.readings import run_measure, run_patterns
from tollens.engine.session.store import FactStore
from tollens.facts.fact import BadFact, Draft, Fact
from tollens.facts.kind import KindTable

#: How often the rules of one stage may match before the session stops with an error.
DEFAULT_BUDGET = BUDGET


class Session:
    """The facts and the proof after a run. Immutable for whoever gets it: facts only grow while it runs."""

    def __init__(self, rulebook: Rulebook) -> None:
        self.rulebook = rulebook
        self.store = FactStore(KindTable(rulebook.kinds))
        self.proof = Proof()
        self.firings: dict[str, int] = {}

    def assert_rows(self) -> None:
        """The facts that packs state."""
        for row in self.rulebook.rows:
            kind = self.store.kinds[row.kind]
            given = dict(row.fields)
            values = tuple([given.get(field.name) for field in kind.fields])
            fact = self.store.add(Fact(kind, values, {}, ("row", str(row.place))))
            self.proof.add(fact.id, Derivation("row", row.pack, row.place))

    def assert_input(self, drafts: Iterable[Draft]) -> None:
        """The facts that a parser or caller states; BadFact where one does not fit, is a verdict, or refers to nothing."""
        added = []
        stated: dict[tuple[str, str], Derivation] = {}
        for draft in drafts:
            fact = self.store.make(draft)
            if fact.kind.verdict:
                raise BadFact(f"{':'.join(draft.origin)}: {draft.kind} is a verdict; only rules may assert it")
            stored = self.store.add(fact)
            derivation = stated.get(draft.origin)
            if derivation is None:
                derivation = stated[draft.origin] = Derivation(*draft.origin)
            self.proof.add(stored.id, derivation)
            added.append(stored)
        for fact in added:
            for position in fact.kind.references:
                self._check_reference(fact, position)

    def _check_reference(self, fact: Fact, position: int) -> None:
        field, value = fact.kind.fields[position], fact.values[position]
        if value is None:
            return
        target = self.store.get(str(value))
        producer = ":".join(fact.origin)
        if target is None:
            raise BadFact(f"{producer}: {fact.kind.name}.{field.name} refers to {value}, which is no fact")
        if field.choices and target.kind.name not in field.choices:
            raise BadFact(f"{producer}: {fact.kind.name}.{field.name} must be {field.describe()}, not {target.kind.name}")

    def run_stage(self, stage: Stage, evaluator: Evaluator, measures: Mapping[str, MeasureSignature], budget: int) -> None:
        """Patterns, measures, elections, takes and groups over finished stages, then the stage's rules to the fixpoint."""
        meter = Meter(stage.name, budget)
        out = Asserting(self.store, self.proof, meter)
        run_patterns(stage.patterns, out)
        for measure in stage.measures:
            run_measure(measure, measures[measure.function].function, out)
        for elect in stage.elects:
            run_elect(elect, out)
        for take in stage.takes:
            run_take(take, out)
        for group in stage.groups:
            run_group(group, out)
        out.finish()
        self.firings[stage.name] = Stratification(stage, self.store, self.proof, meter).run(evaluator)


def run_session(
    rulebook: Rulebook,
    drafts: Iterable[Draft],
    evaluator: Evaluator,
    *,
    measures: Mapping[str, MeasureSignature] | None = None,
    budget: int = DEFAULT_BUDGET,
    after: Callable[[str, Session], None] | None = None,
) -> Session:
    """Run all stages over the input facts; `after(stage, session)` sees each finished stage.

    Raises FactError (facts that do not fit or contradict each other), BudgetExceeded, EngineError.
    """
    session = Session(rulebook)
    collecting = gc.isenabled()
    gc.disable()  # facts and derivations only grow and make no cycles: looking for cycles among them takes a fifth of the time
    try:
        session.assert_rows()
        session.assert_input(drafts)
        for stage in rulebook.stages:
            session.run_stage(stage, evaluator, measures or {}, budget)
            if after is not None:
                after(stage.name, session)
    except BadFact as error:
        raise FactError(str(error), next_step="mend the producer, or declare the kind a rival in its pack") from None
    finally:
        if collecting:
            gc.enable()
    missing = session.proof.missing(fact.id for fact in session.store)
    if missing:
        raise AssertionError(f"facts without a derivation: {missing[:3]}")
    return session


def canonical(session: Session) -> dict[str, object]:
    """Facts and proof as plain JSON data, the same for every evaluator, process and hash seed."""
    facts = [
        {
            "id": fact.id,
            "kind": fact.kind.name,
            "seq": fact.seq,
            "fields": fact.plain(),
            "spans": {name: list(span) for name, span in fact.spans.items()},
            "derivations": [derivation_json(derivation) for derivation in session.proof.of(fact.id)],
        }
        for fact in session.store
    ]
    return {"rulebook": session.rulebook.digest, "facts": facts, "firings": dict(session.firings)}


def derivation_json(derivation: Derivation) -> dict[str, object]:
    """One derivation as plain JSON data; empty parts are left out."""
    data: dict[str, object] = {"by": derivation.by, "name": derivation.name}
    if derivation.place is not None:
        data["place"] = str(derivation.place)
    if derivation.bound:
        data["bound"] = [list(pair) for pair in derivation.bound]
    if derivation.absent:
        data["absent"] = list(derivation.absent)
    if derivation.computed:
        data["computed"] = [[c.name, list(c.value) if isinstance(c.value, tuple) else c.value, list(c.inputs)] for c in derivation.computed]
    if derivation.inputs:
        data["inputs"] = list(derivation.inputs)
    if derivation.key:
        data["key"] = derivation.key
    if derivation.depth:
        data["depth"] = derivation.depth
    if derivation.alternative:
        data["alternative"] = derivation.alternative
    return data
