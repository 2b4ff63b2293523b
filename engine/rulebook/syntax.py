"""Why: the checked form of rule files; everything behind the loader (evaluators, proof, docs) reads only this."""

from __future__ import annotations

from typing import NamedTuple

from tollens.facts.kind import Kind
from tollens.facts.values import Value


class Place(NamedTuple):
    """Where a thing is written: a file as the user names it, line and column from 1."""

    file: str
    line: int
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class Const(NamedTuple):
    """A literal value, already in the form of the field it is compared with or written to (numbers scaled); ints in a tuple for `in`."""

    value: Value | tuple[int, ...]


class Ref(NamedTuple):
    """`$alias` (field "id") or `$alias.field` of a bound fact."""

    alias: str
    field: str


class Name(NamedTuple):
    """`$name` of a let, or of a value that an operator hands to its heads (`number`, `group`, `size`, `member`)."""

    name: str


class Call(NamedTuple):
    """A function over expressions.

    The loader has made all types explicit, so that evaluation needs none: an int used where a number is due is wrapped in `to_number`;
    `mul` of numbers is written `mul_number` (`mul` is for ints); `add sub clamp least most` are the same for both, as ints and millionths
    add and compare alike; `ratio` takes two ints or two numbers and a number for else; `round` takes a number and a Const int. Functions:
    add sub mul mul_number ratio clamp round least most lower last_part digest default to_number.
    """

    function: str
    arguments: tuple[Expr, ...]


class Test(NamedTuple):
    """A condition on one field. Operators: eq ne gt gte lt lte in exists starts ends contains matches.

    `field` may be `id` or (for kinds of finished stages) `seq`. A Ref operand occurs with eq ne gt gte lt lte only; the operand of
    `in` is a Const of a tuple; of `exists` a Const of a bool; of `matches` a Const regular expression (RE2, unanchored).
    An absent field satisfies nothing but `exists: false`.
    """

    field: str
    op: str
    operand: Const | Ref


class Pattern(NamedTuple):
    """A condition on one fact: its kind, the alias it is bound to, and tests that may refer to earlier aliases."""

    kind: str
    alias: str
    tests: tuple[Test, ...]
    place: Place


class Aggregate(NamedTuple):
    """`count sum min max collect` over the facts of finished stages that satisfy a pattern.

    `field` is what is summed, compared or collected ("" for count); `distinct` are the fields that make two facts one.
    """

    function: str
    pattern: Pattern
    field: str
    distinct: tuple[str, ...]


class Format(NamedTuple):
    """A template: literal text and expressions in turn."""

    parts: tuple[str | Ref | Name, ...]


Expr = Const | Ref | Name | Call | Aggregate | Format


class Let(NamedTuple):
    """A named computed value; `type` is the field type it has (text int number bool list ref)."""

    name: str
    expr: Expr
    type: str


class Condition(NamedTuple):
    """One condition of `if`: eq ne gt gte lt lte in exists over expressions."""

    op: str
    left: Expr
    right: Expr
    place: Place


class Head(NamedTuple):
    """A fact to assert: the fields in the order of the kind; a field left out is absent."""

    kind: str
    fields: tuple[tuple[str, Expr], ...]
    place: Place


class Meta(NamedTuple):
    """What every named thing of a pack carries. `index` is its position in the whole rulebook, the canonical rule order."""

    id: str
    stage: str
    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody needs of a Meta
    place: Place
    pack: str
    says: Format
    sealed: bool = False
    status: str = "stable"
    refs: tuple[str, ...] = ()
    since: str = ""
    replaces: str = ""


class Rule(NamedTuple):
    """`when` in disjunctive form: each alternative is a full list of positive patterns, joined left to right."""

    meta: Meta
    alternatives: tuple[tuple[Pattern, ...], ...]
    unless: tuple[Pattern, ...]
    lets: tuple[Let, ...]
    conditions: tuple[Condition, ...]
    heads: tuple[Head, ...]


class By(NamedTuple):
    """One key of a total order: `descending` turns it; a Ref to `seq` is the last resort."""

    value: Ref
    descending: bool


class Elect(NamedTuple):
    """One winner per group among the joined rows of `source`; losers become `passed_over` with the deciding key."""

    meta: Meta
    source: tuple[Pattern, ...]
    unless: tuple[Pattern, ...]
    per: tuple[Ref, ...]
    by: tuple[By, ...]
    into: Head


class Apart(NamedTuple):
    """Pairs that may not both be taken: facts of a kind with two fields holding ids of the first source pattern's facts."""

    kind: str
    left: str
    right: str


class Take(NamedTuple):
    """The first `keep` rows per group (keep < 0: all); `number` counts from 1; the others go into `rest`.

    With `apart`, a row linked to an already taken one is not taken, and `$nearest` in `rest` is the first taken one that it is linked to.
    """

    meta: Meta
    source: tuple[Pattern, ...]
    unless: tuple[Pattern, ...]
    per: tuple[Ref, ...]
    by: tuple[By, ...]
    keep: int
    apart: Apart | None
    into: Head
    rest: Head | None


class Group(NamedTuple):
    """Connected components over pairs (`left`, `right` of each joined row).

    With `members` only facts of that kind are members (bipartite use: the other side only connects), and each of them is in a group,
    alone where no pair names it. `$group` is the digest of the sorted members, `$size` their number, `$member` one of them.
    """

    meta: Meta
    source: tuple[Pattern, ...]
    unless: tuple[Pattern, ...]
    left: Ref
    right: Ref
    members: Pattern | None
    into: Head | None
    member: Head | None


class TextPattern(NamedTuple):
    """A named regular expression over a text field; its first match becomes a `match` fact, each named group a `match_group`."""

    meta: Meta
    kind: str
    field: str
    regex: str


class Redaction(NamedTuple):
    """A named regular expression for what must never be kept: its group `secret`, or the whole match, is masked before anything is read."""

    meta: Meta
    regex: str


class Measure(NamedTuple):
    """A registered Python function over the joined rows of `source`, blocked by equal `block` values; it yields `output` facts."""

    meta: Meta
    function: str
    source: tuple[Pattern, ...]
    block: tuple[Ref, ...]
    output: str
    options: tuple[tuple[str, Value], ...]


class Row(NamedTuple):
    """A fact written in a pack: a table row that rules join with and proofs cite by file and line."""

    kind: str
    fields: tuple[tuple[str, Value], ...]
    place: Place
    pack: str


class PackInfo(NamedTuple):
    """A pack's identity: the digest covers every byte of its rule files (cases excluded)."""

    name: str
    version: str
    digest: str
    path: str


class Stage(NamedTuple):
    """One stratum: operators over finished stages first, then the rules to a fixpoint."""

    name: str
    patterns: tuple[TextPattern, ...]
    measures: tuple[Measure, ...]
    elects: tuple[Elect, ...]
    takes: tuple[Take, ...]
    groups: tuple[Group, ...]
    rules: tuple[Rule, ...]


class Rulebook(NamedTuple):
    """Everything that decides, checked and in order: what a session runs.

    `digest` covers all packs and the language version; `disabled` names (rule id, reason, pack) of what a user switched off.
    """

    packs: tuple[PackInfo, ...]
    digest: str
    kinds: tuple[Kind, ...]
    stages: tuple[Stage, ...]
    rows: tuple[Row, ...]
    tables: tuple[tuple[str, Value], ...]
    disabled: tuple[tuple[str, str, str], ...]
    redactions: tuple[Redaction, ...] = ()
