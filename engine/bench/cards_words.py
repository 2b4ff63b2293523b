"""Why: a rule's conditions in words, for whoever does not read rule files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tollens.engine.bench.graph import word
from tollens.engine.bench.subject import Subject
from tollens.engine.rulebook.build.entries import Entry
from tollens.engine.rulebook.syntax import (
    Aggregate,
    Call,
    Const,
    Elect,
    Expr,
    Format,
    Group,
    Head,
    Measure,
    Name,
    Pattern,
    Ref,
    Rule,
    Take,
    Test,
)
from tollens.engine.rulebook.syntax import TextPattern as Text
from tollens.engine.rulebook.whole.strata import heads_of, outputs
from tollens.engine.session.operators import key_text
from tollens.engine.session.render import constant_text, ref_text
from tollens.facts.kind import Kind

_OPERATORS = {
    "eq": "is",
    "ne": "is not",
    "gt": "is more than",
    "gte": "is at least",
    "lt": "is less than",
    "lte": "is at most",
    "in": "is one of",
    "starts": "begins with",
    "ends": "ends with",
    "contains": "contains",
    "matches": "matches",
}


def card(subject: Subject, entry: Entry, cases: Sequence[str]) -> Iterator[str]:
    """The lines of an entry's page."""
    meta = entry.meta
    yield f"# {meta.id}"
    yield ""
    yield _sentence(meta.says) or "*No sentence is written for it.*"
    yield ""
    notes = [f"{word(entry)} of the stage `{meta.stage}`", f"pack `{meta.pack}`", f"`{meta.place.file.partition('/')[2]}`"]
    notes += [meta.status] if meta.status != "stable" else []
    notes += ["sealed: no pack may replace or disable it"] if meta.sealed else []
    notes += [f"replaces `{meta.replaces}`"] if meta.replaces else []
    notes += [f"since {meta.since}"] if meta.since else []
    yield " · ".join(notes)
    yield ""
    yield from _conditions(subject, entry)
    yield "## Then"
    yield ""
    yield from _conclusions(subject, entry)
    yield from _rivals(subject, entry)
    yield "## Cases"
    yield ""
    yield from [f"- {name}" for name in cases] or ["No case reaches it."]
    if meta.refs:
        yield ""
        yield "## References"
        yield ""
        yield from [f"- {ref}" for ref in meta.refs]


def _sentence(says: Format) -> str:
    parts = [part if isinstance(part, str) else f"*{ref_text(part)[1:] if isinstance(part, Ref) else part.name}*" for part in says.parts]
    return "".join(parts)


def _conditions(subject: Subject, entry: Entry) -> Iterator[str]:
    yield "## When"
    yield ""
    if isinstance(entry, Text):
        yield f"- the `{entry.field}` of a {_kind(entry.kind)} matches"
        yield ""
        yield from ["```text", entry.regex, "```", ""]
        return
    groups = entry.alternatives if isinstance(entry, Rule) else (entry.source,)
    for number, patterns in enumerate(groups):
        if number:
            yield "- or"
        yield from [f"- there is {_pattern(subject, pattern)}" for pattern in patterns]
    for pattern in () if isinstance(entry, Measure) else entry.unless:
        yield f"- there is no {_pattern(subject, pattern)[2:]}"
    if isinstance(entry, Rule):
        yield from [f"- let *{let.name}* be {expression(let.expr, number=let.type == 'number')}" for let in entry.lets]
        yield from [f"- {_compared(condition.op, condition.left, condition.right)}" for condition in entry.conditions]
    yield ""


def _compared(op: str, left: Expr, right: Expr) -> str:
    if op == "exists":
        return f"{expression(left)} is there"
    return f"{expression(left)} {_OPERATORS[op]} {expression(right)}"


def _pattern(subject: Subject, pattern: Pattern) -> str:
    """`a kind *alias* whose ...`."""
    kind = subject.kinds[pattern.kind]
    name = "" if pattern.alias.startswith("_") or not pattern.alias else f" *{pattern.alias}*"
    tests = " and ".join(_test(kind, test) for test in pattern.tests)
    return f"a {_kind(pattern.kind)}{name}" + (f" whose {tests}" if tests else "")


def _kind(name: str) -> str:
    return f"`{name}`"


def _test(kind: Kind, test: Test) -> str:
    if test.op == "exists":
        return f"`{test.field}` is {'there' if isinstance(test.operand, Const) and test.operand.value else 'absent'}"
    if isinstance(test.operand, Ref):
        return f"`{test.field}` {_OPERATORS[test.op]} {expression(test.operand)}"
    number = test.field in kind.index and kind.field(test.field).type == "number"
    return f"`{test.field}` {_OPERATORS[test.op]} {_code(constant_text(test.operand, number=number))}"


