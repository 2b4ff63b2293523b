"""Why: the fixed list of functions that an expression may call: how many arguments, of which types, giving what.

Types only; the values are computed by the session. Two names are written by the loader and never by an author, so that an evaluator
needs no types: `to_number` turns an int into a number (times SCALE), `mul_number` multiplies numbers (millionths; every product is
brought back to millionths, rounded half to even). All other functions get arguments of one type and work on the bare integers.
"""

from __future__ import annotations

from typing import NamedTuple

#: How the argument types of a function decide its result.
SAME = "same"  # int or number arguments, one number among them makes all of them numbers; the result has their type
RATIO = "ratio"  # like SAME for the first two, `else` is a number; the result is a number
ROUND = "round"  # a number and a constant int from 0 to 6; the result is a number
TEXT = "text"  # texts; the result is a text
DIGEST = "digest"  # anything; the result is a text
DEFAULT = "default"  # two of one type, any type; the result has it
CAST = "cast"  # an int; the result is a number

#: The most arguments where a function takes any number of them.
MANY = 64


class Signature(NamedTuple):
    """A function: its name, fewest and most arguments, the typing rule (one of the constants above) and what it gives.

    `lenient` functions see absent arguments; any other function is absent when one of its arguments is. `written` is false for what
    only the loader writes.
    """

    name: str
    fewest: int
    most: int
    rule: str
    doc: str
    lenient: bool = False
    written: bool = True


FUNCTIONS: dict[str, Signature] = {
    signature.name: signature
    for signature in (
        Signature("add", 2, MANY, SAME, "the sum"),
        Signature("sub", 2, 2, SAME, "the first less the second"),
        Signature("mul", 2, MANY, SAME, "the product (ints only in the checked form; numbers become mul_number)"),
        Signature("ratio", 3, 3, RATIO, "a / b as a number, rounded half to even; the third where b is 0"),
        Signature("clamp", 3, 3, SAME, "x, no less than low and no more than high"),
        Signature("round", 2, 2, ROUND, "x to so many digits after the point, half to even"),
        Signature("least", 1, MANY, SAME, "the smallest; absent ones are passed over", lenient=True),
        Signature("most", 1, MANY, SAME, "the largest; absent ones are passed over", lenient=True),
        Signature("lower", 1, 1, TEXT, "the text in lower case"),
        Signature("last_part", 2, 2, TEXT, "what follows the last separator; the whole text where there is none"),
        Signature("digest", 1, MANY, DIGEST, "twenty hexadecimal digits that stand for the values", lenient=True),
        Signature("default", 2, 2, DEFAULT, "the first, or the second where the first is absent", lenient=True),
        Signature("to_number", 1, 1, CAST, "an int as a number", written=False),
        Signature("mul_number", 2, MANY, SAME, "the product of numbers", written=False),
    )
}

#: The functions that an author may write, sorted (aggregates and `format` have their own forms).
WRITTEN = sorted(name for name, signature in FUNCTIONS.items() if signature.written)

#: Aggregates over facts of finished stages: whether they need `of`.
AGGREGATES: dict[str, bool] = {"count": False, "sum": True, "min": True, "max": True, "first": True, "collect": True}
