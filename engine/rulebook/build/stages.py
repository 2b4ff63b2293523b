"""Why: stages are one global order that several packs write together; where they contradict each other, the load says so."""

from __future__ import annotations

from typing import NamedTuple

from tollens.engine.rulebook.source.nodes import Map, Node, Scalar
from tollens.engine.rulebook.source.problems import Problems, fault, unknown
from tollens.engine.rulebook.source.shapes import check_keys, need, want_list, want_name
from tollens.engine.rulebook.syntax import Place


class Mention(NamedTuple):
    """One item of a pack's `stages`: `side` is "after", "before" or "" for a plain name."""

    name: str
    side: str
    other: str
    place: Place


def build_mentions(node: Node, problems: Problems) -> list[Mention]:
    """The items of `stages`."""
    mentions: list[Mention] = []
    for item in want_list(node, "`stages`", "a list of names and `{stage: NAME, after: OTHER}`", "packs").items:
        with problems.catch():
            mentions.append(_mention(item, problems))
    return mentions


def _mention(node: Node, problems: Problems) -> Mention:
    if not isinstance(node, Map):
        return Mention(want_name(node, "a stage"), "", "", node.place)
    check_keys(node, ("stage", "after", "before"), "a stage", problems, "packs")
    name = want_name(need(node, "stage", "a stage", "packs"), "`stage`")
    sides = [(key.text, value) for key, value in node.entries if key.text in ("after", "before")]
    if len(sides) != 1:
        raise fault(
            node.place,
            f"the stage {name} needs `after` or `before`, and only one of them",
            expected="one of them",
            choices=("after", "before"),
        )
    side, other = sides[0]
    return Mention(name, side, want_name(other, f"`{side}`"), other.place if isinstance(other, Scalar) else node.place)


def order_stages(mentions: list[Mention], problems: Problems) -> tuple[str, ...]:
    """All stages in order. A mention that waits for a stage that comes later in the packs is placed as soon as that one is known."""
    order: list[str] = []
    named = {mention.name for mention in mentions}
    waiting: list[Mention] = []
    for mention in mentions:
        if not mention.side:
            if mention.name not in order and not any(other.name == mention.name for other in waiting):
                order.append(mention.name)
        elif mention.other not in named:
            problems.add(
                unknown(
                    mention.place, f"there is no stage {mention.other!r:.60}", mention.other, sorted(named), "a stage of a pack", "packs"
                )
            )
            if mention.name not in order:
                order.append(mention.name)
        else:
            waiting.append(mention)
            waiting = _place(waiting, order)
        waiting = _place(waiting, order)
    if waiting:
        mention = waiting[0]
        cycle = " -> ".join([*_waits(mention, waiting)])
        problems.add(fault(mention.place, f"the order of the stages goes in a circle: {cycle}", expected="an order that can be met"))
        order += [mention.name for mention in waiting]
    else:
        _check_sides(mentions, order, problems)
    return tuple(dict.fromkeys(order))


def _place(waiting: list[Mention], order: list[str]) -> list[Mention]:
    """Put every waiting stage whose neighbour is known beside it, until nothing moves; what is left still waits."""
    moved = True
    while moved:
        moved = False
        for mention in list(waiting):
            if mention.name in order:
                waiting.remove(mention)
            elif mention.other in order:
                order.insert(order.index(mention.other) + (mention.side == "after"), mention.name)
                waiting.remove(mention)
                moved = True
    return waiting


def _waits(mention: Mention, waiting: list[Mention]) -> list[str]:
    chain = [mention.name]
    others = {item.name: item.other for item in waiting}
    while chain[-1] in others and chain.count(chain[-1]) == 1:
        chain.append(others[chain[-1]])
    return chain


def _check_sides(mentions: list[Mention], order: list[str], problems: Problems) -> None:
    """A later mention of a known stage must agree with where it stands."""
    for mention in mentions:
        if mention.side and mention.other in order and mention.name in order:
            mine, other = order.index(mention.name), order.index(mention.other)
            if mine == other or (mine > other) != (mention.side == "after"):
                wanted = "after" if mention.side == "after" else "before"
                problems.add(
                    fault(
                        mention.place,
                        f"the stage {mention.name} cannot stand {wanted} {mention.other}",
                        expected=f"an order that agrees with {', '.join(order)}",
                        next_step="use another name for a stage of your own",
                    )
                )
