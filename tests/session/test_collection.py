"""Why: the search for reference cycles pauses while a session runs, and a caller must find it as it was."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from tollens.engine.errors import FactError
from tollens.engine.rulebook.syntax import Rulebook, Stage
from tollens.engine.session.reference import Reference
from tollens.engine.session.session import run_session
from tollens.facts.fact import Draft
from tollens.facts.kind import Field, Kind

BOOK = Rulebook((), "", (Kind("item", [Field("n", "int")]),), (Stage("only", (), (), (), (), (), ()),), (), (), ())


@pytest.fixture(params=[True, False])
def collecting(request: pytest.FixtureRequest) -> Iterator[bool]:
    """Whether the search runs before the session."""
    before = gc.isenabled()
    (gc.enable if request.param else gc.disable)()
    yield request.param
    (gc.enable if before else gc.disable)()


def test_it_pauses_and_goes_on(collecting: bool) -> None:
    seen = []
    run_session(BOOK, [Draft("item", {"n": 1})], Reference(), after=lambda stage, session: seen.append(gc.isenabled()))
    assert seen == [False]
    assert gc.isenabled() is collecting


def test_it_goes_on_after_a_fault(collecting: bool) -> None:
    with pytest.raises(FactError):
        run_session(BOOK, [Draft("item", {"n": "no number"})], Reference())
    assert gc.isenabled() is collecting
