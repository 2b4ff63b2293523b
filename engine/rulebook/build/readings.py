"""Why: text patterns, measures and written rows bring facts in; each is checked against the kinds like any rule."""

from __future__ import annotations

from tollens.engine.rulebook.build.constants import constant, fit
from tollens.engine.rulebook.build.entries import Site, bound_ref, heading, with_says
from tollens.engine.rulebook.build.patterns import build_source, check_count, regex_text
from tollens.engine.rulebook.build.scope import Scope, field_of
from tollens.engine.rulebook.builtin import MATCH, PRODUCER_FIELDS
from tollens.engine.rulebook.measures import MeasureSignature
from tollens.engine.rulebook.source.nodes import Map, Node, Scalar
from tollens.engine.rulebook.source.problems import fault, unknown
from tollens.engine.rulebook.source.shapes import need, only_entry, want_list, want_map, want_name, want_text, what
from tollens.engine.rulebook.syntax import Measure, Redaction, Row, TextPattern
from tollens.facts.kind import Kind
from tollens.facts.values import Value

_PAGE = "operators-over-finished-stages"


def build_text_pattern(node: Map, site: Site) -> TextPattern:
    """A named regular expression over a text field. Its `says` may refer to the `match` that it asserts."""
    meta = heading(node, site, "a pattern", ("over", "regex"))
    scope = Scope(site.world)
    key, value = only_entry(need(node, "over", "a pattern", _PAGE), "`over`", "`KIND: FIELD`", _PAGE)
    kind = site.world.kind(key)
    field = field_of(kind, want_name(value, "the field of `over`"), value.place)
    if field.type != "text":
        raise fault(value.place, f"{kind.name}.{field.name} is no text: it is {field.describe()}", expected="a text field")
    regex = regex_text(need(node, "regex", "a pattern", _PAGE), scope)
    scope.aliases["match"] = site.world.kinds[MATCH]
    return TextPattern(with_says(meta, node, scope), kind.name, field.name, regex)


def build_redaction(node: Map, site: Site) -> Redaction:
    """A regular expression for secrets. It belongs to no stage: it is applied before anything is read."""
    meta = heading(node, site, "a redaction", ("regex",))._replace(stage="")
    scope = Scope(site.world)
    return Redaction(with_says(meta, node, scope), regex_text(need(node, "regex", "a redaction", "redactions"), scope))


def build_measure(node: Map, site: Site) -> Measure:
    """A measure; its function must be registered. Its `says` may refer to the `output` fact."""
    meta = heading(node, site, "a measure", ("function", "from", "block", "output", "options"))
    world = site.world
    named = need(node, "function", "a measure", _PAGE)
    name = want_text(named, "`function`", "the name of a registered measure")
    if name not in world.measures:
        raise unknown(named.place, f"there is no measure {name!r:.60}", name, sorted(world.measures), "a registered measure", _PAGE)
    scope = Scope(world)
    source_node = need(node, "from", "a measure", _PAGE)
    source = build_source(source_node, scope, "`from`")
    check_count(len(source), source_node.place, f"the measure {meta.id}")
    blocked = node.get("block")
    items = want_list(blocked, "`block`", "a list of $alias.field", _PAGE).items if blocked is not None else ()
    block = tuple(bound_ref(item, scope, "an item of `block`") for item in items)
    output = _output(need(node, "output", "a measure", _PAGE), site)
    options = _options(node.get("options"), world.measures[name], node, site)
    outer = Scope(world)
    outer.aliases["output"] = output
    return Measure(with_says(meta, node, outer), name, source, block, output.name, options)


def _output(node: Node, site: Site) -> Kind:
    if not isinstance(node, Scalar):
        raise fault(node.place, f"`output` must be a kind, not {what(node)}", expected="`output: KIND`")
    kind = site.world.kind(node)
    if kind.verdict:
        raise fault(
            node.place,
            f"{kind.name} is a verdict: a measure computes and never judges",
            expected="a kind without `verdict: true`",
            next_step="let the measure assert a number or pair, and a rule judge it",
        )
    if kind.name in PRODUCER_FIELDS:
        raise fault(node.place, f"only the engine asserts {kind.name}", expected="a kind of the pack")
    return kind


def _options(node: Node | None, signature: MeasureSignature, measure: Map, site: Site) -> tuple[tuple[str, Value], ...]:
    """Every option of the signature with its value; what was left out is None."""
    known = {field.name: field for field in signature.options}
    given: dict[str, Value] = {}
    for key, value in want_map(node, "`options`", "NAME: CONSTANT", _PAGE).entries if node is not None else ():
        with site.world.problems.catch():
            if key.text not in known:
                message = f"{signature.name} has no option {key.text!r:.60}"
                raise unknown(key.place, message, key.text, sorted(known), f"an option of {signature.name}", _PAGE)
            given[key.text] = None
            given[key.text] = fit(constant(value, site.world), known[key.text], value.place, f"the option {key.text}")
    missing = [field.name for field in signature.options if not field.optional and field.name not in given]
    if missing:
        place = node.place if node is not None else measure.place
        raise fault(
            place, f"{signature.name} needs the option {', '.join(missing)}", expected="every option without a default", choices=missing
        )
    return tuple((field.name, given.get(field.name)) for field in signature.options)


def build_row(node: Node, site: Site) -> Row:
    """A fact written in a pack."""
    key, body = only_entry(node, "a fact", "`KIND: {FIELD: CONSTANT}`")
    world = site.world
    kind = world.kind(key)
    if kind.name in PRODUCER_FIELDS or kind.verdict:
        reason = "is a verdict: only rules may assert it" if kind.verdict else "is asserted by the engine only"
        raise fault(key.place, f"{kind.name} {reason}", expected="a kind that is no judgement")
    given: dict[str, Value] = {}
    problems, told = world.problems, len(world.problems)
    for name, value in want_map(body, f"the fields of {kind.name}").entries:
        with problems.catch():
            if name.text not in kind.index:
                message = f"{kind.name} has no field {name.text!r:.60}"
                raise unknown(name.place, message, name.text, sorted(kind.index), f"a field of {kind.name}", "facts-in-a-pack")
            given[name.text] = None
            given[name.text] = fit(constant(value, world), kind.field(name.text), value.place, f"{kind.name}.{name.text}")
    missing = [field.name for field in kind.fields if not field.optional and field.name not in given]
    if missing and len(problems) == told:
        raise fault(
            key.place,
            f"{kind.name} needs {', '.join(missing)}",
            expected="a value for every field that is not optional",
            choices=missing,
            next_step=f"add `{missing[0]}: ...`",
        )
    fields = tuple((field.name, given[field.name]) for field in kind.fields if field.name in given)
    return Row(kind.name, fields, key.place, site.pack)
