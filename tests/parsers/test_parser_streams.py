from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollens.parsers import Limits, Parsed, parse, parse_stream, source
from tollens.parsers.source import Source, encoding_of
from tollens.parsers.windows import LOUD, Windows

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "signals"
NAMES = sorted(path.stem for path in FOLDER.glob("*.txt"))
HEAD = "Traceback (most recent call last):\n"


def traceback(line: int, message: str = "x", name: str = "ValueError") -> str:
    return f'{HEAD}  File "a.py", line {line}, in f\n    g()\n{name}: {message}\n\n'


def quiet(count: int) -> str:
    return "".join(f"12:00:{number % 60:02} worker {number} took {number % 7} ms\n" for number in range(count))


def bare(parsed: Parsed) -> list[tuple[str, dict[str, object]]]:
    """The facts without those about the text as a whole."""
    return [(draft.kind, dict(draft.fields)) for draft in parsed.drafts if draft.kind not in ("raw_text", "truncated")]


def flags(parsed: Parsed) -> list[tuple[object, ...]]:
    return [tuple(draft.fields[name] for name in ("line", "grammar", "lost")) for draft in parsed.drafts if draft.kind == "truncated"]


def pieces(data: bytes, sizes: Sequence[int]) -> Iterator[bytes]:
    at = number = 0
    while at < len(data):
        size = sizes[number % len(sizes)]
        yield data[at : at + size]
        at, number = at + size, number + 1


@given(st.sampled_from(NAMES), st.lists(st.integers(1, 5000), min_size=1, max_size=4))
def test_how_the_bytes_arrive_does_not_matter(name: str, sizes: list[int]) -> None:
    data = (FOLDER / f"{name}.txt").read_bytes() + "é\n".encode()
    assert parse_stream(pieces(data, sizes)).drafts == parse(data).drafts


@given(st.text(alphabet="aé\u20ac\U0001f600\r\n\x00", max_size=120), st.integers(1, 7), st.sampled_from(["utf-8", "utf-16"]))
def test_characters_across_the_borders_of_pieces(text: str, size: int, encoding: str) -> None:
    data = text.encode(encoding)
    assert parse_stream(pieces(data, [size])).drafts == parse(data).drafts


@pytest.mark.parametrize("name", NAMES)
def test_what_is_left_out_of_a_long_text_holds_no_signal(reading: Callable[..., Any], name: str) -> None:
    """Each recording stands in a text that is thinned but not cut: every grammar must find its own signs kept."""
    recording = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    text = f"{quiet(3000)}\n{recording}\n{quiet(3000)}"
    whole = reading(text, Limits(window=10**9))
    thinned = reading(text, Limits(window=3 * len(recording) + 60_000))
    assert bare(thinned.parsed) == bare(whole.parsed)
    added = [flag for flag in flags(thinned.parsed) if flag not in flags(whole.parsed)]
    assert [flag[1] for flag in added] == ["text"]
    assert int(str(added[0][2])) > 100_000


def test_lines_that_are_left_out_are_counted() -> None:
    text = quiet(2000) + traceback(1)
    parsed = parse(text, limits=Limits(window=20_000))
    kept = {draft.fields["first_line"] for draft in parsed.drafts if draft.kind == "signal"}
    assert kept == {2001}
    (_, _, lost), *more = flags(parsed)
    assert more == []
    lines = text.splitlines(keepends=True)
    windows = Windows(Limits(window=20_000))
    left = {
        number
        for part in windows.parts(Source([text.encode()], None, Limits()))
        for number, line in zip(part.numbers, part.lines, strict=True)
        if line
    }
    blank = {number for number, line in enumerate(lines, 1) if line == "\n"}
    assert lost == sum(len(line) for number, line in enumerate(lines, 1) if number not in left | blank)


def test_a_text_of_parts_has_the_signals_of_the_whole(reading: Callable[..., Any]) -> None:
    text = "".join(traceback(line, name=f"E{line}Error") for line in range(1, 400))
    whole, cut = reading(text, Limits(window=10**9)), reading(text, Limits(window=9_000))
    assert bare(cut.parsed) == bare(whole.parsed)
    assert flags(cut.parsed) == []


def test_chains_are_not_cut(reading: Callable[..., Any]) -> None:
    link = "During handling of the above exception, another exception occurred:\n\n"
    text = "".join(traceback(line, name=f"A{line}Error") + link + traceback(line, name=f"B{line}Error") for line in range(1, 200))
    whole, cut = reading(text, Limits(window=10**9)), reading(text, Limits(window=5_000))
    assert bare(cut.parsed) == bare(whole.parsed)
    assert flags(cut.parsed) == []


def test_a_section_of_failures_goes_on_in_the_next_part(reading: Callable[..., Any]) -> None:
    block = "___________________________________ test_{0} ____________________________________\n\n    def test_{0}():\n>       assert {0} == 0\nE       assert {0} == 0\n\na.py:{0}: AssertionError\n"
    blocks = "".join(block.format(number) for number in range(100, 400))
    text = f"=================================== FAILURES ===================================\n{blocks}=========================== short test summary info ===========================\n=== 300 failed in 0.1s ===\n"
    whole, cut = reading(text, Limits(window=10**9)), reading(text, Limits(window=20_000))
    assert len(whole.rows("test_case")) == 300
    assert cut.signals() == whole.signals()
    assert cut.rows("belongs", "test") == whole.rows("belongs", "test")
    assert cut.rows("comparison", "left", "right") == whole.rows("comparison", "left", "right")
    assert flags(cut.parsed) == flags(whole.parsed) == []


