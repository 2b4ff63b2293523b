"""Why: whether a regular expression can match anything is best shown by a text that it matches."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from itertools import islice
from typing import Any

from tollens.engine.rulebook.build.regex import compile_regex

#: Texts that are tried before an expression counts as one that matches nothing.
TRIES = 400
_PRINTABLE = "ax0 _-.:/'A(" + 'bcdefghijklmnopqrstuvwyzBCDEFGHIJKLMNOPQRSTUVWXYZ123456789!"#$%&)*+,;<=>?@[\\]^`{|}~\n\t'
_PER_BRANCH = 12
_DEEPEST = 120


def matching(regex: str) -> str | None:
    """A short text that the expression matches, found by trying; None where none was found or the expression cannot be taken apart."""
    search = compile_regex(regex).search
    if search("") is not None:
        return ""
    return next((text for text in islice(samples(regex), TRIES) if search(text) is not None), None)


def samples(regex: str) -> Iterator[str]:
    """Texts made by following the expression; anchors add nothing, so not each of them matches. Nothing where it cannot be read."""
    tree = _parsed(regex)
    if tree is None:
        return
    seen: set[str] = set()
    for body in _sequence(list(tree)):
        for text in (body, f" {body} ", f"a{body}a"):
            if text not in seen:
                seen.add(text)
                yield text


def readable(regex: str) -> bool:
    """Whether the expression can be followed here to its end: not RE2's own syntax (such as \\pL), and not what is very deep."""
    return _parsed(regex) is not None and next(samples(regex), None) is not None


def _parsed(regex: str) -> Any:  # noqa: ANN401 - the standard library does not type its parser
    from re import _parser as parser  # type: ignore[attr-defined]  # the parser of `re` has no public name

    plain = regex.replace("\\z", "\\Z").replace("(?s:", "(?:").replace("(?i:", "(?:")
    if "[:" in regex:
        return None  # a class such as [[:alpha:]], which Python would read as single characters
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # what Python may read otherwise one day, RE2 reads as it does now
            return parser.parse(plain)
    except (re.error, RecursionError, OverflowError):
        return None


def _sequence(items: list[Any], depth: int = 0) -> Iterator[str]:
    plain = 0
    while plain < len(items) and str(items[plain][0]) == "LITERAL":
        plain += 1
    text = "".join([chr(argument) for _, argument in items[:plain]])
    if plain == len(items):
        yield text
        return
    (op, argument), rest = items[plain], items[plain + 1 :]
    for head in islice(_one(str(op), argument, depth + 1), _PER_BRANCH):
        for tail in islice(_sequence(rest, depth + 1), _PER_BRANCH):
            yield text + head + tail


def _one(op: str, argument: Any, depth: int) -> Iterator[str]:  # noqa: ANN401 - nodes of the standard library's tree
    if depth > _DEEPEST:
        return
    if op == "LITERAL":
        yield chr(argument)
    elif op in ("NOT_LITERAL", "ANY"):
        yield from [char for char in _PRINTABLE[:6] if op == "ANY" or ord(char) != argument][:3]
    elif op == "IN":
        yield from [char for char in _PRINTABLE if re.match(_charset(argument), char)][:4] or _first_of(argument)
    elif op == "BRANCH":
        for branch in argument[1]:
            yield from _sequence(list(branch), depth)
    elif op == "SUBPATTERN":
        yield from _sequence(list(argument[-1]), depth)
    elif op in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        least, most, inner = argument
        for count in [int(least)] + ([int(least) + 1] if int(most) > int(least) else []):
            yield from [text * count for text in islice(_sequence(list(inner), depth), _PER_BRANCH if count else 1)]
    elif op == "AT":
        yield ""


def _charset(items: Any) -> re.Pattern[str]:  # noqa: ANN401
    parts = []
    negated = False
    for op, argument in items:
        name = str(op)
        if name == "NEGATE":
            negated = True
        elif name == "LITERAL":
            parts.append(re.escape(chr(argument)))
        elif name == "RANGE":
            parts.append(f"{re.escape(chr(argument[0]))}-{re.escape(chr(argument[1]))}")
        elif name == "CATEGORY":
            parts.append(_CATEGORIES.get(str(argument), ""))
    return re.compile(f"[{'^' if negated else ''}{''.join(parts)}]")


_CATEGORIES = {
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_SPACE": r"\s",
    "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
}


def _first_of(items: Any) -> list[str]:  # noqa: ANN401
    return [chr(argument if str(op) == "LITERAL" else argument[0]) for op, argument in items if str(op) in ("LITERAL", "RANGE")][:2]
