"""Why: the facts of a case, given and expected, are checked field by field against their kinds, each fault at its own place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, NoReturn

from tollens.engine.rulebook.source.nodes import Map, Node, Scalar, Seq
from tollens.engine.rulebook.source.problems import Problems, fault, unknown
from tollens.engine.rulebook.source.shapes import only_entry, texts, want_list, want_map, want_name, what
from tollens.engine.rulebook.syntax import Place
from tollens.facts.fact import BadFact, Draft, make_fact
from tollens.facts.kind import Field, Kind, KindTable, coerce
from tollens.facts.values import Value

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


class FactReader:
    """Reads `KIND: {as: LABEL, FIELD: VALUE}` as facts that are given or expected."""

    def __init__(self, kinds: KindTable, problems: Problems) -> None:
        self._kinds = kinds
        self._problems = problems

    def given(self, node: Node | None, labels: dict[str, str]) -> list[Draft]:
        """Facts as a parser would state them; the ids of those with a label join `labels`."""
        drafts: list[Draft] = []
        for item in want_list(node, "`facts`", "a list of `KIND: {FIELD: VALUE}`").items if node is not None else ():
            with self._problems.catch():
                drafts.append(self._draft(item, labels))
        return drafts

    def expected(self, node: Node | None, subject: str, names: dict[str, None]) -> tuple[Expected, ...]:
        """Expectations; the labels of those that have one join `names`."""
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
