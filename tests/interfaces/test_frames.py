"""Why: a frame is the only thing that the two processes believe, so nothing else may ever be taken for one."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollens.engine.interfaces import frames
from tollens.engine.interfaces.frames import BadFrame, Frame, pack, read, unpack

# JSON texts with lone surrogates too: a raw signal may hold them.
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(st.characters(exclude_categories=[])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(), VALUES, max_size=4)


@given(data=OBJECTS, raw=st.binary(max_size=300), rest=st.binary(max_size=30))
def test_a_frame_comes_back_and_leaves_the_rest(data: dict[str, object], raw: bytes, rest: bytes) -> None:
    packed = pack(data, raw)
    assert unpack(packed + rest) == (Frame(data, raw), len(packed))
    assert read(io.BytesIO(packed + rest)) == Frame(data, raw)


@given(data=OBJECTS, raw=st.binary(max_size=60), cut=st.integers(0, 10_000))
def test_a_part_of_a_frame_is_waited_for_and_an_end_within_one_is_an_error(data: dict[str, object], raw: bytes, cut: int) -> None:
    packed = pack(data, raw)
    part = packed[: cut % len(packed)]
    assert unpack(part) is None
    if part:
        with pytest.raises(BadFrame):
            read(io.BytesIO(part))
    else:
        assert read(io.BytesIO(part)) is None


@given(noise=st.binary(min_size=1, max_size=200))
def test_noise_is_seen_at_once(noise: bytes) -> None:
    if b"tollens-frame ".startswith(noise[:14]):
        return
    with pytest.raises(BadFrame):
        unpack(noise)
    with pytest.raises(BadFrame):
        read(io.BytesIO(noise))


@pytest.mark.parametrize(
    "text",
    [
        b"tollens-frame 2 0 \n{}",
        b"tollens-frame -2 0\n{}",
        b"tollens-frame 2\n{}",
        b"tollens-frame 999999999999 0\n{}",
        b"tollens-frame 1000000000000000 0\n{}",
        b"tollens-frame 2 0\n[]",
        b"tollens-frame 2 0\n{{",
        b"tollens-frame " + b"1" * 60,
        b"tollens-frame 200000 0\n" + b"[" * 200_000,
    ],
)
def test_a_false_header_or_body_is_an_error(text: bytes) -> None:
    with pytest.raises(BadFrame):
        unpack(text)
    with pytest.raises(BadFrame):
        read(io.BytesIO(text))


def test_a_frame_that_is_too_large_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "MOST_BYTES", 100)
    pack({}, bytes(100))
    with pytest.raises(ValueError, match="100 bytes"):
        pack({}, bytes(101))
