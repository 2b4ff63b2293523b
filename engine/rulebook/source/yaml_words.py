"""Why: YAML's own messages are for writers of parsers; a rule author gets the place, the likely cause and the repair."""

from __future__ import annotations

import yaml

from tollens.engine.errors import PackError
from tollens.engine.rulebook.source.problems import fault
from tollens.engine.rulebook.syntax import Place

#: A piece of the library's message -> what it means here, and what to do.
_WORDS: tuple[tuple[str, str, str], ...] = (
    ("mapping values are not allowed", "a `: ` where no key can stand", "put a text with `: ` in quotes, or check the indentation above"),
    ("expected <block end>", "the indentation does not line up with what stands above", "indent all keys of one mapping alike"),
    ("did not find expected key", "the indentation does not line up with what stands above", "indent all keys of one mapping alike"),
    ("did not find expected '-' indicator", "the list is broken off", "begin every item with `- ` in the same column"),
    (
        "did not find expected ',' or",
        "a bracket is not closed, or a comma is missing",
        "close the bracket, or separate the items by commas",
    ),
    ("expected ',' or", "a bracket is not closed, or a comma is missing", "close the bracket, or separate the items by commas"),
    ("could not find expected ':'", "a key without its colon", "write `key: value`"),
    ("unexpected end of stream", "a quoted text is not closed", "close the quotes"),
    ("found unknown escape character", "an unknown escape in a text in double quotes", "use single quotes, or write \\\\ for a backslash"),
    ("cannot start any token", "a character that cannot begin a value", "put the text in quotes"),
    ("control characters are not allowed", "a control character", "write it as an escape in double quotes"),
    ("special characters are not allowed", "a control character", "write it as an escape in double quotes"),
    ("maximum nesting depth", "the document is nested deeper than 200 levels", "close the brackets, or split the value"),
    ("document start", "text after the end of a document", "begin a new document with `---`"),
    ("node content", "a value is missing", "write the value"),
)


def syntax_error(error: yaml.YAMLError, file: str, text: str) -> PackError:
    """A YAML error as a PackError with place and hint."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is not None:
        place = Place(file, mark.line + 1, mark.column + 1)
    else:
        before = text[: _position(error, text)]
        place = Place(file, before.count("\n") + 1, len(before) - before.rfind("\n"))
    said = " ".join(str(part) for part in (getattr(error, "problem", None) or getattr(error, "reason", None) or "",) if part)
    for piece, meaning, repair in _WORDS:
        if piece in said:
            return fault(place, f"this is not valid YAML: {meaning}", expected="valid YAML", next_step=repair)
    return fault(
        place, f"this is not valid YAML: {said or 'it cannot be read'}", expected="valid YAML", next_step="check the line and the one above"
    )


def _position(error: yaml.YAMLError, text: str) -> int:
    position = getattr(error, "position", None)
    return min(position, len(text)) if isinstance(position, int) else 0
