"""Why: what an evaluator, the oracle or the loader makes of a random case, as one text that can be compared byte for byte."""

from __future__ import annotations

import json
from typing import Any

from tests.language.generator import MEASURES, Case
from tests.language.oracle import ContradictionError, Oracle, OverBudgetError
from tollens.engine.errors import BudgetExceeded, FactError, TollensError
from tollens.engine.rulebook.syntax import Rulebook
from tollens.engine.session.evaluator import Evaluator
from tollens.engine.session.session import canonical, run_session
from tollens.facts.fact import BadFact

OVER, CONTRADICTION = "over the budget", "facts that contradict each other"


def evaluated(case: Case, evaluator: Evaluator, rulebook: Rulebook | None = None) -> str:
    """The canonical JSON of a session, or its error with every word of it."""
    try:
        session = run_session(rulebook or case.rulebook, case.drafts, evaluator, measures=MEASURES, budget=case.budget)
    except TollensError as error:
        return f"{kind_of(error)}: {error}"
    return json.dumps(canonical(session), ensure_ascii=False)


def kind_of(error: TollensError) -> str:
    """What went wrong, in the oracle's words where it knows it."""
    if isinstance(error, BudgetExceeded):
        return OVER
    return CONTRADICTION if isinstance(error, FactError) else type(error).__name__


def foretold(case: Case) -> tuple[str, Oracle]:
    """The oracle's canonical JSON, or what goes wrong; TooBigError where it is not willing."""
    oracle = Oracle(case.rulebook, MEASURES, case.budget)
    try:
        return json.dumps(oracle.run(case.drafts), ensure_ascii=False), oracle
    except OverBudgetError:
        return OVER, oracle
    except (ContradictionError, BadFact):
        return CONTRADICTION, oracle


def same(oracle: str, outcome: str) -> bool:
    """Whether the oracle's word and an outcome agree: all bytes of a result, the kind of an error."""
    return outcome == oracle or (oracle in (OVER, CONTRADICTION) and outcome.startswith(f"{oracle}: "))


def without_places(outcome: str) -> Any:
    """A result without what tells a rule book in memory from one on the disk: places and the digest."""
    if not outcome.startswith("{"):
        return outcome
    data = json.loads(outcome)
    del data["rulebook"]
    for fact in data["facts"]:
        for derivation in fact["derivations"]:
            derivation.pop("place", None)
    return data
