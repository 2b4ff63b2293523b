"""Why: `tollens rules ACTION`: one table of the rule author's commands; a command's module is imported when it is asked for."""

from __future__ import annotations

import importlib
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from typing import Any

#: Name, help, and the module beside this one with `add_NAME(parser)` and `run_NAME(options) -> exit code`.
ACTIONS: tuple[tuple[str, str, str], ...] = (
    ("check", "check rule packs: errors, and findings about what loads but can hardly be meant", "rules_check"),
    ("new", "make a rule with its cases and page, in a pack of yours that is made where it is missing", "rules_write"),
    ("fmt", "format rule files; comments and meaning stay", "rules_write"),
    ("witness", "find the smallest set of facts on which two rules both fire, as a case", "rules_ask"),
    ("diff", "say which verdicts, rankings and reasons of a corpus an edit of a pack changes, and which rule did it", "rules_ask"),
    ("bench", "measure time and firings of each rule on one signal", "rules_ask"),
    ("docs", "write a page for each rule: its sentence, conditions, rivals and cases", "rules_show"),
    ("graph", "draw stages, kinds and rules", "rules_show"),
    ("schema", "print the JSON Schema of rule files, for editors", "rules_show"),
    ("test", "run the cases beside the rules: right, missing, unexpected or wrong", "rules_cases"),
    ("coverage", "say which conditions the cases make decide, or which failures of a corpus no rule explains", "rules_cases"),
    ("mutate", "change the rules one condition at a time and count the changes that a case notices", "rules_cases"),
)
NAMES = tuple(name for name, _, _ in ACTIONS)


def add_arguments(parser: ArgumentParser, parser_class: type[ArgumentParser], given: Sequence[str] = ()) -> None:
    """The actions of `tollens rules`; where the action is known, only its own arguments are made."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True, parser_class=parser_class)
    wanted = next((word for word in given if word in NAMES), None)
    for name, help_text, module in ACTIONS:
        action = actions.add_parser(name, help=help_text, description=help_text)
        if wanted in (None, name):
            _part(module, f"add_{name}")(action)


def run(options: Namespace) -> int:
    """Run one action; gives its exit code."""
    module = next(module for name, _, module in ACTIONS if name == options.action)
    code: int = _part(module, f"run_{options.action}")(options)
    return code


def _part(module: str, name: str) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(importlib.import_module(f"tollens.engine.interfaces.{module}"), name)
    return found
