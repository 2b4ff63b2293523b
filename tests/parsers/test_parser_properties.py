from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tollens.parsers import parse

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "signals"
NAMES = sorted(path.stem for path in FOLDER.glob("*.txt"))
#: Recordings whose last line does not run on into what follows: a message's extent is known there.
CLOSED = [name for name in NAMES if not name.startswith("python-")]
NOISE = ["collected 3 items", "INFO all is well", "  indented", "", "- a", "> quoted", "$ make", "| x", "...", "=====", "Error"]

#: Random tests that are quick: 2,000 examples, and 100,000 with the full budget.
QUICK = settings(max_examples=34 * settings().max_examples)


@cache
def recording(name: str) -> str:
    return (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def essence(facts: Any) -> list[tuple[Any, ...]]:
    """What must not depend on where in a text a signal stands."""
    return [
        (row, facts.frames(number), facts.about("comparison", number, "left", "operator", "right"))
        for number, row in enumerate(facts.rows("signal", "record_type", "grammar", "class_name"), 1)
    ]


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """Lines of real recordings, shuffled, cut, doubled, indented or barred."""
    lines: list[str] = []
    for name in draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3)):
        source = recording(name).split("\n")
        start = draw(st.integers(0, len(source) - 1))
        lines += source[start : start + draw(st.integers(1, 60))]
    chance = draw(st.randoms(use_true_random=False))
    for _ in range(draw(st.integers(0, 12))):
        at = chance.randrange(len(lines))
        line = lines[at]
        change = chance.randrange(7)
        lines[at : at + 1] = [
            [],
            [line, line],
            [line[: chance.randrange(30)]],
            ["  " + line],
            ["| " + line],
            [line + "\r"],
            [chance.choice(lines)],
        ][change]
        if not lines:
            break
    return "\n".join(lines)


@QUICK
@given(st.binary(max_size=400))
def test_no_bytes_raise(data: bytes) -> None:
    parse(data)


@QUICK
@given(st.text(max_size=400))
def test_no_text_raises(reading: Callable[..., Any], text: str) -> None:
    reading(text)


@given(damaged())
def test_damaged_reports_give_sound_facts(reading: Callable[..., Any], text: str) -> None:
    reading(text)


@given(st.sampled_from(CLOSED), st.sampled_from(NAMES))
def test_two_texts_one_after_the_other_give_the_signals_of_both(reading: Callable[..., Any], first: str, second: str) -> None:
    one, two = reading(recording(first)), reading(recording(second))
    both = reading(recording(first) + "\n" + recording(second))
    assert essence(both) == essence(one) + essence(two)
    assert both.rows("summary_line", "node_id") == one.rows("summary_line", "node_id") + two.rows("summary_line", "node_id")
    assert len(both.rows("test_run", "number")) == len(one.rows("test_run", "number")) + len(two.rows("test_run", "number"))


@given(st.sampled_from(NAMES), st.lists(st.sampled_from(NOISE), max_size=8), st.lists(st.sampled_from(NOISE), max_size=8))
def test_noise_around_a_text_changes_no_signal(reading: Callable[..., Any], name: str, before: list[str], after: list[str]) -> None:
    plain = reading(recording(name))
    noisy = reading("\n".join([*before, "", recording(name), *after, ""]))
    assert essence(noisy) == essence(plain)
    moved = len(before) + 1
    assert [line - moved for (line,) in noisy.rows("signal", "first_line")] == [line for (line,) in plain.rows("signal", "first_line")]


@given(st.sampled_from(NAMES))
def test_line_ends_do_not_matter(reading: Callable[..., Any], name: str) -> None:
    plain, windows = reading(recording(name)), reading(recording(name).replace("\n", "\r\n"))
    assert essence(windows) == essence(plain)
    assert windows.drafts[1:] == plain.drafts[1:]


def test_the_same_text_gives_the_same_facts() -> None:
    for name in NAMES:
        assert parse(recording(name)).drafts == parse(recording(name).encode()).drafts
