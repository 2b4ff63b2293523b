"""Why: which rule packs a diagnosis uses: the built-in ones, then the user's, as one checked rulebook."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import tollens.facts
from tollens.engine.diagnosis.measures import MEASURES
from tollens.engine.errors import PackError
from tollens.engine.rulebook.load import check_packs, load
from tollens.engine.rulebook.syntax import Rulebook
from tollens.facts.table import base_kinds

#: The built-in packs, beside the vocabulary in a checkout as in an installation.
_RULES = Path(tollens.facts.__file__).parent.parent / "rules"
BUILTIN = (_RULES / "diagnosis",)
#: The repair gate: a rulebook of its own, in which no pack of a user takes part.
GATE = _RULES / "gate"


def cache_folder() -> Path:
    """Where checked packs are kept: TOLLENS_CACHE, or `tollens` in the user's cache folder."""
    named = os.environ.get("TOLLENS_CACHE")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return Path(base or os.path.join(os.path.expanduser("~"), ".cache")) / "tollens"


def rulebook(user: Sequence[Path] = (), *, builtin: Sequence[Path] = BUILTIN, cached: bool = True) -> Rulebook:
    """The rulebook of the built-in packs and these; PackErrors holds everything that is wrong with them."""
    return load(builtin, user, base_kinds(), MEASURES, cache_dir=cache_folder() if cached else None)


def gate_rulebook() -> Rulebook:
    """The rulebook of the repair gate, always the built-in one."""
    return load((GATE,), (), base_kinds(), {}, cache_dir=cache_folder())


def check(user: Sequence[Path] = (), *, builtin: Sequence[Path] = BUILTIN) -> list[PackError]:
    """Everything that is wrong with the packs and with the repair gate's, by file and line."""
    return [*check_packs(builtin, user, base_kinds(), MEASURES), *check_packs((GATE,), (), base_kinds(), {})]
