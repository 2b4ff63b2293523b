"""Why: a measure's Python side is declared here, so that the loader can check a pack against it without knowing what it computes.

A measure function is `function(rows, options) -> results`:

- `rows` is a sequence of tuples of facts, one tuple per joined row of the measure's `from` patterns, in canonical order. The session
  joins `from` and groups the rows by the values of the `block` entries (`$alias.field`); the function is called once per block, in the
  order in which the blocks first appear. Without `block` there is one call with all rows, and no call where there are none.
- `options` maps every declared option to its value: numbers are scaled (millionths), an option that was left out is None.
- each result is a mapping of the output kind's fields to plain values, and the special key `_from`: a tuple of the ids of the facts it was
  computed from, which becomes its proof.

It must be a pure function of its arguments: no clock, no randomness, no order of sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from tollens.facts.fact import Fact
from tollens.facts.kind import Field
from tollens.facts.values import Value

#: The key of a result that names the ids of the facts it was computed from.
FROM = "_from"

MeasureFunction = Callable[[Sequence[tuple[Fact, ...]], Mapping[str, Value]], Iterable[Mapping[str, object]]]


class MeasureSignature(NamedTuple):
    """A registered measure: the name that packs use, the function, and its options as fields (optional ones may be left out)."""

    name: str
    function: MeasureFunction
    options: tuple[Field, ...] = ()


class MeasureRegistry(Mapping[str, MeasureSignature]):
    """Measures by name. Use `register` as a decorator; a name is taken once (ValueError)."""

    def __init__(self) -> None:
        self._measures: dict[str, MeasureSignature] = {}

    def register(self, name: str, *options: Field) -> Callable[[MeasureFunction], MeasureFunction]:
        """A decorator that enters a function under a name with its options."""

        def enter(function: MeasureFunction) -> MeasureFunction:
            if name in self._measures:
                raise ValueError(f"the measure {name} is registered twice")
            self._measures[name] = MeasureSignature(name, function, options)
            return function

        return enter

    def __getitem__(self, name: str) -> MeasureSignature:
        return self._measures[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._measures)

    def __len__(self) -> int:
        return len(self._measures)
