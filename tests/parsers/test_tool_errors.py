from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("runners-no-file", "file or directory not found: no_such_file.py"),
        ("runners-no-test", "not found: /home/dev/runners/test_flaky.py::test_gone"),
        ("runners-no-option", "unrecognized arguments: --no-such-option"),
        ("runners-no-plugin", "Error importing plugin \"no_such_plugin\": No module named 'no_such_plugin'"),
    ],
)
def test_usage_errors_of_pytest(recorded: Callable[[str], Any], name: str, message: str) -> None:
    assert recorded(name).rows("signal", "record_type", "class_name", "message") == [("exception", None, message)]


def test_failures_of_pytest_itself(recorded: Callable[[str], Any]) -> None:
    internal = recorded("runners-internal")
    assert internal.rows("signal", "class_name", "message") == [("KeyError", "'no such worker'")]
    assert internal.frames(1)[-1] == ("/home/dev/runners/broken_plugin/conftest.py", 7, "pytest_runtestloop")
    assert recorded("runners-hook").signals() == [("exception", "pluggy._manager.PluginValidationError")]
    conftest = recorded("runners-conftest")
    assert conftest.signals() == [("test", None), ("exception", "ModuleNotFoundError")]
    assert conftest.rows("test_case", "phase") == [("collect",)]


def test_few_internal_lines_in_a_long_log(signals: Path, reading: Callable[..., Any]) -> None:
    facts = reading("a line of a build\n" * 500 + (signals / "runners-internal.txt").read_text(encoding="utf-8"))
    assert facts.signals() == [("exception", "KeyError")]


@pytest.mark.parametrize(
    ("text", "grammar", "message"),
    [
        ("ERROR: Could not install packages due to an OSError: no space left", "python_installer", "Could not install packages due to an OSError: no space left"),
        ("error: metadata-generation-failed\n", "python_installer", "metadata-generation-failed"),
        ("ERROR: No matching distribution found for tea==9", "python_installer", "No matching distribution found for tea==9"),
        ("  \u00d7 No solution found when resolving dependencies:\n    because tea", "python_installer", "No solution found when resolving dependencies:"),
        ("Because shop depends on tea (9) which doesn't match any versions, version solving failed.", "poetry",
         "Because shop depends on tea (9) which doesn't match any versions, version solving failed."),
        ("tool.py: error: the following arguments are required: path", "argparse", "the following arguments are required: path"),
    ],
)  # fmt: skip
def test_errors_without_a_class(reading: Callable[..., Any], text: str, grammar: str, message: str) -> None:
    assert reading(text).rows("signal", "record_type", "grammar", "class_name", "message") == [("exception", grammar, None, message)]


def test_lines_of_one_tool_that_follow_each_other_are_one_error(reading: Callable[..., Any]) -> None:
    facts = reading(
        "ERROR: Could not find a version that satisfies the requirement tea==9 (from versions: 1, 2)\n"
        "ERROR: No matching distribution found for tea==9\nother\nERROR: ResolutionImpossible: for help visit the page\n"
    )
    assert facts.rows("signal", "message", "first_line", "last_line") == [
        (
            "Could not find a version that satisfies the requirement tea==9 (from versions: 1, 2)\nNo matching distribution found for tea==9",
            1,
            2,
        ),
        ("ResolutionImpossible: for help visit the page", 4, 4),
    ]


def test_a_named_error_of_a_resolver(reading: Callable[..., Any]) -> None:
    facts = reading("PackagesNotFoundError: The following packages are not available from current channels:\n")
    assert facts.signals() == [("exception", "PackagesNotFoundError")]


@pytest.mark.parametrize(
    "line", ["ERROR: something else", "an error: of prose", "ERROR    root:shop.py:3 cannot load", "Because I said so", "no error: here"]
)
def test_other_lines_that_speak_of_errors_are_no_signals(reading: Callable[..., Any], line: str) -> None:
    assert reading(line + "\n").signals() == []
