"""Why: what `import tollens` offers, in one place that is imported when the first of it is asked for."""

from __future__ import annotations

from tollens.engine.bench.testing import run_cases
from tollens.engine.diagnosis.gate import RepairGate
from tollens.engine.errors import (
    BudgetExceeded,
    EngineError,
    FactError,
    InputError,
    PackError,
    PackErrors,
    TollensError,
    WorkerCrashed,
)
from tollens.engine.interfaces.embed import Engine, ReloadReport, diagnose
from tollens.engine.interfaces.outcome import Outcome

__all__ = [
    "BudgetExceeded",
    "Engine",
    "EngineError",
    "FactError",
    "InputError",
    "Outcome",
    "PackError",
    "PackErrors",
    "ReloadReport",
    "RepairGate",
    "TollensError",
    "WorkerCrashed",
    "diagnose",
    "run_cases",
]
