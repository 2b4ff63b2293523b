"""Why: unittest writes the two values of a failed assertion around a phrase of its own; the phrase says where one ends."""

from __future__ import annotations

from tollens.parsers.comparison import Sides, quote_end
from tollens.parsers.patterns import Pattern

#: What unittest writes between two values: the phrase and the form of the comparison. Longer phrases come first.
_PHRASES = (
    (" is not an instance of ", "unittest_instance"),
    (" is an instance of ", "unittest_instance"),
    (" not less than or equal to ", "unittest_order"),
    (" not greater than or equal to ", "unittest_order"),
    (" unexpectedly found in ", "unittest_member"),
    (" not greater than ", "unittest_order"),
    (" not less than ", "unittest_order"),
    (" not found in ", "unittest_member"),
    (" is not true", "unittest_truth"),
    (" is not false", "unittest_truth"),
    (" is not ", "unittest_identity"),
    (" != ", "unittest_equal"),
    (" == ", "unittest_equal"),
)
_FIRST = frozenset(phrase[1] for phrase, _ in _PHRASES)
#: What unittest may put before the first value and after the second.
_BEFORE = Pattern(r"[A-Z]\w+s differ: |Regex (?:didn't match|matched): ")
_AFTER = (" within ", " : ")
_VALUE = Pattern(r"-?[0-9]|[bBrRuUfF]{0,2}['\"]|[\[({<]|(?:None|True|False)\b|[^\W\d][\w.]*\(|(?:nan|inf)\b|…|\.\.\.")


def split_unittest(message: str, *, strict: bool = False) -> tuple[Sides, str] | None:
    """The sides of the first line of a unittest failure and the comparison's form; the operator is unittest's own phrase.

    `strict` asks that the left side looks like a printed value, for text of which nobody knows that unittest wrote it.
    """
    line = message.partition("\n")[0]
    before = _BEFORE.match(line)
    start = before.end() if before is not None else 0
    if strict and before is None and _VALUE.match(line) is None:
        return None
    found = _phrase(line, start, whole=True) or _only(line, start) or _phrase(line, start, whole=False)
    if found is None:
        return None
    column, phrase, form = found
    right_at = column + len(phrase)
    end = min((_outside_quotes(line, sign, right_at, len(line)) for sign in _AFTER), default=len(line))
    left, right = line[start:column], line[right_at:end]
    if form == "unittest_truth":
        right, right_at, phrase = phrase[8:], column + 8, " is not "
        if line[column + 8 + len(right) :][:3] not in ("", " : "):
            return None
    if strict and right and _VALUE.match(right) is None and form not in ("unittest_truth", "unittest_identity"):
        return None
    return Sides(left, phrase.strip(), right or None, start, right_at), form


def _phrase(line: str, start: int, *, whole: bool) -> tuple[int, str, str] | None:
    """The first phrase outside of quotes (and, with `whole`, of brackets that close): column, phrase, form."""
    index, depth, quotes = start, 0, "'\""
    while index < len(line):
        char = line[index]
        if char in quotes:
            after = quote_end(line, index)
            if after < 0 and whole:
                return None
            if after < 0:
                quotes = quotes.replace(char, "")  # an apostrophe, or a value that was cut
            index = max(after, index + 1)
            continue
        if whole and char in "([{":
            depth += 1
        elif whole and char in ")]}":
            depth -= 1
        elif char == " " and depth <= 0 and line[index + 1 : index + 2] in _FIRST:
            for phrase, form in _PHRASES:
                if line.startswith(phrase, index):
                    return index, phrase, form
        index += 1
    return None


def _only(line: str, start: int) -> tuple[int, str, str] | None:
    """A phrase that stands once in a line whose quotes were elided: column, phrase, form."""
    for phrase, form in _PHRASES:
        column = line.find(phrase, start)
        if column >= 0 and line.find(phrase, column + 1) < 0:
            return column, phrase, form
    return None


def _outside_quotes(line: str, phrase: str, start: int, default: int) -> int:
    """The first occurrence of a phrase outside quotes, or `default`."""
    index = start
    while 0 <= index < len(line):
        if line[index] in "'\"":
            index = quote_end(line, index)
        elif line.startswith(phrase, index):
            return index
        else:
            index += 1
    return default
