"""Why: which rule packs a diagnosis uses: the built-in ones, then the user's, as one checked rulebook."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import tollens.facts
from tollens.engine.diagnosis.measures import MEASURES
from tollens.engine.rulebook.syntax import Rulebook
from tollens.facts.table import base_kinds

#: The built-in packs, beside the vocabulary in a checkout as in an installation.
BUILTIN = (Path(tollens.facts.__file__).parent.parent / "rules" / "diagnosis",)
