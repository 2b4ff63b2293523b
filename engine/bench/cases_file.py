"""Why: a file of cases is checked against the rulebook's kinds before anything runs, and every fault has its line.

The format is docs/cases.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from tollens.engine.rulebook.source.nodes import Map, Node, Scalar, Seq, read_documents
from tollens.engine.rulebook.source.problems import Problems, fault, unknown
from tollens.engine.rulebook.source.shapes import check_keys, need, only_entry, texts, want_list, want_map, want_name, want_text, what
from tollens.engine.rulebook.syntax import Place, Rulebook
from tollens.facts.fact import BadFact, Draft, make_fact
from tollens.facts.kind import Field, Kind, KindTable, coerce
from tollens.facts.values import Value

if TYPE_CHECKING:
    from pathlib import Path

_PAGE = "see docs/cases.md"
_ID = Field("id", "ref")


class Label(NamedTuple):
    """`$label` of a fact of the case."""

    name: str


class Expected(NamedTuple):
    """A fact that should be there, or should not: some of its fields, and a label for it (or "")."""

    kind: Kind
    fields: tuple[tuple[str, Value | Label], ...]
    label: str
    place: Place


class Case(NamedTuple):
    """Facts in, facts out. `labels` are the ids of the facts that have one; `exactly` are kinds of which nothing else may be there."""

    name: str
    place: Place
    drafts: tuple[Draft, ...]
    labels: Mapping[str, str]
    expect: tuple[Expected, ...]
    not_expected: tuple[Expected, ...]
    exactly: tuple[str, ...]


def read_cases(rulebook: Rulebook, cases_file: Path) -> list[Case]:
    """The cases of a file. Raises PackErrors with everything that is wrong with it."""
    problems = Problems()
    reader = _Reader(KindTable(rulebook.kinds), problems)
    cases: list[Case] = []
    with problems.catch():
        for document in read_documents(cases_file.read_bytes(), str(cases_file), problems):
            cases += reader.document(document)
    problems.check()
    return cases


class _Reader:
    def __init__(self, kinds: KindTable, problems: Problems) -> None:
        self._kinds = kinds
        self._problems = problems
        self._known: dict[str, Place] = {}

    def document(self, document: Map) -> list[Case]:
        """The cases of one document; its own `facts` are given to each of them."""
        check_keys(document, ("facts", "cases"), "a file of cases", self._problems)
        cases: list[Case] = []
        shared = document.get("facts")
        for item in want_list(need(document, "cases", "a file of cases"), "`cases`", "a list of cases").items:
            with self._problems.catch():
                cases.append(self._case(want_map(item, "a case"), shared))
        return cases

    def _case(self, node: Map, shared: Node | None) -> Case:
        check_keys(node, ("name", "facts", "expect", "not_expected", "exactly"), "a case", self._problems)
        name = want_text(need(node, "name", "a case"), "the name of a case")
        first = self._known.setdefault(name, node.place)
        if first != node.place:
            raise fault(node.place, f"two cases are named {name!r:.60}; the first in line {first.line}", expected="a name of its own")
        labels: dict[str, str] = {}
        drafts: list[Draft] = []
        for part in (shared, node.get("facts")):
            for item in want_list(part, "`facts`", "a list of `KIND: {FIELD: VALUE}`").items if part is not None else ():
                with self._problems.catch():
                    drafts.append(self._draft(item, labels))
        names = dict.fromkeys(labels)
        expect = self._expectations(node.get("expect"), "`expect`", names)
        never = self._expectations(node.get("not_expected"), "`not_expected`", names)
        given = node.get("exactly")
        exactly = texts(given, "`exactly`") if given is not None else ()
        for kind in exactly:
            if given is not None and kind not in self._kinds:
                raise unknown(given.place, f"there is no kind {kind!r:.60}", kind, self._kinds.names(), "a kind", "packs")
        if not expect and not never and given is None:
            wanted = "`expect`, `not_expected` or `exactly`"
            raise fault(node.place, f"the case {name!r:.60} expects nothing", expected=wanted, next_step=_PAGE)
        return Case(name, node.place, tuple(drafts), labels, expect, never, exactly)

    def _draft(self, node: Node, labels: dict[str, str]) -> Draft:
        kind, body, label = self._fact(node)
        fields: dict[str, object] = {}
        for name, value in body:
            raw = self._value(kind.field(name.text), value, labels) if name.text in kind.index else self._no_field(kind, name)
            fields[name.text] = labels[raw.name] if isinstance(raw, Label) else raw
        draft = Draft(kind.name, fields, {}, ("case", ""))
        try:
            made = make_fact(kind, draft)
        except BadFact as error:
            raise fault(node.place, str(error), expected=f"a fact of {kind.name}") from None
        if label is not None:
            self._new_label(label, labels)
            labels[label.text] = made.id
        return draft

    def _expectations(self, node: Node | None, subject: str, names: dict[str, None]) -> tuple[Expected, ...]:
        found: list[Expected] = []
        for item in want_list(node, subject, "a list of `KIND: {FIELD: VALUE}`").items if node is not None else ():
            with self._problems.catch():
                kind, body, label = self._fact(item)
                fields = []
                for name, value in body:
                    field = kind.field(name.text) if name.text in kind.index else _ID if name.text == "id" else self._no_field(kind, name)
                    fields.append((name.text, self._settled(field, value, names)))
                if label is not None:
                    self._new_label(label, names)
                    names[label.text] = None
                found.append(Expected(kind, tuple(fields), label.text if label is not None else "", item.place))
        return tuple(found)

    def _fact(self, node: Node) -> tuple[Kind, Sequence[tuple[Scalar, Node]], Scalar | None]:
        """The kind, the fields and the label's node of `KIND: {as: LABEL, FIELD: VALUE}`."""
        key, body = only_entry(node, "a fact", "`KIND: {FIELD: VALUE}`")
        if key.text not in self._kinds:
            raise unknown(key.place, f"there is no kind {key.text!r:.60}", key.text, self._kinds.names(), "a kind", "packs")
        entries = want_map(body, f"the fields of {key.text}", "`{FIELD: VALUE}`").entries
        label = next((value for name, value in entries if name.text == "as"), None)
        if label is not None:
            want_name(label, "a label")
        fields = [(name, value) for name, value in entries if name.text != "as"]
        return self._kinds[key.text], fields, label if isinstance(label, Scalar) else None

    def _no_field(self, kind: Kind, name: Scalar) -> NoReturn:
        message = f"{kind.name} has no field {name.text!r:.60}"
        raise unknown(name.place, message, name.text, sorted(kind.index), f"a field of {kind.name}", "rules")

    def _new_label(self, label: Scalar, known: Mapping[str, object]) -> None:
        if label.text in known:
            raise fault(label.place, f"the label {label.text} is taken", expected="a new label")

    def _settled(self, field: Field, node: Node, names: Mapping[str, object]) -> Value | Label:
        """A value in the form in which facts keep it."""
        raw = self._value(field, node, names)
        if isinstance(raw, Label) or raw is None:
            return raw
        try:
            return coerce(field, raw)
        except ValueError as error:
            raise fault(node.place, str(error), expected=field.describe(), choices=field.choices if field.type == "enum" else ()) from None

    def _value(self, field: Field, node: Node, names: Mapping[str, object]) -> object | Label:
        """A value as it is written; `$label` for a reference, nothing (`~`) for an absent field."""
        if isinstance(node, Map):
            raise fault(node.place, f"{field.name} must be a value, not {what(node)}", expected=field.describe())
        if isinstance(node, Seq):
            return texts(node, field.name)
        if isinstance(node.value, str) and node.value.startswith("$"):
            if node.value.startswith("$$"):
                return node.value[1:]
            if node.value[1:] not in names:
                raise unknown(node.place, f"no fact is labelled {node.value}", node.value, ["$" + n for n in names], "a label", "rules")
            return Label(node.value[1:])
        return node.value
