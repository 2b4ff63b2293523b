"""Why: the thin public face of Tollens: it re-exports what embedders use, and nothing else.

What it names is imported when it is first asked for, so that `import tollens` costs nothing.
"""

from __future__ import annotations

from tollens.engine.version import __version__

TYPE_CHECKING = False  # as type checkers read it; importing `typing` for it would take longer than all the rest

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
    "__version__",
    "diagnose",
    "run_cases",
]

if TYPE_CHECKING:
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
else:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from tollens.engine.interfaces import public

        found = globals()[name] = getattr(public, name)
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
