"""Why: a log can be larger than memory, and a secret can stand across any border; here bytes become masked lines, block by block."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from tollens.facts.values import byte_state
from tollens.parsers.limits import Limits

#: How many characters are held back, unread, until what follows them is known: no secret that is shorter is ever split.
MARGIN = 64 * 1024
#: What is read at once.
CHUNK = 1024 * 1024
_MARKS = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


class Mask(Protocol):
    """Hides secrets in place: same length, same line ends."""

    def mask(self, text: str) -> tuple[str, Sequence[tuple[int, int]]]:
        """The masked text, and where something was masked, in rising order."""
        ...

    def count(self, before: int) -> None:
        """Count what the last call masked before this character: the rest will be seen again."""
        ...


class Block(NamedTuple):
    """Whole lines, each with its line end but perhaps the last of the text; `lost` are the characters left out of a line, by raw number."""

    text: str
    first: int
    lost: dict[int, int]


def encoding_of(head: bytes) -> str:
    """UTF-16 where its mark, or a NUL in every second byte, says so; else UTF-8."""
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name
    sample = head[:1024]
    pairs = len(sample) // 2
    if pairs >= 8:
        even, odd = sample[: 2 * pairs : 2].count(0), sample[1 : 2 * pairs : 2].count(0)
        if odd * 10 >= pairs * 9 and even * 10 < pairs:
            return "utf-16-le"
        if even * 10 >= pairs * 9 and odd * 10 < pairs:
            return "utf-16-be"
    return "utf-8"


def in_chunks(pieces: Iterable[bytes], size: int = CHUNK) -> Iterator[bytes]:
    """The same bytes in pieces of one size, so that nothing depends on how they arrived."""
    held: list[bytes] = []
    length = 0
    for piece in pieces:
        held.append(piece)
        length += len(piece)
        if length >= size:
            joined = b"".join(held)
            whole = length - length % size
            for at in range(0, whole, size):
                yield joined[at : at + size]
            held, length = [joined[whole:]], length - whole
    if length:
        yield b"".join(held)


def decoded(chunks: Iterable[bytes]) -> Iterator[str]:
    """Text of any bytes; what cannot be read is replaced, and nothing in it is a lone surrogate.

    A text with carriage returns and no line feed in its first chunk has its lines ended by them.
    """
    decoder: codecs.IncrementalDecoder | None = None
    returns: bool | None = None
    for chunk in chunks:
        if decoder is None:
            decoder = codecs.getincrementaldecoder(encoding_of(chunk))("replace")
        text = decoder.decode(chunk)
        if returns is None:
            returns = "\n" not in text and "\r" in text
        if text:
            yield text.replace("\r", "\n") if returns else text
    if decoder is not None:
        text = decoder.decode(b"", final=True)
        if text:
            yield text


class _Lines:
    """Cuts a stream of text into blocks of whole lines; of a line that is far too long only the beginning is kept."""

    def __init__(self, limits: Limits) -> None:
        self.most = limits.line + MARGIN
        self.number = 1
        self.lost: dict[int, int] = {}
        self._rest = ""
        self._skipping = False

    def blocks(self, texts: Iterable[str]) -> Iterator[str]:
        """Whole lines; `lost` grows on the way."""
        for text in texts:
            whole = self._take(text)
            if whole:
                yield whole
        if self._rest:
            yield self._rest

    def _take(self, text: str) -> str:
        if self._skipping:
            end = text.find("\n")
            self.lost[self.number] += len(text) if end < 0 else end
            if end < 0:
                return ""
            text, self._skipping = text[end:], False
        joined = self._rest + text if self._rest else text
        cut = joined.rfind("\n") + 1
        whole, self._rest = joined[:cut], joined[cut:]
        self.number += whole.count("\n")
        if len(self._rest) > self.most:
            self.lost[self.number] = len(self._rest) - self.most
            self._rest, self._skipping = self._rest[: self.most], True
        return whole


class Source:
    """The masked text of a stream of bytes, in blocks of whole lines; counts on the way what it saw."""

    def __init__(self, chunks: Iterable[bytes], mask: Mask | None, limits: Limits) -> None:
        self._lines = _Lines(limits)
        self._texts = self._lines.blocks(decoded(in_chunks(chunks)))
        self._mask = mask
        #: Characters read, with those that were left out; how many were not, and how many of these are NUL.
        self.characters = 0
        self.kept = 0
        self.nuls = 0
        self._state = byte_state(size=10)

    def digest(self) -> str:
        """Twenty hexadecimal digits that stand for the masked text that was read so far, and for how much of it was left out."""
        return self._state.hexdigest()

    def __iter__(self) -> Iterator[Block]:
        held, first = "", 1
        for text in self._texts:
            self.nuls += text.count("\x00")
            self.kept += len(text)
            held = held + text if held else text
            if len(held) <= 2 * MARGIN:
                continue
            block, held = self._settle(held, final=False)
            if block:
                yield self._block(block, first)
                first += block.count("\n")
        if held:
            block, _ = self._settle(held, final=True)
            yield self._block(block, first)

    def _block(self, text: str, first: int) -> Block:
        lines = text.count("\n") + (not text.endswith("\n"))
        known = self._lines.lost
        lost = {number: known.pop(number) for number in list(known) if first <= number < first + lines}
        self.characters += len(text) + sum(lost.values())
        self._state.update(text.encode("utf-8"))
        if lost:
            self._state.update(repr(sorted(lost.items())).encode("ascii"))
        return Block(text, first, lost)

    def _settle(self, held: str, *, final: bool) -> tuple[str, str]:
        """The masked beginning of what is held, and the rest of it as it was: what is masked in part would not be recognised again."""
        masked, spans = (held, ()) if self._mask is None else self._mask.mask(held)
        cut = len(held) if final else held.rfind("\n", 0, len(held) - MARGIN) + 1
        if not final:
            for start, end in reversed(spans):
                if start < cut < end:
                    # Before the secret, or after it where it fills all that is held.
                    cut = held.rfind("\n", 0, start) + 1 or end
        if self._mask is not None:
            self._mask.count(cut)
        return masked[:cut], held[cut:]
