"""Why: judgement lives in rule files, so editing nothing but a rule file must change the verdict."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tollens.engine.diagnosis.driver import Diagnosed
from tollens.engine.errors import PackErrors

Run = Callable[..., Diagnosed]
Signal = Callable[[str], bytes]
PackWriter = Callable[..., Path]


def edit(folder: Path, file: str, old: str, new: str) -> None:
    path = folder / file
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {file}"
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_threshold(run: Run, signal: Signal, editable: Path) -> None:
    before = run(signal("shopping-long"), builtin=(editable,)).result
    edit(editable, "verdict.yaml", "contested: false, from_share: 0.75, value: 0.8,", "contested: false, from_share: 0.75, value: 0.66,")
    edit(editable, "pack.yaml", "    value: 5\n", "    value: 2\n")
    after = run(signal("shopping-long"), builtin=(editable,)).result
    assert (before["diagnosis"]["confidence"], after["diagnosis"]["confidence"]) == (0.8, 0.66)
    assert (len(before["root_cause_sites"]), len(after["root_cause_sites"])) == (5, 2)
    assert before["pack"]["digest"] != after["pack"]["digest"]


def test_a_library_path(run: Run, signal: Signal, editable: Path) -> None:
    before = run(signal("shopping-long"), builtin=(editable,)).result
    edit(
        editable,
        "membership.yaml",
        "patterns:\n",
        "patterns:\n  - {id: library.pricing, over: {stack_frame: file}, regex: '(?:^|/)pricing\\.py$', says: generated}\n",
    )
    after = run(signal("shopping-long"), builtin=(editable,)).result
    assert before["residue"]["primary_entity"] == "shop/pricing.py:10"
    assert after["residue"]["primary_entity"] == "shop/invoice.py:20"
    assert not any(frame.startswith("shop/pricing.py") for frame in after["residue"]["project_frames"])


def test_a_class(run: Run, signal: Signal, editable: Path) -> None:
    before = run(signal("shopping-long"), builtin=(editable,)).result
    edit(
        editable,
        "taxonomy.yaml",
        '{pattern: says.none_value, failure_class: "null", rank: 10,',
        "{pattern: says.none_value, failure_class: type, rank: 10,",
    )
    after = run(signal("shopping-long"), builtin=(editable,)).result
    assert (before["classification"]["failure_class"], after["classification"]["failure_class"]) == ("null", "type")


def test_a_user_pack_adds(run: Run, signal: Signal, pack: PackWriter) -> None:
    mine = pack(
        "stage: read\n"
        "patterns:\n"
        "  - {id: library.ours, over: {stack_frame: file}, regex: '^shop/pricing'}\n"
        "facts:\n"
        "  - class_by_message: {pattern: says.none_value, failure_class: env-config, rank: 10, fit: weak, subreason: ours}\n"
    )
    result = run(signal("shopping-long"), user=(mine,)).result
    assert result["residue"]["primary_entity"] == "shop/invoice.py:20"
    assert result["classification"]["failure_class"] == "env-config"
    assert result["pack"]["name"] == "diagnosis+mine"


def test_a_user_pack_replaces(run: Run, signal: Signal, pack: PackWriter) -> None:
    mine = pack(
        "stage: standing\n"
        "rules:\n"
        "  - id: mine.in_test\n"
        "    replaces: standing.in_test\n"
        "    when:\n"
        "      - cause_signal: {as: c}\n"
        "      - signal: {as: s, id: $c.signal, record_type: assertion}\n"
        "    then:\n"
        "      - standing: {signal: $s, rank: 1}\n"
    )
    result = run(signal("shopping-long"), user=(mine,)).result
    assert result["residue"]["test_intent"].startswith("test_members_save_ten_percent")


def test_a_user_pack_disables(run: Run, signal: Signal, pack: PackWriter) -> None:
    mine = pack("stage: sites\n", head='disable:\n  - {id: sites.caller, reason: "callers are noise for us"}\n')
    result = run(signal("shopping-long"), user=(mine,)).result
    assert [site["file"] for site in result["root_cause_sites"]] == ["shop/pricing.py"]


@pytest.mark.parametrize("sealed", ["gate.fabricated", "gate.passed", "taxonomy.elect", "pin.deepest_project_frame", "diagnosis.assembled"])
def test_a_sealed_rule_refuses(run: Run, signal: Signal, pack: PackWriter, sealed: str) -> None:
    mine = pack("stage: gate\n", head=f'disable:\n  - {{id: {sealed}, reason: "in the way"}}\n')
    with pytest.raises(PackErrors) as caught:
        run(signal("shopping-long"), user=(mine,))
    text = str(caught.value)
    assert "sealed" in text
    assert sealed in text
    assert "pack.yaml:5:" in text
