"""Why: one place that compiles regular expressions, so that what the loader accepted is what a session runs.

The dialect is RE2's: linear time, bounded memory, no look-around and no back-references. `re2` is imported on first use.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: Bytes that one compiled expression may take; a pattern that needs more is an error at load.
REGEX_MEMORY = 4 << 20
#: Characters of a pattern's text; with the memory bound it keeps the time of a compilation under some milliseconds.
REGEX_LENGTH = 20_000


class BadRegex(ValueError):
    """A text that is no regular expression of the dialect, or one that is too large; the message says which."""


class Found(Protocol):
    """One match; a group that took no part has the span (-1, -1)."""

    def span(self, group: int = 0) -> tuple[int, int]:
        """Start and end of a group, in characters."""
        ...


class Regex(Protocol):
    """A compiled expression, as far as the product uses it."""

    groupindex: Mapping[str, int]

    def search(self, text: str) -> Found | None:
        """The first match anywhere in the text."""
        ...

    def finditer(self, text: str) -> Iterator[Found]:
        """All matches that do not overlap, from the left."""
        ...


@lru_cache(maxsize=4096)
def compile_regex(text: str) -> Regex:
    """The compiled RE2 expression (search with `.search(text)`; named groups in `.groupindex`); raises BadRegex."""
    if len(text) > REGEX_LENGTH:
        raise BadRegex(f"it has {len(text)} characters, more than {REGEX_LENGTH}")
    import re2  # not on the start-up path

    options = re2.Options()
    options.log_errors = False
    options.max_mem = REGEX_MEMORY
    try:
        compiled: Regex = re2.compile(text, options)
    except re2.error as error:
        reason = error.args[0] if error.args else ""
        raise BadRegex(reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)) from None
    except UnicodeEncodeError:
        raise BadRegex("it holds a lone surrogate") from None
    return compiled
