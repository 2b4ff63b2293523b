"""Why: a regular expression is narrowed or widened in one place at a time, and cases must notice it."""

from __future__ import annotations

from collections.abc import Iterator


def variants(regex: str) -> Iterator[tuple[str, str]]:
    """(What was done, the other expression): each branch of each alternation left out, anchors and leading flags dropped."""
    for start, end, branches in _alternations(regex):
        for number, (first, last) in enumerate(branches):
            rest = [regex[a:b] for other, (a, b) in enumerate(branches) if other != number]
            yield f"without branch {regex[first:last]!r}", regex[:start] + "|".join(rest) + regex[end:]
    body = regex[_flags(regex) :]
    if body != regex:
        yield f"without flags {regex[: _flags(regex)]}", body
    if body.startswith("^") and not _alternations(regex):
        yield "not anchored at the start", regex[: _flags(regex)] + body[1:]
    if body.endswith("$") and not body.endswith("\\$") and not _alternations(regex):
        yield "not anchored at the end", regex[:-1]


def _flags(regex: str) -> int:
    """The length of leading flags such as `(?i)`."""
    end = regex.find(")")
    return end + 1 if regex.startswith("(?") and regex[2 : max(end, 2)].isalpha() else 0


def _alternations(regex: str) -> list[tuple[int, int, list[tuple[int, int]]]]:
    """Every alternation, from the outermost: where it starts and ends, and its branches."""
    found: list[tuple[int, int, list[tuple[int, int]]]] = []
    stack: list[list[int]] = [[_flags(regex)]]
    position = _flags(regex)
    while position < len(regex):
        char = regex[position]
        if char == "\\":
            position += 1
        elif char == "[":
            position = _class_end(regex, position)
        elif char == "(":
            position = _group_start(regex, position)
            stack.append([position + 1])
        elif char == "|":
            stack[-1].append(position + 1)
        elif char == ")" and len(stack) > 1:
            _close(stack.pop(), position, found)
        position += 1
    _close(stack.pop(), len(regex), found)
    return sorted(found)


def _close(starts: list[int], end: int, found: list[tuple[int, int, list[tuple[int, int]]]]) -> None:
    if len(starts) > 1:
        ends = [start - 1 for start in starts[1:]] + [end]
        found.append((starts[0], end, list(zip(starts, ends, strict=True))))


def _class_end(regex: str, position: int) -> int:
    """The closing bracket of a class; a bracket that comes first stands for itself."""
    position += 1
    if regex[position : position + 1] == "^":
        position += 1
    if regex[position : position + 1] == "]":
        position += 1
    while position < len(regex) and regex[position] != "]":
        position += 2 if regex[position] == "\\" else 1
    return position


def _group_start(regex: str, position: int) -> int:
    """The last character of what opens a group: `(`, `(?:`, `(?i:`, `(?P<name>`."""
    if regex[position + 1 : position + 2] != "?":
        return position
    ends = [end for mark in (":", ">") if (end := regex.find(mark, position)) >= 0]
    return min(ends, default=position)
