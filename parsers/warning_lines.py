"""Why: a warning is no failure, but it can be the only line that says why one happened."""

from __future__ import annotations

from tollens.parsers.page import Loose, Page
from tollens.parsers.patterns import Pattern, indent, number

NAME = "python_warning"

_WARNING = Pattern(r"\s*(\S.*?):([0-9]+): ([^\W\d]\w*Warning)(?:: (.*))?$")


class WarningLines:
    """`path.py:12: RuntimeWarning: message`, with the source line below it. Makes no signal and claims no line."""

    name = NAME

    def read(self, page: Page) -> None:
        """See `Grammar.read`."""
        text, found = page.text, 0
        for index, line in enumerate(text.lines):
            match = _WARNING.match(line.rstrip()) if "Warning" in line and ": " in line else None
            if match is None or " = " in match.group(1):
                continue
            found += 1
            if found > page.limits.summary_lines:
                page.truncated(text.number(index), NAME, "too many warnings")
                break
            fields: dict[str, object] = {
                "line": text.number(index), "category": match.group(3), "message": match.group(4) or None,
                "file": match.group(1), "at": number(match.group(2)),
            }  # fmt: skip
            spans = {"": text.whole(index), "file": text.span(index, *match.span(1)), "category": text.span(index, *match.span(3))}
            if match.group(4):
                spans["message"] = text.span(index, *match.span(4))
            following = text.lines[index + 1] if index + 1 < len(text) else ""
            if following.strip() and indent(following) > indent(line):
                fields["source"], spans["source"] = following.strip(), text.whole(index + 1)
            page.loose.append(Loose(text.number(index), "warning_line", fields, spans))