def _code(text: str) -> str:
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def expression(expr: Expr, *, number: bool = False) -> str:
    """An expression in words."""
    if isinstance(expr, Const):
        return _code(constant_text(expr, number=number)) if expr.value is not None else "nothing"
    if isinstance(expr, Ref):
        return f"*{expr.alias}*" if expr.field == "id" else f"*{expr.alias}.{expr.field}*"
    if isinstance(expr, Name):
        return f"*{expr.name}*"
    if isinstance(expr, Format):
        return '"' + _sentence(expr) + '"'
    if isinstance(expr, Aggregate):
        tests = ", ".join(test.field for test in expr.pattern.tests)
        over = f"`{expr.pattern.kind}`" + (f" (by {tests})" if tests else "")
        return f"the {expr.function} of {over}" if not expr.field else f"the {expr.function} of `{expr.field}` over {over}"
    assert isinstance(expr, Call)
    return f"{expr.function.removesuffix('_number').replace('_', ' ')}({', '.join(expression(part) for part in expr.arguments)})"


def _conclusions(subject: Subject, entry: Entry) -> Iterator[str]:
    if isinstance(entry, Elect | Take):
        each = ", ".join(f"*{ref_text(ref)[1:]}*" for ref in entry.per)
        keep = "one" if isinstance(entry, Elect) else f"the first {entry.keep}" if entry.keep >= 0 else "all, in order"
        yield f"- {keep}" + (f" for each {each}" if each else "") + f", by {', then '.join(key_text(key) for key in entry.by)}"
    if isinstance(entry, Group):
        yield f"- what {expression(entry.left)} and {expression(entry.right)} connect forms a group"
    for head in heads_of(entry):
        yield f"- assert a {_kind(head.kind)}: {_fields(subject, head)}"
    if isinstance(entry, Text | Measure):
        yield from [f"- assert a {_kind(kind)}" for kind, _ in outputs(entry)]
        if isinstance(entry, Measure):
            yield f"- computed by the function `{entry.function}`"
    yield ""


def _fields(subject: Subject, head: Head) -> str:
    kind = subject.kinds[head.kind]
    return (
        ", ".join(f"`{name}` {expression(expr, number=kind.field(name).type == 'number')}" for name, expr in head.fields)
        or "without fields"
    )


def _rivals(subject: Subject, entry: Entry) -> Iterator[str]:
    """Who else asserts the same kinds, which elections decide between them, and who reads the outcome."""
    mine = dict.fromkeys([head.kind for head in heads_of(entry)])
    others = dict.fromkeys([o.meta.id for kind in mine for o, _ in subject.heads.get(kind, ()) if o is not entry])
    judges = dict.fromkeys(
        [o.meta.id for kind in mine for o in subject.readers.get(kind, ()) if isinstance(o, Elect | Take) and o.source[0].kind == kind]
    )
    over = [f"- wins over and loses to its rivals by `{name}`" for name in judges]
    readers = [o.meta.id for kind in mine for o in subject.readers.get(kind, ()) if o.meta.id not in judges and o is not entry]
    blocked = [o.meta.id for o in subject.entries if _blocks(o, mine)]
    lines = [*over]
    lines += _ranks(subject, entry)
    if blocked:
        lines.append("- keeps from firing: " + ", ".join(f"`{name}`" for name in dict.fromkeys(blocked)))
    kept = [o.meta.id for kind in dict.fromkeys(_negated(entry)) for o in subject.producers.get(kind, ()) if o is not entry]
    if kept:
        lines.append("- is kept from firing by: " + ", ".join(f"`{name}`" for name in dict.fromkeys(kept)))
    if others and not lines:
        lines.append("- asserts the same kind as: " + ", ".join(f"`{name}`" for name in others))
    if readers:
        lines.append("- is read by: " + ", ".join(f"`{name}`" for name in dict.fromkeys(readers)))
    if lines:
        yield "## Beside others"
        yield ""
        yield from lines
        yield ""


def _negated(entry: Entry) -> list[str]:
    return [] if isinstance(entry, Text | Measure) else [pattern.kind for pattern in entry.unless]


def _blocks(entry: Entry, kinds: dict[str, None]) -> bool:
    return any(kind in kinds for kind in _negated(entry))


def _ranks(subject: Subject, entry: Entry) -> Iterator[str]:
    """Rules that conclude the same kind with another constant rank: whom it beats and who beats it."""
    for head in heads_of(entry):
        rank = dict(head.fields).get("rank")
        if not isinstance(rank, Const) or not isinstance(rank.value, int):
            continue
        beats, beaten = [], []
        for other, theirs in subject.heads.get(head.kind, ()):
            there = dict(theirs.fields).get("rank")
            if other is not entry and isinstance(there, Const) and isinstance(there.value, int):
                if there.value > rank.value:
                    beats.append(f"`{other.meta.id}` ({there.value})")
                elif there.value < rank.value:
                    beaten.append(f"`{other.meta.id}` ({there.value})")
        if beats:
            yield f"- has rank {rank.value} and stands before " + ", ".join(dict.fromkeys(beats))
        if beaten:
            yield f"- has rank {rank.value} and stands behind " + ", ".join(dict.fromkeys(beaten))
