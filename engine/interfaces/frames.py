"""Why: two processes that talk over pipes must notice at once when what arrives is not what the other one meant to say.

A frame is a line `tollens-frame JSON_BYTES RAW_BYTES`, that many bytes of JSON (one object), and that many raw bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import IO, Any, NamedTuple

#: The most bytes of a frame's JSON and of its raw part.
MOST_BYTES = 512 * 1024 * 1024
#: The exit code of a process that ran out of memory before it could send a frame.
EXIT_MEMORY = 72
_WORD = b"tollens-frame"
_HEADER_BYTES = 64
_DIGITS = 12


class BadFrame(ValueError):
    """Bytes that are no frame; the message shows their beginning."""


class Frame(NamedTuple):
    """One message: a JSON object and raw bytes."""

    data: dict[str, Any]
    raw: bytes = b""


def pack(data: Mapping[str, object], raw: bytes = b"") -> bytes:
    """The bytes of a frame; ValueError where it is larger than a frame may be."""
    body = json.dumps(data, ensure_ascii=True, separators=(",", ":")).encode("ascii")
    if max(len(body), len(raw)) > MOST_BYTES:
        raise ValueError(f"a frame holds at most {MOST_BYTES} bytes of each part")
    return b"".join([b"%s %d %d\n" % (_WORD, len(body), len(raw)), body, raw])


def unpack(received: bytes | bytearray) -> tuple[Frame, int] | None:
    """The frame at the beginning of what was received, and its length; None until it is whole; BadFrame where none begins."""
    end = received.find(b"\n", 0, _HEADER_BYTES)
    if end < 0:
        start = bytes(received[: len(_WORD)])
        if len(received) >= _HEADER_BYTES or not _WORD.startswith(start):
            raise BadFrame(f"{bytes(received[:40])!r}")
        return None
    sizes = _sizes(bytes(received[:end]))
    total = end + 1 + sum(sizes)
    if len(received) < total:
        return None
    middle = end + 1 + sizes[0]
    return Frame(_object(bytes(received[end + 1 : middle])), bytes(received[middle:total])), total


def read(stream: IO[bytes]) -> Frame | None:
    """The next frame of a stream that blocks; None at its end, BadFrame where it ends or goes wrong within a frame."""
    header = stream.readline(_HEADER_BYTES)
    if not header:
        return None
    if not header.endswith(b"\n"):
        raise BadFrame(f"{header[:40]!r}")
    sizes = _sizes(header[:-1])
    body, raw = stream.read(sizes[0]), stream.read(sizes[1])
    if (len(body), len(raw)) != sizes:
        raise BadFrame("the stream ended within a frame")
    return Frame(_object(body), raw)


def _sizes(header: bytes) -> tuple[int, int]:
    parts = header.split(b" ")
    if len(parts) != 3 or parts[0] != _WORD or not all(part.isdigit() and len(part) <= _DIGITS for part in parts[1:]):
        raise BadFrame(f"{header[:40]!r}")
    sizes = int(parts[1]), int(parts[2])
    if max(sizes) > MOST_BYTES:
        raise BadFrame(f"a frame of {max(sizes)} bytes")
    return sizes


def _object(body: bytes) -> dict[str, Any]:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BadFrame(f"a frame without JSON ({error})") from None
    if not isinstance(data, dict):
        raise BadFrame("a frame whose JSON is no object")
    return data
