"""Why: log systems put time stamps and names before every line; a grammar must not see them, and columns must still count them."""

from __future__ import annotations

from typing import NamedTuple

from tollens.parsers.patterns import Pattern
from tollens.parsers.text import Text

_SAMPLE = 400
_PASSES = 3


class Prefix(NamedTuple):
    """What may stand before lines. It is taken off where at least `share` percent of the lines that are not blank have it."""

    pattern: Pattern
    share: int
    signs: str


#: `signs` are the characters with which a line can begin, so that most lines are never matched at all.
PREFIXES = (
    Prefix(Pattern(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?Z ?"), 50, "0123456789"),
    Prefix(Pattern(r"\[?[0-9]{2}:[0-9]{2}:[0-9]{2}\]?  ?"), 80, "[0123456789"),
    Prefix(Pattern(r"#[0-9]+ [0-9]+\.[0-9]+ ?"), 60, "#"),
    Prefix(Pattern(r"[A-Za-z][\w.-]* +\| ?"), 50, ""),
    Prefix(Pattern(r"> ?"), 95, ">"),
)

#: What pytest puts before each line of its own failure, however few they are.
_INTERNAL = Prefix(Pattern(r"INTERNALERROR> ?"), 0, "I")


def without_prefixes(text: Text) -> Text:
    """The text, line for line, as it was before a log system put something in front of its lines."""
    for _ in range(_PASSES):
        prefix = next((prefix for prefix in PREFIXES if _is_common(text, prefix)), None)
        if prefix is None:
            break
        text = text.view([(index, _length(prefix, line)) for index, line in enumerate(text.lines)])
    if any(line[:1] == "I" and line.startswith("INTERNALERROR>") for line in text.lines):
        text = text.view([(index, _length(_INTERNAL, line)) for index, line in enumerate(text.lines)])
    return text


def _length(prefix: Prefix, line: str) -> int:
    found = prefix.pattern.match(line)
    return 0 if found is None else found.end()


def _is_common(text: Text, prefix: Prefix) -> bool:
    step = max(1, len(text) // _SAMPLE)
    sample = [line for line in text.lines[::step] if line.strip()]
    if not sample:
        return False
    having = sum((not prefix.signs or line[:1] in prefix.signs) and bool(_length(prefix, line)) for line in sample)
    return having * 100 >= prefix.share * len(sample)
