"""Why: tests of parsers ask the same questions of a text: which signals, which frames, what belongs to what, and are the spans right."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tollens.facts.fact import Draft, make_fact
from tollens.facts.table import base_kinds
from tollens.parsers import Limits, Parsed, parse

KINDS = base_kinds()
#: Written here anew, so that the parser's own expression cannot hide its faults.
#: Whole terminal sequences, in this test's own words.
ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|\^\[\[[0-9;]*m")
#: What is left of a sequence or an entity that a random edit broke: what it stands for there is no question of spans.
DAMAGED = re.compile(r"\x1b|\^\[|\u2190|&")


class Reading:
    """The facts of a text, checked on arrival: each fits its kind, none contradicts another, each reference and span is right."""

    def __init__(self, parsed: Parsed) -> None:
        self.parsed = parsed
        self.drafts = parsed.drafts
        self.ids: dict[str, tuple[object, ...]] = {}
        self.of_signal: dict[int, str] = {}
        for draft in parsed.drafts:
            fact = make_fact(KINDS[draft.kind], draft)
            assert self.ids.setdefault(fact.id, fact.values) == fact.values, f"two facts of one key: {draft}"
            if draft.kind == "signal":
                self.of_signal[int(str(draft.fields["number"]))] = fact.id
        for draft in parsed.drafts:
            self._check_references(draft)
            self._check_spans(draft)

    def _check_references(self, draft: Draft) -> None:
        for field in KINDS[draft.kind].fields:
            value = draft.fields.get(field.name)
            if field.type == "ref" and value is not None:
                assert value in self.ids, f"{draft.kind}.{field.name} points at nothing"

    def _check_spans(self, draft: Draft) -> None:
        for name, span in draft.spans.items():
            raw = self.parsed.text.raw(span.line)
            assert 0 <= span.start <= span.end <= len(raw), f"{draft.kind}.{name}: {span} is outside of {raw!r}"
            value = draft.fields.get(name)
            if value is None or DAMAGED.search(ESCAPES.sub("", raw)):
                continue
            stated = ESCAPES.sub("", raw[span.start : span.end])
            if isinstance(value, int):
                assert int(stated) == value
            else:
                lines = [line.strip() for line in str(value).split("\n") if line.strip()]
                if stated.strip() not in (lines or [""])[0] and "&" in stated:
                    stated = html.unescape(stated).split("\n")[0]
                assert stated.strip() == (lines[0] if lines else "") or str(value).startswith(stated), f"{draft.kind}.{name}"

    def rows(self, kind: str, *fields: str) -> list[tuple[Any, ...]]:
        """These fields of all facts of a kind, in order."""
        return [tuple(draft.fields.get(field) for field in fields) for draft in self.drafts if draft.kind == kind]

    def about(self, kind: str, number: int, *fields: str) -> list[tuple[Any, ...]]:
        """These fields of the facts of a kind about one signal."""
        mine = self.of_signal[number]
        return [
            tuple(draft.fields.get(field) for field in fields)
            for draft in self.drafts
            if draft.kind == kind and draft.fields.get("signal") == mine
        ]

    def frames(self, number: int) -> list[tuple[Any, ...]]:
        """File, line and function of a signal's frames, outermost first."""
        rows = self.about("stack_frame", number, "depth", "file", "line", "function")
        assert [row[0] for row in rows] == sorted(row[0] for row in rows)
        return [row[1:] for row in rows]

    def signals(self) -> list[tuple[Any, ...]]:
        """Record type and class of every signal, in order; the numbers count from 1."""
        assert [row[0] for row in self.rows("signal", "number")] == list(range(1, len(self.of_signal) + 1))
        return self.rows("signal", "record_type", "class_name")

    def test_of(self, number: int) -> int | None:
        """The number of the test in whose body a signal stands."""
        found = [test for (test,) in self.about("belongs", number, "test")]
        return next((key for key, value in self.of_signal.items() if found and value == found[0]), None)


@pytest.fixture(scope="session")
def signals(root: Path) -> Path:
    """The folder of recorded signals."""
    return root / "fixtures" / "signals"


@pytest.fixture(scope="session")
def reading() -> Callable[..., Reading]:
    """`reading(text)`: the checked facts of a text."""

    def read(data: bytes | str, limits: Limits | None = None) -> Reading:
        return Reading(parse(data) if limits is None else parse(data, limits=limits))

    return read


@pytest.fixture(scope="session")
def recorded(signals: Path, reading: Callable[..., Reading]) -> Callable[[str], Reading]:
    """`recorded(name)`: the checked facts of a recorded signal."""
    return lambda name: reading((signals / f"{name}.txt").read_bytes())
