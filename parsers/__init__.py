"""Why: raw text becomes facts here, one module per grammar; parsers record what is there and never judge."""

from __future__ import annotations

from tollens.parsers.limits import DEFAULT, Limits
from tollens.parsers.parse import Parsed, parse, parse_stream
from tollens.parsers.text import Text

__all__ = ["DEFAULT", "Limits", "Parsed", "Text", "parse", "parse_stream"]
