"""Why: a file of cases is checked against the rulebook before anything runs, and every fault has its line.

The format is docs/cases.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from tollens.engine.bench.cases_facts import Expected, FactReader
from tollens.engine.bench.cases_rows import filled, rows_of
from tollens.engine.bench.cases_text import RawText
from tollens.engine.rulebook.source.nodes import Map, Node, Scalar, read_documents
from tollens.engine.rulebook.source.problems import Problems, fault, unknown
from tollens.engine.rulebook.source.shapes import check_keys, need, texts, want_list, want_map, want_text
from tollens.engine.rulebook.syntax import Meta, Place, Rulebook
from tollens.facts.fact import Draft
from tollens.facts.kind import KindTable

if TYPE_CHECKING:
    from pathlib import Path

_PAGE = "see docs/cases.md"
_KEYS = ("name", "each", "text", "roots", "timestamp", "facts", "fires", "does_not_fire", "expect", "not_expected", "exactly", "explains")
_DOCUMENT_KEYS = ("text", "roots", "timestamp", "facts", "cases", "equivalent", "unreachable")
_EXPECTATIONS = ("expect", "not_expected", "exactly", "fires", "does_not_fire")


class Explained(NamedTuple):
    """The explanation of an expected fact: its label, the accepted text (None: not accepted yet), where the label stands."""

    label: str
    text: str | None
    place: Place


class Case(NamedTuple):
    """What goes in and what must come out.

    `raw` is a raw signal, `drafts` are further facts and `labels` the ids of those that have one; `exactly` are kinds of which nothing
    else may be there; `fires` and `silent` are ids of the pack's entries that must take part, and must not.
    """

    name: str
    place: Place
    raw: RawText | None
    drafts: tuple[Draft, ...]
    labels: Mapping[str, str]
    expect: tuple[Expected, ...]
    not_expected: tuple[Expected, ...]
    exactly: tuple[str, ...]
    fires: tuple[str, ...]
    silent: tuple[str, ...]
    explains: tuple[Explained, ...]


class Reviewed(NamedTuple):
    """What somebody looked at and let stand: names of mutants or conditions (`*` stands for anything), and why."""

    names: str
    reason: str
    place: Place

    def fits(self, name: str) -> bool:
        """Whether a name is meant."""
        parts = [re.escape(part) for part in self.names.split("*")]
        return re.fullmatch(".*".join(parts), name, re.DOTALL) is not None


class Contents(NamedTuple):
    """All that a file of cases holds: `equivalent` mutants that no case could kill, `unreachable` sides that no case could reach."""

    cases: tuple[Case, ...]
    equivalent: tuple[Reviewed, ...]
    unreachable: tuple[Reviewed, ...]


def entries(rulebook: Rulebook) -> dict[str, Meta]:
    """Everything of a rulebook that has an id, in its order."""
    found = {redaction.meta.id: redaction.meta for redaction in rulebook.redactions}
    for stage in rulebook.stages:
        for part in (stage.patterns, stage.measures, stage.elects, stage.takes, stage.groups, stage.rules):
            found.update((entry.meta.id, entry.meta) for entry in part)
    return found


def read_cases(rulebook: Rulebook, cases_file: Path, data: bytes | None = None) -> list[Case]:
    """The cases of a file (or of its bytes, where they were read already). Raises PackErrors with everything that is wrong with it."""
    return list(read_contents(rulebook, cases_file, cases_file.read_bytes() if data is None else data).cases)


def read_contents(rulebook: Rulebook, cases_file: Path, data: bytes) -> Contents:
    """Everything in a file of cases. Raises PackErrors with everything that is wrong with it."""
    problems = Problems()
    reader = _Reader(rulebook, problems)
    cases: list[Case] = []
    reviewed: dict[str, list[Reviewed]] = {"equivalent": [], "unreachable": []}
    with problems.catch():
        for document in read_documents(data, str(cases_file), problems):
            cases += reader.document(document)
            for key in reviewed:
                reviewed[key] += reader.reviewed(document.get(key), key)
    problems.check()
    return Contents(tuple(cases), tuple(reviewed["equivalent"]), tuple(reviewed["unreachable"]))


class _Reader:
    def __init__(self, rulebook: Rulebook, problems: Problems) -> None:
        self._facts = FactReader(KindTable(rulebook.kinds), problems)
        self._kinds = KindTable(rulebook.kinds)
        self._ids = list(entries(rulebook))
        self._problems = problems
        self._known: dict[str, Place] = {}

    def document(self, document: Map) -> list[Case]:
        """The cases of one document; its own `facts` are given to each of them, its `text` to those without one."""
        check_keys(document, _DOCUMENT_KEYS, "a file of cases", self._problems)
        cases: list[Case] = []
        if document.get("cases") is None and (document.get("equivalent") is not None or document.get("unreachable") is not None):
            return cases
        for item in want_list(need(document, "cases", "a file of cases"), "`cases`", "a list of cases").items:
            with self._problems.catch():
                for name, node in self._rows(want_map(item, "a case")):
                    cases.append(self._case(name, node, document))
        return cases

    def reviewed(self, node: Node | None, key: str) -> list[Reviewed]:
        """A list of `{of: NAMES, reason: WHY}`."""
        found = []
        for item in want_list(node, f"`{key}`", "a list of `{of: NAMES, reason: WHY}`").items if node is not None else ():
            with self._problems.catch():
                entry = want_map(item, f"an item of `{key}`", "`{of: NAMES, reason: WHY}`")
                check_keys(entry, ("of", "reason"), f"an item of `{key}`", self._problems)
                names, reason = need(entry, "of", f"an item of `{key}`"), need(entry, "reason", f"an item of `{key}`")
                found.append(Reviewed(want_text(names, "`of`"), want_text(reason, "`reason`"), item.place))
        return found

    def _rows(self, node: Map) -> Iterator[tuple[str, Map]]:
        """The case by its name, or one case for each row of `each`, named after its first value (after all of them where rows share it)."""
        check_keys(node, _KEYS, "a case", self._problems)
        name = want_text(need(node, "name", "a case"), "the name of a case")
        each = node.get("each")
        if each is None:
            yield name, node
            return
        explains = node.get("explains")
        if explains is not None:
            raise fault(explains.place, "a case with `each` cannot hold an explanation", expected="a case of its own for it")
        rest = Map(tuple([(key, value) for key, value in node.entries if key.text not in ("each", "name")]), node.place)
        rows = rows_of(each)
        first = [next(iter(row.values())).text for row in rows]
        for row, text in zip(rows, first, strict=True):
            with self._problems.catch():
                made = filled(rest, row)
                assert isinstance(made, Map)
                shown = text if first.count(text) == 1 else ", ".join([value.text for value in row.values()])
                yield f"{name} [{shown}]", Map(made.entries, next(iter(row.values())).place)

    def _case(self, name: str, node: Map, document: Map) -> Case:
        first = self._known.setdefault(name, node.place)
        if first != node.place:
            raise fault(node.place, f"two cases are named {name!r:.60}; the first in line {first.line}", expected="a name of its own")
        labels: dict[str, str] = {}
        drafts = [*self._facts.given(document.get("facts"), labels), *self._facts.given(node.get("facts"), labels)]
        names = dict.fromkeys(labels)
        expect = self._facts.expected(node.get("expect"), "`expect`", names)
        never = self._facts.expected(node.get("not_expected"), "`not_expected`", names)
        given = node.get("exactly")
        exactly = texts(given, "`exactly`") if given is not None else ()
        for kind in exactly:
            if given is not None and kind not in self._kinds:
                raise unknown(given.place, f"there is no kind {kind!r:.60}", kind, self._kinds.names(), "a kind", "packs")
        if all(node.get(key) is None for key in _EXPECTATIONS):
            wanted = "`expect`, `not_expected`, `exactly`, `fires` or `does_not_fire`"
            raise fault(node.place, f"the case {name!r:.60} expects nothing", expected=wanted, next_step=_PAGE)
        fires, silent = self._rules(node, "fires"), self._rules(node, "does_not_fire")
        explains = self._explains(node.get("explains"), [item.label for item in expect])
        raw = self._raw(node, document)
        return Case(name, node.place, raw, tuple(drafts), labels, expect, never, exactly, fires, silent, explains)

    def _rules(self, node: Map, key: str) -> tuple[str, ...]:
        """Ids of rules and other entries; one that is not there is told with the nearest."""
        given = node.get(key)
        if given is None:
            return ()
        found = []
        for item in want_list(given, f"`{key}`", "a list of rules' ids").items:
            with self._problems.catch():
                name = want_text(item, f"an item of `{key}`", "the id of a rule")
                if name not in self._ids:
                    raise unknown(item.place, f"there is no rule {name!r:.60}", name, self._ids, "the id of a rule", "rule-files")
                found.append(name)
        return tuple(found)

    def _raw(self, node: Map, document: Map) -> RawText | None:
        text, roots, timestamp = [node.get(key) or document.get(key) for key in ("text", "roots", "timestamp")]
        if text is None:
            if roots is not None or timestamp is not None:
                raise fault(node.place, "`roots` and `timestamp` say something about a `text`", expected="`text`", next_step=_PAGE)
            return None
        if not isinstance(text, Scalar) or not isinstance(text.value, str):
            raise fault(text.place, "`text` must be a raw signal as a text", expected="a literal block: `text: |`", next_step=_PAGE)
        when = None if timestamp is None else want_text(timestamp, "`timestamp`")
        return RawText(text.value, () if roots is None else texts(roots, "`roots`"), when)

    def _explains(self, node: Node | None, labels: list[str]) -> tuple[Explained, ...]:
        if node is None:
            return ()
        found = []
        for label, value in want_map(node, "`explains`", "`{LABEL: TEXT}`").entries:
            known = [name for name in labels if name]
            if label.text not in known:
                message = f"no expected fact is labelled {label.text!r:.60}"
                raise unknown(label.place, message, label.text, known, "a label of `expect`", "rules")
            text = value.value if isinstance(value, Scalar) else False
            if text is not None and not isinstance(text, str):
                raise fault(value.place, f"the explanation of {label.text} must be a text", expected="a literal block, or nothing")
            found.append(Explained(label.text, text, label.place))
        return tuple(found)
