"""Why: tests of sessions write small packs as text and state facts by kind and fields, on each evaluator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tollens.engine.rulebook.load import load
from tollens.engine.rulebook.measures import MeasureSignature
from tollens.engine.rulebook.syntax import Rulebook
from tollens.engine.session.evaluator import Evaluator
from tollens.engine.session.reference import Reference
from tollens.engine.session.session import Session, run_session
from tollens.facts.fact import Draft, Fact
from tollens.facts.kind import KindTable

#: Kinds that most tests need.
KINDS = """\
  item:
    key: [name]
    fields:
      name: text
      size: int?
      share: number?
      good: bool?
      mood: {enum: [low, mid, high], ordered: true, optional: true}
      sort: {enum: [red, blue], optional: true}
      other: {ref: item, optional: true}
      tags: {list: text, optional: true}
  link: {fields: {left: {ref: item}, right: {ref: item}}}
  seen: {fields: {item: {ref: item}}}
  said: {fields: {text: text}}
  counted: {fields: {number: int}}
  measured: {fields: {value: number}}
  listed: {fields: {texts: {list: text}}}
  two: {fields: {first: {ref: item}, second: {ref: item}}}
"""

Book = Callable[..., Rulebook]
Run = Callable[..., Session]


@pytest.fixture
def book(tmp_path: Path) -> Book:
    """`book(rules, kinds="", stages="s0, s1, s2", measures={})`: the rule book of a pack written on the spot."""

    def make(rules: str, kinds: str = "", stages: str = "s0, s1, s2", measures: Mapping[str, MeasureSignature] | None = None) -> Rulebook:
        head = f"name: pack\nversion: 1.0.0\nlanguage: 1\nstages: [{stages}]\nkinds:\n{KINDS}{kinds}"
        (tmp_path / "pack.yaml").write_text(head, encoding="utf-8")
        (tmp_path / "rules.yaml").write_text(rules, encoding="utf-8")
        return load([], [tmp_path], KindTable(), measures or {})

    return make


@pytest.fixture(params=["reference", "durable_rules"])
def evaluator(request: pytest.FixtureRequest) -> Evaluator:
    """Each evaluator in turn."""
    if request.param == "reference":
        return Reference()
    pytest.importorskip("durable_rules_engine", reason="the production evaluator is not installed")
    from tollens.engine.session.durable.evaluator import DurableEvaluator

    return DurableEvaluator(check=True)


@pytest.fixture
def run(book: Book, evaluator: Evaluator) -> Run:
    """`run(rules, drafts, budget=100_000, **for_book)`: a session over a pack written on the spot."""

    def make(rules: str, drafts: Iterable[Draft] = (), budget: int = 100_000, **more: Any) -> Session:
        made = book(rules, **more)
        return run_session(made, drafts, evaluator, measures=more.get("measures"), budget=budget)

    return make


@pytest.fixture
def item() -> Callable[..., Draft]:
    """`item(name, **fields)`: a stated item."""
    return lambda name, **fields: Draft("item", {"name": name, **fields}, {}, ("parser", "test"))


@pytest.fixture
def names() -> Callable[[Session, str], list[Any]]:
    """`names(session, kind)`: the values of a kind's facts in canonical order, ids of items replaced by their names."""

    def named(session: Session, value: Any) -> Any:
        fact: Fact | None = session.store.get(value) if isinstance(value, str) else None
        return fact.get("name") if fact is not None and fact.kind.name == "item" else value

    def values(session: Session, kind: str) -> list[Any]:
        rows = [tuple(named(session, value) for value in fact.values) for fact in session.store.facts(kind)]
        return [row[0] if len(row) == 1 else row for row in rows]

    return values
