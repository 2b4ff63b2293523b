"""Why: every fact keeps how it came to be, completely and in canonical order; a verdict without a derivation cannot be built."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tollens.engine.rulebook.syntax import Place
from tollens.facts.values import Value


class Computed(NamedTuple):
    """A value that a rule computed: its name, the value (numbers in millionths), and the ids of the facts that an aggregate went over."""

    name: str
    value: Value
    inputs: tuple[str, ...]


class Derivation(NamedTuple):
    """One way in which a fact came to be.

    `by` is rule, elect, take, group, pattern, measure (with `name` the id in the pack and `place` where it is written), row (of a
    pack), or an input's producer family: parser, caller, probe, learned. `bound` maps aliases to fact ids; `absent` are the `unless`
    patterns that found nothing; `inputs` are the ids that an operator went over, `key` what decided it; `depth` is the length of the
    derivation in its stage.
    """

    by: str
    name: str
    place: Place | None = None
    bound: tuple[tuple[str, str], ...] = ()
    absent: tuple[str, ...] = ()
    computed: tuple[Computed, ...] = ()
    inputs: tuple[str, ...] = ()
    key: str = ""
    depth: int = 0
    alternative: int = 0


class Proof:
    """The derivations of every fact of a session, by fact id."""

    def __init__(self) -> None:
        # Most facts have one derivation, which stands alone.
        self._derivations: dict[str, Derivation | dict[Derivation, None]] = {}

    def add(self, fact_id: str, derivation: Derivation) -> None:
        """One more way in which a fact came to be; the same way twice is kept once."""
        known = self._derivations.setdefault(fact_id, derivation)
        if known is derivation:
            return
        if isinstance(known, Derivation):
            if known != derivation:
                self._derivations[fact_id] = {known: None, derivation: None}
        else:
            known.setdefault(derivation)

    def of(self, fact_id: str) -> list[Derivation]:
        """All ways in which a fact came to be, in canonical order; KeyError for a fact without one."""
        known = self._derivations[fact_id]
        return [known] if isinstance(known, Derivation) else list(known)

    def __iter__(self) -> Iterator[tuple[str, list[Derivation]]]:
        return ((fact_id, self.of(fact_id)) for fact_id in self._derivations)

    def __len__(self) -> int:
        return sum(1 if isinstance(known, Derivation) else len(known) for known in self._derivations.values())

    def missing(self, fact_ids: Iterable[str]) -> list[str]:
        """The ids that have no derivation: always empty, or the session is broken."""
        return [fact_id for fact_id in fact_ids if fact_id not in self._derivations]
