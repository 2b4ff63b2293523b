"""Why: every value that a rule can name has one of seven types, checked once and encoded one way."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite

try:
    from _blake2 import blake2b  # the function of hashlib, without the milliseconds that hashlib needs to load OpenSSL
except ImportError:
    from hashlib import blake2b

#: A number is kept as a whole count of millionths, so that sums and comparisons are exact everywhere.
SCALE = 1_000_000
#: The largest magnitude of an integer (and of a scaled number) that every evaluator represents exactly.
INT_LIMIT = 2**62

#: What a field of a fact can hold: text, int, number (scaled int), bool, enum (text), ref (a fact's id), list (texts).
Value = str | int | bool | tuple[str, ...] | None

TYPES = ("text", "int", "number", "bool", "enum", "ref", "list")


def scaled(number: float) -> int:
    """A number as millionths, rounded half to even; raises ValueError when it is not finite or too large."""
    if isinstance(number, int):
        result = number * SCALE
    elif not isfinite(number):
        raise ValueError("a number must be finite")
    else:
        result = round(number * SCALE)
    if abs(result) >= INT_LIMIT:
        raise ValueError(f"a number must be smaller than {INT_LIMIT // SCALE} in magnitude")
    return result


def unscaled(millionths: int) -> float | int:
    """The number that `scaled` made into millionths, as an int where it is whole."""
    whole, rest = divmod(millionths, SCALE)
    return whole if rest == 0 else millionths / SCALE


def encode(value: Value) -> str:
    """A value as text that no other value shares: a type letter, a length and the content."""
    if isinstance(value, str):
        return f"s{len(value)}:{value}"
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "t" if value else "f"
    if isinstance(value, int):
        return f"i{value};"
    return f"l{len(value)}:" + "".join(encode(item) for item in value)


def digest(*values: Value) -> str:
    """Twenty hexadecimal digits that stand for these values in this order (BLAKE2b, 80 bits).

    Raises UnicodeEncodeError for text with lone surrogates.
    """
    parts = [f"s{len(value)}:{value}" if type(value) is str else f"i{value};" if type(value) is int else encode(value) for value in values]
    return blake2b("".join(parts).encode("utf-8"), digest_size=10).hexdigest()


def byte_state(size: int = 16) -> blake2b:
    """What `byte_digest` is made with, for parts that come one by one: `update(part)`, then `hexdigest()`."""
    return blake2b(digest_size=size)


def byte_digest(parts: Iterable[bytes], size: int = 16) -> str:
    """Hexadecimal digits (BLAKE2b of `size` bytes, so twice as many) that stand for the bytes of all parts, one after the other."""
    state = byte_state(size)
    for part in parts:
        state.update(part)
    return state.hexdigest()
