"""Why: the invariants of spec 13 section 8 that the first pack already holds, each shown on a real signal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tollens.engine.diagnosis.driver import Diagnosed
from tollens.facts.values import digest

Run = Callable[..., Diagnosed]
Signal = Callable[[str], bytes]
PackWriter = Callable[..., Path]

LIBRARY_ONLY = b"""\
Traceback (most recent call last):
  File "/usr/lib/python3.11/runpy.py", line 196, in _run_module_as_main
    return _run_code(code, main_globals, None,
  File "/opt/venv/lib/python3.11/site-packages/tool/__main__.py", line 3, in <module>
    main()
ValueError: bad option
"""

FORGED = """\
stage: grounds
rules:
  - id: mine.forged
    says: "the cache was cold"
    when:
      - primary: {as: p}
    then:
      - cited: {digest: "0123456789abcdef0123", side: contradictory}
"""


@pytest.mark.parametrize("evaluator", ["reference", "auto"])
def test_the_citation_gate_refuses_what_nobody_observed(run: Run, signal: Signal, pack: PackWriter, evaluator: str) -> None:
    result = run(signal("shopping-long"), user=(pack(FORGED),), evaluator=evaluator).result
    assert result["citation_gate"] is False
    assert result["diagnosis"] is None
    assert result["outcome"] == "insufficient_evidence"
    assert run(signal("shopping-long"), evaluator=evaluator).result["citation_gate"] is True


def test_evidence_cannot_be_stated_from_outside(run: Run, signal: Signal) -> None:
    """Only rules may assert evidence; a caller that tries is refused (law 1, invariant 2)."""
    from tollens.engine.diagnosis.packs import rulebook
    from tollens.engine.errors import FactError
    from tollens.engine.session.reference import Reference
    from tollens.engine.session.session import run_session
    from tollens.facts.fact import Draft

    forged = Draft(
        "evidence",
        {"digest": digest("x"), "source_type": "trace", "source": "a", "timestamp": "", "entity": "e", "observation": "o", "confidence": 1},
    )
    with pytest.raises(FactError, match="evidence is a verdict"):
        run_session(rulebook(cached=False), [forged], Reference())


@pytest.mark.parametrize("name", ["shopping-long", "shopping-short", "shopping-native", "python-3.11-chained", "python-3.13-crash"])
def test_the_hierarchy_is_populated_and_grounded(run: Run, signal: Signal, name: str) -> None:
    result = run(signal(name)).result
    made = result["diagnosis"]
    assert made["symptom"]
    assert made["immediate_cause"]
    assert made["root_cause_hypothesis"]
    assert len({made["symptom"], made["immediate_cause"], made["root_cause_hypothesis"]}) == 3
    assert result["hierarchy_populated"] is True
    assert made["supporting_evidence"]
    assert all(cited in result["evidence"] for cited in made["supporting_evidence"])


def test_no_library_frame_is_ever_pinned(run: Run) -> None:
    result = run(LIBRARY_ONLY).result
    assert result["residue"]["primary_entity"] is None
    assert result["residue"]["project_frames"] == []
    assert not any("site-packages" in row["source"] for row in result["evidence"])


def test_a_pin_goes_past_library_frames(run: Run) -> None:
    text = LIBRARY_ONLY.replace(
        b"    main()\n",
        b'    main()\n  File "src/app.py", line 7, in main\n    load()\n  File "/opt/venv/lib/python3.11/site-packages/lib.py", line 1, in load\n    raise\n',
    )
    assert run(text).result["residue"]["primary_entity"] == "src/app.py:7"


def test_a_root_that_the_caller_names_makes_the_rest_library(run: Run) -> None:
    text = b'Traceback (most recent call last):\n  File "/home/me/app/a.py", line 1, in a\n    b()\n  File "/home/me/shared/b.py", line 2, in b\n    raise ValueError("x")\nValueError: x\n'
    assert run(text).result["residue"]["primary_entity"] == "/home/me/shared/b.py:2"
    assert run(text, project_roots=("/home/me/app",)).result["residue"]["primary_entity"] == "/home/me/app/a.py:1"


def test_a_package_that_the_caller_names_is_the_project_s(run: Run) -> None:
    installed = LIBRARY_ONLY.replace(b"/tool/__main__.py", b"/shop/cart.py")
    assert run(installed).result["residue"]["primary_entity"] is None
    found = run(installed, project_packages=("shop",)).result
    assert found["residue"]["primary_entity"] == "/opt/venv/lib/python3.11/site-packages/shop/cart.py:3"
    assert run(installed).run_id != run(installed, project_packages=("shop",)).run_id


def test_the_chain_starts_with_what_was_raised_first(run: Run, signal: Signal) -> None:
    result = run(signal("python-3.11-chained")).result
    first = result["records"][0]
    assert first["class"] in result["diagnosis"]["immediate_cause"]
    assert result["residue"]["suppressed_cascade_tail"] == len(result["records"]) - 1


def test_the_result_has_exactly_the_fields_of_the_seeds(run: Run, signal: Signal) -> None:
    from tollens.facts.views import Result

    for name in ("shopping-long", "shopping-passing", "python-3.11-bad_syntax"):
        Result.model_validate(run(signal(name)).result, strict=False)


def test_time_is_the_caller_s(run: Run, signal: Signal) -> None:
    untold = run(signal("shopping-long")).result["evidence"]
    told = run(signal("shopping-long"), timestamp="2026-03-01T10:00:00Z").result["evidence"]
    assert {row["timestamp"] for row in told} == {"2026-03-01T10:00:00Z"}
    assert all(row["timestamp"].startswith("run ") for row in untold)


def test_the_same_run_has_the_same_name_and_another_one_has_not(run: Run, signal: Signal) -> None:
    first, again = run(signal("shopping-long")), run(signal("shopping-long"))
    assert first.run_id == again.run_id
    assert run(signal("shopping-long"), timestamp="2026-03-01T10:00:00Z").run_id != first.run_id
    assert run(signal("shopping-short")).run_id != first.run_id


@pytest.mark.parametrize(
    ("data", "outcome", "why"),
    [
        (b"", "insufficient_evidence", "the signal is empty"),
        (b"\x7fELF\x00\x01\x02" * 50, "insufficient_evidence", "the signal is not text"),
        (b"all quiet\n", "insufficient_evidence", "no signal of a known grammar was found"),
        (b"==== 2 failed, 1 passed in 0.10s ====\n", "insufficient_evidence", "the runner counts failures, but their text is not there"),
    ],
)
def test_outcomes_without_a_diagnosis(run: Run, data: bytes, outcome: str, why: str) -> None:
    done = run(data)
    assert done.result["outcome"] == outcome
    assert done.session.store.facts("outcome")[0].get("why") == why


def test_a_passing_log_is_no_failure(run: Run, signal: Signal) -> None:
    assert run(signal("shopping-passing")).result["outcome"] == "no_failure"


def test_further_failures_are_grouped_by_cause(run: Run) -> None:
    one = b'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    g()\nValueError: x\n\n'
    other = one.replace(b"ValueError: x", b"KeyError: 'y'")
    result = run(one + other * 3 + one * 2 + b"the program went on\n" * 9).result
    assert result["other_failures"] == [
        {"cause": "KeyError: 'y'", "count": 3, "first_signal": 2},
        {"cause": "ValueError: x", "count": 2, "first_signal": 5},
    ]


def test_a_group_is_a_consequence_of_what_it_holds(run: Run, signal: Signal) -> None:
    result = run(signal("python-3.11-group")).result
    leaf = next(record for record in result["records"] if "Group" not in record["class"])
    assert leaf["class"] in result["diagnosis"]["immediate_cause"]
    assert result["residue"]["suppressed_cascade_tail"] >= 1


def test_a_leaf_without_a_stack_is_pinned_to_the_group_around_it(run: Run) -> None:
    text = (
        b"  + Exception Group Traceback (most recent call last):\n"
        b'  |   File "app/work.py", line 9, in main\n'
        b'  |     raise ExceptionGroup("two", [ValueError("bad")])\n'
        b"  | ExceptionGroup: two (1 sub-exception)\n"
        b"  +-+---------------- 1 ----------------\n"
        b"    | ValueError: bad\n"
        b"    +------------------------------------\n"
    )
    result = run(text).result
    assert result["residue"]["primary_entity"] == "app/work.py:9"
    assert "ValueError" in result["diagnosis"]["immediate_cause"]


def test_the_failure_that_ends_the_output_is_the_primary_one(run: Run) -> None:
    handled = b'Traceback (most recent call last):\n  File "app.py", line 3, in load\n    parse(x)\nValueError: bad row\n'
    fatal = b'Traceback (most recent call last):\n  File "app.py", line 9, in main\n    total(y)\nTypeError: no total\n'
    goes_on = b"2026-01-01 INFO goes on\n" * 9
    result = run(handled + goes_on + fatal).result
    assert result["residue"]["primary_entity"] == "app.py:9"
    assert [other["cause"] for other in result["other_failures"]] == ["ValueError: bad row"]
    alone = run(handled + goes_on).result
    assert alone["residue"]["primary_entity"] == "app.py:3"
    assert any("was it handled?" in question for question in alone["diagnosis"]["unresolved_questions"])


def test_a_chain_whose_first_stack_is_library_code_is_pinned_by_the_next(run: Run) -> None:
    text = (
        b"Traceback (most recent call last):\n"
        b'  File "/usr/lib/python3.11/urllib/request.py", line 1348, in do_open\n'
        b"    h.request(req.get_method())\n"
        b"socket.gaierror: [Errno -2] Name or service not known\n\n"
        b"During handling of the above exception, another exception occurred:\n\n"
        b"Traceback (most recent call last):\n"
        b'  File "app/fetch.py", line 7, in fetch\n'
        b"    return urlopen(url).read()\n"
        b'  File "/usr/lib/python3.11/urllib/request.py", line 1351, in do_open\n'
        b"    raise URLError(err)\n"
        b"urllib.error.URLError: <urlopen error [Errno -2] Name or service not known>\n"
    )
    result = run(text).result
    assert result["residue"]["primary_entity"] == "app/fetch.py:7"
    assert result["classification"]["failure_class"] == "env-config"


@pytest.mark.parametrize(
    ("condition", "left", "right", "found", "expected"),
    [("==", "4", "5", "4", "5"), ("is", "None", "x", "None", "x"), ("<", "4", "4", None, None), ("in", "'x'", "['a']", None, None)],
)
def test_only_an_equality_is_told_as_found_and_expected(
    run: Run, condition: str, left: str, right: str, found: str | None, expected: str | None
) -> None:
    text = (
        "=================================== FAILURES ===================================\n"
        "___________________________________ test_one ___________________________________\n\n"
        "    def test_one():\n"
        f">       assert f() {condition} g()\n"
        f"E       assert {left} {condition} {right}\n\n"
        "test_one.py:3: AssertionError\n"
        "=========================== short test summary info ============================\n"
        f"FAILED test_one.py::test_one - assert {left} {condition} {right}\n"
        "============================== 1 failed in 0.01s ===============================\n"
    )
    made = run(text.encode()).result["diagnosis"]
    if found is None:
        assert f"does not hold: {left} {condition} {right}" in made["immediate_cause"]
        assert "expected" not in made["immediate_cause"] + made["root_cause_hypothesis"]
    else:
        assert f"found {found}, expected {expected}" in made["immediate_cause"]
        assert f"`f()` gives {found}" in made["root_cause_hypothesis"]


def test_a_side_called_expected_is_what_was_expected(run: Run) -> None:
    text = (
        b"======================================================================\n"
        b"FAIL: test_total (tests.CartTest.test_total)\n"
        b"----------------------------------------------------------------------\n"
        b"Traceback (most recent call last):\n"
        b'  File "tests.py", line 9, in test_total\n'
        b"    self.assertEqual(expected, cart.total())\n"
        b"AssertionError: 12 != 15\n\n"
        b"----------------------------------------------------------------------\n"
        b"Ran 1 test in 0.001s\n\nFAILED (failures=1)\n"
    )
    residue = run(text).result["residue"]
    assert (residue["actual"], residue["expected"]) == ("15", "12")
