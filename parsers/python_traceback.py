"""Why: Python's own traceback is the most common signal there is; this grammar reads it wherever it stands."""

from __future__ import annotations

from tollens.parsers.page import Page
from tollens.parsers.traceback_chain import begins, read_bare_cause, read_chain
from tollens.parsers.traceback_one import LINKS, NAME


class PythonTraceback:
    """Tracebacks with a header, chains of them, frames whose header is missing, and the bare tail of a SyntaxError."""

    name = NAME

    def read(self, page: Page) -> None:
        """See `Grammar.read`."""
        text = page.text
        index, stop = 0, len(text)
        bodies = {region.first: region.last + 1 for region in page.regions if region.section is None}
        bound = 0
        while index < stop:
            bound = max(bound, bodies.get(index, 0))
            line = text.lines[index]
            if page.free(index) and begins(line):
                bounded = index < bound
                end = min(page.free_end(index), bound if bounded else stop)
                _, following = read_chain(page, text, index, end, bounded=bounded)
                page.claim(index, following - 1)
                index = max(following, index + 1)
            elif line[:1] in ("T", "D") and page.free(index) and line.strip() in LINKS:
                index = read_bare_cause(page, text, index, min(page.free_end(index), stop))
            else:
                index += 1
