"""Why: an assertion's two sides are the best evidence it gives, and they must be split where the author's operator stands."""

from __future__ import annotations

from typing import NamedTuple

#: Comparison operators as they stand between blanks; longer ones first where one begins another.
_COMPARISONS = ("not in", "is not", "==", "!=", "<=", ">=", "in", "is", "<", ">")
_CONNECTIVES = ("and", "or")
_OPEN, _CLOSE = "([{", ")]}"


class Sides(NamedTuple):
    """The sides of a comparison, verbatim; `at` is the column of the left one, `right_at` that of the right one."""

    left: str | None
    operator: str | None
    right: str | None
    at: int
    right_at: int


def split_assertion(text: str) -> Sides | None:
    """The sides of what pytest prints after `assert `; None where the text does not say which operator was meant.

    A bare value gives `left` alone; `not x` gives the operator `not` and `right` alone.
    """
    start, end = _unwrapped(text, len(text) - len(text.lstrip()), len(text.rstrip()))
    body = text[start:end]
    if not body:
        return None
    for marks in (top_level(body, angles=True), top_level(body, angles=False)):
        if marks is not None:
            return _sides(body, start, marks)
    return _only_operator(body, start)


def _unwrapped(text: str, start: int, end: int) -> tuple[int, int]:
    """The part of a text inside parentheses that enclose all of it."""
    for _ in range(20):
        if not (text.startswith("(", start) and text.endswith(")", start, end)):
            break
        marks = top_level(text[start + 1 : end - 1], angles=False)
        if marks is None or _is_tuple(text[start + 1 : end - 1]):
            break
        start, end = start + 1, end - 1
        while start < end and text[start] == " ":
            start += 1
        while end > start and text[end - 1] == " ":
            end -= 1
    return start, end


def _is_tuple(body: str) -> bool:
    commas = top_level(body, angles=False, wanted=(",",))
    return not body.strip() or bool(commas)


def top_level(body: str, *, angles: bool, wanted: tuple[str, ...] = ()) -> list[tuple[int, str]] | None:
    """Where operators stand outside quotes and brackets, left to right; None where quotes or brackets do not close."""
    found: list[tuple[int, str]] = []
    depth = angle = index = 0
    size = len(body)
    while index < size:
        char = body[index]
        if char in "'\"":
            index = quote_end(body, index)
            if index < 0:
                return None
            continue
        if char in _OPEN:
            depth += 1
        elif char in _CLOSE:
            depth -= 1
            if depth < 0:
                return None
        elif angles and char == "<" and body[index + 1 : index + 2].isidentifier():
            angle += 1
        elif angles and char == ">" and angle and body[index - 1] not in "-=":
            angle -= 1
        elif depth == 0 and angle == 0:
            operator = _operator_at(body, index) if not wanted else next((sign for sign in wanted if char == sign), None)
            if operator is not None:
                found.append((index, operator))
                index += len(operator) + (1 if operator == "," else 2) - 1
                continue
        index += 1
    return found if depth == 0 and angle == 0 else None


def _operator_at(body: str, index: int) -> str | None:
    """The operator whose leading blank stands at this column."""
    if body[index] != " ":
        return None
    for operator in (*_COMPARISONS, *_CONNECTIVES):
        if body.startswith(operator, index + 1) and body.startswith(" ", index + 1 + len(operator)):
            return operator
    return None


def quote_end(body: str, index: int) -> int:
    """The column after a string that begins at this quote; -1 where it does not end. Triple quotes are read as such."""
    quote = body[index]
    triple = body.startswith(quote * 3, index)
    close = quote * 3 if triple else quote
    index += len(close)
    while index < len(body):
        if body[index] == "\\":
            index += 2
        elif body.startswith(close, index):
            return index + len(close)
        else:
            index += 1
    return -1


def _sides(body: str, start: int, marks: list[tuple[int, str]]) -> Sides:
    connective = next((mark for mark in marks if mark[1] in _CONNECTIVES), None)
    if connective is None and body.startswith("not "):
        right = body[4:].lstrip()
        return Sides(None, "not", right, start, start + len(body) - len(right))
    mark = connective or (marks[0] if marks else None)
    if mark is None:
        return Sides(body, None, None, start, start + len(body))
    return _at(body, start, *mark)


def _at(body: str, start: int, column: int, operator: str) -> Sides:
    right = body[column + len(operator) + 2 :].lstrip()
    return Sides(body[:column].rstrip(), operator, right, start, start + len(body) - len(right))


def without_message(expression: str) -> str:
    """An asserted expression without the message that the author put after a comma."""
    commas = top_level(expression, angles=False, wanted=(",",))
    return expression[: commas[0][0]].rstrip() if commas else expression


def _only_operator(body: str, start: int) -> Sides | None:
    """For text whose quotes or brackets were elided: the operator, if only one comparison stands anywhere in it."""
    marks: list[tuple[int, str]] = []
    index = body.find(" ")
    while index >= 0:
        operator = _operator_at(body, index)
        if operator is not None and operator in _COMPARISONS:
            marks.append((index, operator))
        index = body.find(" ", index + 1)
    signs = [mark for mark in marks if not mark[1].isalpha() and " " not in mark[1]]
    chosen = signs if len(signs) == 1 else marks
    return _at(body, start, *chosen[0]) if len(chosen) == 1 else None
