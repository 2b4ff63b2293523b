"""Why: a checked rule book written out as a pack, so that the loader must find in the text what the text was made from."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tollens.engine.rulebook.builtin import ENGINE_KINDS
from tollens.engine.rulebook.syntax import (
    Aggregate,
    By,
    Call,
    Condition,
    Const,
    Elect,
    Expr,
    Format,
    Group,
    Head,
    Measure,
    Meta,
    Name,
    Pattern,
    Ref,
    Rule,
    Rulebook,
    Stage,
    Take,
    Test,
    TextPattern,
)
from tollens.facts.kind import Field, Kind

Json = Any
SCALE = 10**6
#: Functions whose arguments have the type of their result, and the types of the arguments of the others.
_ALIKE = ("add", "sub", "clamp", "least", "most", "default")
_ARGUMENTS = {"mul": "int", "mul_number": "number", "to_number": "int", "lower": "text", "last_part": "text"}
_RESULTS = {"mul": "int", "mul_number": "number", "to_number": "number", "ratio": "number", "round": "number"}


def write_pack(rulebook: Rulebook, folder: Path) -> None:
    """Write the pack files: JSON, which is YAML too."""
    writer = _Writer(rulebook)
    for name, documents in writer.files().items():
        text = "\n---\n".join(json.dumps(document, ensure_ascii=False, indent=1) for document in documents)
        (folder / name).write_text(text + "\n", encoding="utf-8")


class _Writer:
    def __init__(self, rulebook: Rulebook) -> None:
        self.rulebook = rulebook
        self.kinds = {kind.name: kind for kind in rulebook.kinds}

    def files(self) -> dict[str, list[Json]]:
        own = [kind for kind in self.rulebook.kinds if kind.name not in {known.name for known in ENGINE_KINDS}]
        pack = {
            "name": "random",
            "version": "1",
            "language": 1,
            "stages": [stage.name for stage in self.rulebook.stages],
            "kinds": {kind.name: self.kind(kind) for kind in own},
        }
        files: dict[str, list[Json]] = {"pack.yaml": [pack]}
        for stage in self.rulebook.stages:
            document = self.stage(stage)
            if len(document) > 1:
                files[f"{stage.name}.yaml"] = [document]
        if self.rulebook.rows:
            rows = [{row.kind: {n: constant(v, self.kinds[row.kind].field(n).type) for n, v in row.fields}} for row in self.rulebook.rows]
            files["rows.yaml"] = [{"facts": rows}]
        return files

    def kind(self, kind: Kind) -> Json:
        data: dict[str, Json] = {"fields": {field.name: self.field(field) for field in kind.fields}}
        if kind.key != tuple(kind.index):
            data["key"] = list(kind.key)
        for flag in ("rival", "verdict"):
            if getattr(kind, flag):
                data[flag] = True
        if kind.closes:
            data["closes"] = kind.closes
        if kind.doc:
            data["says"] = kind.doc
        return data

    def field(self, field: Field) -> Json:
        if field.type in ("text", "int", "number", "bool"):
            return field.type + ("?" if field.optional else "")
        if field.type == "enum":
            data: dict[str, Json] = {"enum": list(field.choices), **({"ordered": True} if field.ordered else {})}
        elif field.type == "ref":
            data = {"ref": list(field.choices) if len(field.choices) > 1 else field.choices[0] if field.choices else "any"}
        else:
            data = {"list": "text"}
        return {**data, **({"optional": True} if field.optional else {})}

    def stage(self, stage: Stage) -> Json:
        parts = {
            "patterns": [self.text_pattern(item) for item in stage.patterns],
            "measures": [self.measure(item) for item in stage.measures],
            "elect": [self.elect(item) for item in stage.elects],
            "take": [self.take(item) for item in stage.takes],
            "group": [self.group(item) for item in stage.groups],
            "rules": [self.rule(item) for item in stage.rules],
        }
        return {"stage": stage.name, **{name: items for name, items in parts.items() if items}}

    def meta(self, meta: Meta) -> dict[str, Json]:
        return {"id": meta.id, **({"says": self.format(meta.says)} if meta.says.parts else {})}

    # ---- patterns

    def pattern(self, pattern: Pattern) -> Json:
        kind = self.kinds[pattern.kind]
        body: dict[str, Json] = {} if pattern.alias[0] == "_" else {"as": pattern.alias}
        for test in pattern.tests:
            tests = [other for other in pattern.tests if other.field == test.field]
            if len(tests) == 1 and test.op == "eq":
                body[test.field] = self.operand(kind, test)
            else:
                body[test.field] = {other.op: self.operand(kind, other) for other in tests}
        return {pattern.kind: body}

    def operand(self, kind: Kind, test: Test) -> Json:
        if isinstance(test.operand, Ref):
            return ref_text(test.operand)
        type_ = "int" if test.field == "seq" else kind.field(test.field).type
        if test.op == "in":
            assert isinstance(test.operand.value, tuple)
            return [constant(value, type_) for value in test.operand.value]
        if test.op == "matches":
            return test.operand.value
        return constant(test.operand.value, "bool" if test.op == "exists" else type_)

    def patterns(self, patterns: Sequence[Pattern]) -> Json:
        return [self.pattern(pattern) for pattern in patterns]

    # ---- rules

    def rule(self, rule: Rule) -> Json:
        data = self.meta(rule.meta)
        first = rule.alternatives[0]
        data["when"] = self.patterns(first)
        if len(rule.alternatives) > 1:
            data["when"] = [*self.patterns(first[:-1]), {"any": [[self.pattern(patterns[-1])] for patterns in rule.alternatives]}]
        if rule.unless:
            data["unless"] = self.patterns(rule.unless)
        context = _Context(self, first)
        if rule.lets:
            data["let"] = {}
            for let in rule.lets:
                data["let"][let.name] = context.expr(let.expr, let.type)
                context.names[let.name] = let.type
        if rule.conditions:
            data["if"] = [context.condition(condition) for condition in rule.conditions]
        data["then"] = [context.head(head) for head in rule.heads]
        return data

    def format(self, format_: Format) -> str:
        parts = []
        for part in format_.parts:
            if isinstance(part, str):
                parts.append(part.replace("{", "{{").replace("}", "}}"))
            else:
                parts.append("{" + (part.name if isinstance(part, Name) else ref_text(part)[1:]) + "}")
        return "".join(parts)

    # ---- operators

    def source(self, entry: Elect | Take | Group) -> dict[str, Json]:
        data = {**self.meta(entry.meta), "from": self.patterns(entry.source)}
        if entry.unless:
            data["unless"] = self.patterns(entry.unless)
        return data

    def order(self, per: Sequence[Ref], by: Sequence[By]) -> dict[str, Json]:
        return {
            **({"per": [ref_text(ref) for ref in per]} if per else {}),
            "by": [{"desc" if key.descending else "asc": ref_text(key.value)} for key in by],
        }

    def elect(self, elect: Elect) -> Json:
        return {**self.source(elect), **self.order(elect.per, elect.by), "into": _Context(self, elect.source).head(elect.into)}

    def take(self, take: Take) -> Json:
        context = _Context(self, take.source, {"number": "int", "nearest": "ref"})
        data = {**self.source(take), **self.order(take.per, take.by), "into": context.head(take.into)}
        if take.keep >= 0:
            data["keep"] = take.keep
        if take.apart is not None:
            data["apart"] = {take.apart.kind: [take.apart.left, take.apart.right]}
        if take.rest is not None:
            data["rest"] = context.head(take.rest)
        return data

    def group(self, group: Group) -> Json:
        context = _Context(self, (), {"group": "text", "size": "int", "member": "ref"})
        data = {**self.source(group), "pair": [ref_text(group.left), ref_text(group.right)]}
        if group.members is not None:
            data["members"] = self.pattern(group.members) if group.members.tests else group.members.kind
        if group.into is not None:
            data["into"] = context.head(group.into)
        if group.member is not None:
            data["member"] = context.head(group.member)
        return data

    def text_pattern(self, pattern: TextPattern) -> Json:
        return {**self.meta(pattern.meta), "over": {pattern.kind: pattern.field}, "regex": pattern.regex}

    def measure(self, measure: Measure) -> Json:
        data = {**self.meta(measure.meta), "function": measure.function, "from": self.patterns(measure.source), "output": measure.output}
        if measure.block:
            data["block"] = [ref_text(ref) for ref in measure.block]
        options = {name: value for name, value in measure.options if value is not None}
        if options:
            data["options"] = options
        return data


class _Context:
    """The names that stand where an expression is written, with their types."""

    def __init__(self, writer: _Writer, patterns: Sequence[Pattern], names: Mapping[str, str] | None = None) -> None:
        self.writer = writer
        self.aliases = {pattern.alias: writer.kinds[pattern.kind] for pattern in patterns}
        self.names = dict(names or {})

    def head(self, head: Head) -> Json:
        kind = self.writer.kinds[head.kind]
        return {head.kind: {name: self.expr(expr, kind.field(name).type) for name, expr in head.fields}}

    def condition(self, condition: Condition) -> Json:
        type_ = self.type_of(condition.left)
        if condition.op == "exists":
            return {"exists": self.expr(condition.left, type_)}
        if condition.op == "in" and isinstance(condition.right, Const):
            assert isinstance(condition.right.value, tuple)
            right: Json = [constant(value, type_) for value in condition.right.value]
        else:
            right = self.expr(condition.right, type_)
        return {condition.op: [self.expr(condition.left, type_), right]}

    def type_of(self, expr: Expr) -> str:
        """The type of an expression that is not a constant; "" where only constants would tell."""
        if isinstance(expr, Ref):
            return {"id": "ref", "seq": "int"}.get(expr.field) or self.aliases[expr.alias].field(expr.field).type
        if isinstance(expr, Name):
            return self.names[expr.name]
        if isinstance(expr, Aggregate):
            if expr.function in ("count", "collect"):
                return "int" if expr.function == "count" else "list"
            return "int" if expr.field == "seq" else self.writer.kinds[expr.pattern.kind].field(expr.field).type
        if isinstance(expr, Call):
            known = _RESULTS.get(expr.function) or ("text" if expr.function in ("lower", "last_part", "digest") else "")
            types = [self.type_of(argument) for argument in expr.arguments]
            return known or ("number" if "number" in types else next((t for t in types if t), ""))
        return "text" if isinstance(expr, Format) else ""

    def expr(self, expr: Expr, type_: str) -> Json:
        if isinstance(expr, Const):
            return constant(expr.value, type_)
        if isinstance(expr, Ref):
            return ref_text(expr)
        if isinstance(expr, Name):
            return f"${expr.name}"
        if isinstance(expr, Format):
            return {"format": self.writer.format(expr)}
        if isinstance(expr, Aggregate):
            data: dict[str, Json] = {expr.function: self.writer.pattern(expr.pattern)}
            if expr.field:
                data["of"] = expr.field
            if expr.distinct:
                data["distinct"] = list(expr.distinct)
            return data
        return self.call(expr, type_)

    def call(self, expr: Call, type_: str) -> Json:
        name = expr.function
        if name == "to_number":
            return self.expr(expr.arguments[0], "int")
        if name == "ratio":
            top, bottom, otherwise = expr.arguments
            both = self.type_of(top)
            return {"ratio": [self.expr(top, both), self.expr(bottom, both), self.expr(otherwise, "number")]}
        if name == "round":
            return {"round": [self.expr(expr.arguments[0], "number"), self.expr(expr.arguments[1], "int")]}
        if name == "digest":
            return {"digest": [self.expr(argument, self.type_of(argument)) for argument in expr.arguments]}
        inner = type_ if name in _ALIKE else _ARGUMENTS[name]
        return {"mul" if name == "mul_number" else name: [self.expr(argument, inner) for argument in expr.arguments]}


def ref_text(ref: Ref) -> str:
    """`$alias` or `$alias.field`."""
    return f"${ref.alias}" if ref.field == "id" else f"${ref.alias}.{ref.field}"


def constant(value: Any, type_: str) -> Json:
    """A constant of a type as it is written."""
    if type_ == "number":
        return value / SCALE
    if isinstance(value, tuple):
        return [constant(item, "text") for item in value]
    if isinstance(value, str) and value.startswith("$"):
        return "$" + value
    return value