@pytest.mark.parametrize("window", [10**9, 4_000])
def test_a_signal_that_repeats_is_counted(reading: Callable[..., Any], window: int) -> None:
    text = traceback(7, name="KeyError") + "".join(traceback(1, f"bad {number}") for number in range(500)) + traceback(9)
    facts = reading(text, Limits(window=window))
    assert facts.rows("signal", "class_name", "message", "first_line") == [
        ("KeyError", "x", 1),
        ("ValueError", "bad 0", 6),
        ("ValueError", "bad 499", 2501),
        ("ValueError", "x", 2506),
    ]
    assert facts.rows("repeated", "count", "last_line") == [(500, 2501)]
    assert flags(facts.parsed) == [(11, "repeats", 498)]


def test_a_few_repeats_are_all_kept(reading: Callable[..., Any]) -> None:
    facts = reading(traceback(1) * 8)
    assert (len(facts.signals()), facts.rows("repeated", "count")) == (8, [])


def test_tests_that_fail_alike_are_no_repeats(reading: Callable[..., Any]) -> None:
    rule = "=" * 70 + "\n"
    text = "".join(f"{rule}FAIL: test_{number} (m.C)\n{'-' * 70}\n{traceback(1)}" for number in range(30)) + rule
    assert len(reading(text).signals()) == 60


def test_the_last_signals_of_too_many_are_kept(reading: Callable[..., Any]) -> None:
    text = "".join(traceback(line, name=f"E{line}Error") for line in range(1, 401))
    for window in (10**9, 6_000):
        facts = reading(text, Limits(signals=40, tail=10, window=window))
        assert facts.rows("stack_frame", "line") == [(line,) for line in (*range(1, 31), *range(391, 401))]
        assert [flag[1:] for flag in flags(facts.parsed)] == [("signals", 360)]


def test_what_is_kept_is_bounded_by_size_too(reading: Callable[..., Any]) -> None:
    text = "".join(traceback(line, "m" * 5_000, f"E{line}Error") for line in range(1, 200))
    facts = reading(text, Limits(kept=200_000))
    assert sum(len(message) for (message,) in facts.rows("signal", "message")) < 450_000
    lost = [flag for flag in flags(facts.parsed) if flag[1] == "signals"]
    assert len(facts.signals()) + int(str(lost[0][2])) == 199


def test_a_line_without_end(reading: Callable[..., Any]) -> None:
    def stream() -> Iterator[bytes]:
        for _ in range(20):
            yield b"x" * 1_000_000
        yield ("\n\n" + traceback(3)).encode()

    parsed = parse_stream(stream())
    assert flags(parsed) == [(1, "text", 20_000_000 - 65_536)]
    assert [draft.fields["first_line"] for draft in parsed.drafts if draft.kind == "signal"] == [3]
    assert parsed.drafts[0].fields["characters"] == 20_000_000 + len(traceback(3)) + 2


def test_a_stray_nul_is_no_binary() -> None:
    text = quiet(200) + "\x00\n" + traceback(1)
    parsed = parse(text)
    assert parsed.drafts[0].fields["binary"] is False
    assert [draft.fields["class_name"] for draft in parsed.drafts if draft.kind == "signal"] == ["ValueError"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_sixteen_bits_with_and_without_a_mark(encoding: str) -> None:
    data = traceback(1, "é").encode(encoding)
    assert [draft.fields["message"] for draft in parse(data).drafts if draft.kind == "signal"] == ["é"]
    assert encoding_of(bytes(range(256))) == "utf-8"


def test_mixed_encodings_lose_only_what_cannot_be_read() -> None:
    data = traceback(1, "caf\u00e9").encode("latin-1") + traceback(2, "caf\u00e9").encode()
    assert [draft.fields["message"] for draft in parse(data).drafts if draft.kind == "signal"] == ["caf\ufffd", "caf\u00e9"]


def test_only_cited_lines_of_a_long_text_are_kept() -> None:
    text = quiet(2000) + traceback(1)
    parsed = parse(text, limits=Limits(window=20_000))
    assert parsed.text.raw_lines == 2005
    assert parsed.text.raw(2002) == '  File "a.py", line 1, in f'
    assert parsed.text.all_raw.get(5) is None


def test_the_work_of_the_gatherer_grows_with_the_text_only(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = 0

    class Counting:
        def search(self, line: str) -> object:
            nonlocal counted
            counted += 1
            return search(line)

    search = LOUD.compiled.search
    monkeypatch.setattr(LOUD, "_compiled", Counting())
    for count in (2_000, 8_000):
        counted = 0
        parse(quiet(count), limits=Limits(window=20_000))
        assert counted <= 3 * count
    monkeypatch.setattr(source, "CHUNK", 4096)
    counted = 0
    parse(quiet(8_000), limits=Limits(window=20_000))
    assert counted <= 3 * 8_000
