"""Why: every form that the engine answers wrongly, hangs on or crashes with is refused before it gets there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tollens.engine.errors import EngineError
from tollens.engine.session.durable.invariants import check_ruleset, fnv1a
from tollens.engine.session.durable.limits import Limits
from tollens.engine.session.durable.ruleset import BATCH

PAD = {"_1": {"m0": "_1"}}
BOOT = {"all": [{"m0": {"_b": 1}}]}


def text(*conditions: dict[str, Any], **settings: Any) -> str:
    """A ruleset of one rule."""
    return json.dumps({"boot": BOOT, "r0": {"cap": BATCH, "all": list(conditions), **settings}})


def joined(*tests: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """A first condition and one with these tests behind its channel."""
    return {"m0": {"c0": 1}}, {"m1": {"$and": [{"c1": 1}, *tests]}}


def test_the_safe_form_passes() -> None:
    check_ruleset(text(*joined({"p0": {"m0": "p1"}}, {"$gt": {"p0": {"m0": "p1"}}}, PAD), {"n0$not": {"$and": [{"c2": 1}, PAD]}}), Limits())


UNSAFE: dict[str, str] = {
    "an inequality at the end of a join": text(*joined({"$gt": {"p0": {"m0": "p0"}}})),
    "an equality at the end of a join": text(*joined({"p0": {"m0": "p0"}})),
    "no channel first": text({"m0": {"p0": 1}}),
    "no channel first in a join": text({"m0": {"c0": 1}}, {"m1": {"$and": [{"p0": {"m0": "p0"}}, PAD]}}),
    "a bare $nex": text({"m0": {"$nex": {"c0": 1}}}),
    "$nex in a join": text(*joined({"$nex": {"p0": 1}}, PAD)),
    "$ex on sid": text({"m0": {"$ex": {"sid": 1}}}),
    "an empty $and": text({"m0": {"$and": []}}),
    "$or": text({"m0": {"$or": [{"c0": 1}, {"c1": 1}]}}),
    "$or in a join": text(*joined({"$or": [{"p0": {"m0": "p0"}}, {"p1": {"m0": "p0"}}]}, PAD)),
    "two keys in one test": text({"m0": {"c0": 1, "c1": 1}}),
    "two keys in one comparison": text(*joined({"$gt": {"p0": {"m0": "p0"}, "p1": {"m0": "p0"}}}, PAD)),
    "two aliases in one condition": text({"m0": {"c0": 1}, "m1": {"c1": 1}}),
    "a regular expression": text({"m0": {"$mt": {"c0": "a.*"}}}),
    "a regular expression in a join": text(*joined({"$mt": {"p0": {"m0": "p0"}}}, PAD)),
    "an array test": text(*joined({"$iany": {"p0": {"m0": "p0"}}}, PAD)),
    "arithmetic": text(*joined({"p0": {"$div": {"$l": {"$m": "p1"}, "$r": 0}}}, PAD)),
    "a mix of own and earlier fields": text(*joined({"p0": {"$add": {"$l": {"$m": "p1"}, "$r": {"m0": "p0"}}}}, PAD)),
    "an earlier id": text(*joined({"p0": {"m0": "id"}}, PAD)),
    "an earlier sid": text(*joined({"p0": {"m0": "sid"}}, PAD)),
    "an own id": text(*joined({"id": {"m0": "p0"}}, PAD)),
    "an unknown alias": text(*joined({"p0": {"m7": "p0"}}, PAD)),
    "an own alias": text(*joined({"p0": {"m1": "p0"}}, PAD)),
    "a text constant": text({"m0": {"c0": "1"}}),
    "a float constant": text({"m0": {"c0": 1.5}}),
    "a repeated alias": text({"m0": {"c0": 1}}, {"m0": {"$and": [{"c1": 1}, PAD]}}),
    "a negated condition first": text({"n0$not": {"c0": 1}}),
    "a negated condition between others": text(
        {"m0": {"c0": 1}}, {"n0$not": {"$and": [{"c1": 1}, PAD]}}, {"m1": {"$and": [{"c1": 1}, PAD]}}
    ),
    "$all and $any": text({"m0$any": [{"m1": {"c0": 1}}]}),
    "no condition": text(),
    "a priority": text({"m0": {"c0": 1}}, pri=1),
    "a count": text({"m0": {"c0": 1}}, count=2),
    "dist": text({"m0": {"c0": 1}}, dist=0),
    "any": text({"m0": {"c0": 1}}, any=[]),
    "too many conditions": text({"m0": {"c0": 1}}, *({f"m{n}": {"$and": [{"c1": 1}, PAD]}} for n in range(1, 17))),
    "too many comparisons": text(*joined(*[{"p0": {"m0": "p0"}}] * 29, PAD)),
    "no first rule": json.dumps({"r0": {"cap": BATCH, "all": [{"m0": {"c0": 1}}]}}),
    "too many rules": json.dumps({"boot": BOOT, **{f"r{n}": {"cap": BATCH, "all": [{"m0": {"c0": 1}}]} for n in range(2001)}}),
}


@pytest.mark.parametrize("name", UNSAFE)
def test_an_unsafe_form_is_refused(name: str) -> None:
    with pytest.raises(EngineError, match="safe subset"):
        check_ruleset(UNSAFE[name], Limits())


def test_no_two_names_of_properties_have_the_same_hash() -> None:
    assert fnv1a("costarring") == fnv1a("liquid")
    fixed = ["id", "sid", "$s", "$i", "$m", "$forward", "_1", "_b"]
    names = [*fixed, *(f"c{n}" for n in range(20_000)), *(f"p{n}" for n in range(1000))]
    assert len({fnv1a(name) for name in names}) == len(names)
