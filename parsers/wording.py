"""Why: helpers of tests say in words what was expected and what was found; the words tell the sides, if they are read exactly."""

from __future__ import annotations

import re
from typing import NamedTuple

from tollens.parsers.patterns import Pattern

#: A line of a message: the text's line number, the column at which the message's part begins, and that part.
Row = tuple[int, int, str]

_LABEL = Pattern(
    r"\s*(?i:(expected|expecting|want|wanted|desired)|(got|actual|actually|received|found|but was|but got|but found|returned|was))"
    r"(?: (?:value|values|result|results|output|text|call|type))?\s*[:=](?:\s+|$)(.*)$"
)
_EXPECTED = Pattern(r"(?i:\b(?:expected|expecting|wanted|want)\b)(?: to be)?:?")
_GOT = Pattern(r"(?i:\b(?:got|received|found|given|actual|returned|was|had|has)\b)(?: instead| only)?:?")
#: Words that need a value beside them to mean what was found; alone they are prose.
_WEAK = ("was", "had", "has", "actual", "returned", "found")
_VALUE = r"(?:'[^']*'|\"[^\"]*\"|-?[0-9][\w.]*|\[[^\]]*\]|\([^)]*\)|\{[^}]*\}|None|True|False)"
_IS_VALUE = Pattern(rf"{_VALUE}|<")
_NOT_BUT = Pattern(rf" is not ({_VALUE}): ({_VALUE})$")
_GLUE = ("but it", "but", "and", "instead of", "instead", "while", "which", "it")
_WORDS = ("expect", "want", "desired", " is not ")
_SENTENCE = Pattern(r"[^'\"\[({]*?[.;!] +[A-Z]")
_LONGEST = 2_000


class Side(NamedTuple):
    """A side's text and where it begins: the number of the row, and the column in its part."""

    text: str
    row: int
    column: int


class Said(NamedTuple):
    """What a message's own words call expected and got; `form` names them in the order printed."""

    form: str
    expected: Side
    got: Side


def read_wording(rows: list[Row]) -> Said | None:
    """The sides that a message names in words: on labelled lines, or both in one line; None where it does not."""
    if not any(word in row[2].lower() for row in rows[:60] for word in _WORDS):
        return None
    return _labelled(rows) or _inline(rows)


def _labelled(rows: list[Row]) -> Said | None:
    """`Expected:` and `Got:` at the beginnings of lines, each followed by its value there or on the lines below."""
    sides: dict[str, Side] = {}
    for at, (_, _, line) in enumerate(rows):
        found = _LABEL.match(line) if ":" in line or "=" in line else None
        if found is None:
            continue
        name = "expected" if found.group(1) else "got"
        value = _value(rows, at, found) if name not in sides else None
        if value is not None:
            sides[name] = value
    return Said("_".join(sides), sides["expected"], sides["got"]) if len(sides) == 2 else None


def _value(rows: list[Row], at: int, found: re.Match[str]) -> Side | None:
    rest = found.group(3)
    if rest.strip():
        return Side(rest.rstrip(), at, found.start(3))
    first = at + 1
    while first < len(rows) and not rows[first][2].strip():
        first += 1
    lines: list[str] = []
    for _, _, line in rows[first : first + 40]:
        if not line.strip() or _LABEL.match(line) or line.startswith("assert "):
            break
        lines.append(line.rstrip())
    if not lines:
        return None
    margin = min(len(line) - len(line.lstrip()) for line in lines)
    column = len(lines[0]) - len(lines[0].lstrip())
    return Side("\n".join(line[margin:] for line in lines).lstrip(), first, column)


def _inline(rows: list[Row]) -> Said | None:
    for at, (_, _, part) in enumerate(rows[:20]):
        line, lower = part.rstrip(), part.lower()
        if len(line) > _LONGEST or not any(word in lower for word in _WORDS):
            continue
        said = _not_but(line, at) if " is not " in line else None
        said = said or _in_words(line, at)
        if said is not None:
            return said
    return None


def _not_but(line: str, at: int) -> Said | None:
    """`the node is not 'a': 'b'`: what it should have been, and after a colon what it is."""
    found = _NOT_BUT.compiled.search(line)
    if found is None:
        return None
    return Said("is_not_but", Side(found.group(1), at, found.start(1)), Side(found.group(2), at, found.start(2)))


def _in_words(line: str, at: int) -> Said | None:
    expected = _EXPECTED.compiled.search(line)
    if expected is None:
        return None
    after = next((word for word in _GOT.finditer(line) if word.start() > expected.end() and _is_said(line, word, after=True)), None)
    if after is not None:
        left, right = _part(line, expected.end(), after.start()), _part(line, after.end(), len(line))
        if right is None and left is not None:  # `expected str, int found`
            comma = line.rfind(", ", expected.end(), after.start())
            left, right = _part(line, expected.end(), comma), _part(line, comma + 2, after.start())
        if left is not None and right is not None:
            return Said("expected_got", Side(left[0], at, left[1]), Side(_sentence(right[0]), at, right[1]))
        return None
    before = next((word for word in _GOT.finditer(line) if word.end() < expected.start() and _is_said(line, word, after=False)), None)
    if before is None:
        return None
    left, right = _part(line, before.end(), expected.start()), _part(line, expected.end(), len(line))
    if left is None or right is None:
        return None
    return Said("got_expected", Side(_sentence(right[0]), at, right[1]), Side(left[0], at, left[1]))


def _sentence(text: str) -> str:
    """A value without the sentence that may follow it."""
    found = _SENTENCE.match(text)
    return (text[: found.end() - 1].rstrip(" .;!") or text) if found is not None else text


def _is_said(line: str, word: re.Match[str], *, after: bool) -> bool:
    """Whether a word such as `got` parts two values: after a comma or a word that joins, or beside a value or a colon."""
    if word.group().endswith(":") or _IS_VALUE.match(line[word.end() :].lstrip()) is not None:
        return True
    if word.group().split()[0].lower() in _WEAK:
        return after and word.group().lower() == "found" and (word.end() >= len(line.rstrip(")")) or ", " in line[: word.start()][-2:])
    if not after:
        return True
    head = line[: word.start()].rstrip()
    return head.endswith((",", ";", "(", ".", " but", " and")) or word.end() >= len(line.rstrip(")"))


def _part(line: str, start: int, end: int) -> tuple[str, int] | None:
    """What stands between two columns, without the words and signs that join it to what is around; None where nothing is left."""
    if end <= start:
        return None
    text = line[start:end].rstrip()
    opened = text.count("(") - text.count(")")
    while text.endswith((",", ";", ".", "(")) or (text.endswith(")") and opened < 0):
        opened += text.endswith(")")
        text = text[:-1].rstrip()
    for word in _GLUE:
        if text.lower().endswith(" " + word):
            text = text[: -len(word)].rstrip(" ,;.(")
            break
    bare = text.lstrip(" :=")
    return (bare, start + len(text) - len(bare)) if bare else None
