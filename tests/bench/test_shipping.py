"""Why: hooks and CI snippets are copied unread, so each command in them must exist and do what the page says."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tollens.engine.interfaces.cli import parser
from tollens.engine.interfaces.rules_command import NAMES
from tollens.engine.rulebook.source.nodes import Map, Node, Scalar, read_documents
from tollens.engine.rulebook.source.problems import Problems

GOOD = "stage: grounds\nrules:\n  - {id: a, when: [primary: {as: p}], then: [question: {text: x}]}\n"


def plain(node: Node) -> Any:
    if isinstance(node, Map):
        return {key.text: plain(value) for key, value in node.entries}
    return node.value if isinstance(node, Scalar) else [plain(item) for item in node.items]


def yaml(text: str) -> Any:
    """A YAML text; a list is read below a key, as rule files are mappings."""
    body = "".join(f"  {line}" for line in text.splitlines(keepends=True))
    return plain(read_documents(f"it:\n{body}".encode(), "f", Problems())[0])["it"]


def blocks(root: Path, language: str) -> list[str]:
    page = (root / "docs/rule-tools.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)


def commands(root: Path) -> list[str]:
    """Every tollens command of the hooks and of the page's snippets."""
    hooks = [hook["entry"] for hook in yaml((root / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))]
    runs = [line.partition("- run: ")[2] for block in blocks(root, "yaml") for line in block.splitlines() if "- run: tollens" in line]
    shown = [line.removeprefix("$ ").partition(" > ")[0] for block in blocks(root, "console") for line in block.splitlines()]
    return [*hooks, *runs, *shown]


def test_every_command_is_one_that_the_command_line_takes(root: Path) -> None:
    found = commands(root)
    assert len(found) >= 8
    for command in found:
        words = shlex.split(command)
        assert words[0] == "tollens"
        parser(words[1], words[2:]).parse_args(words[1:])


def test_the_page_names_every_action(root: Path) -> None:
    page = (root / "docs/rule-tools.md").read_text(encoding="utf-8")
    assert [name for name in NAMES if f"`{name}" not in page] == []


def test_the_hooks_that_the_page_uses_exist(root: Path) -> None:
    hooks = {hook["id"]: hook for hook in yaml((root / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}
    config = next(yaml(block) for block in blocks(root, "yaml") if block.startswith("repos:"))
    used = config["repos"][0]["hooks"]
    assert [hook["id"] for hook in used] == list(hooks)
    assert all({"id", "name", "entry", "language"} <= set(hook) for hook in hooks.values())


@pytest.mark.parametrize("position", [0, 1, 2])
def test_a_hook_passes_a_good_pack_and_stops_a_bad_one(
    position: int, root: Path, tollens: Callable[..., Any], write: Callable[..., Path]
) -> None:
    hook = yaml((root / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))[position]
    words = shlex.split(hook["entry"])[1:]
    case = "cases:\n  - {name: n, facts: [signal: {number: 1, record_type: exception, grammar: g, first_line: 1, last_line: 1}], %s: [a]}\n"
    folder = write(rules=GOOD, files={"x.cases.yaml": case % "fires"})
    given = [folder / "rules.yaml"] if hook["id"].endswith("fmt") else [folder]
    before = (folder / "rules.yaml").read_bytes()
    done = tollens(*words, *given)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (folder / "rules.yaml").read_bytes() == before
    if hook["id"].endswith("fmt"):
        (folder / "rules.yaml").write_text(GOOD.replace("- {id", "-   {id"), encoding="utf-8")
        tollens(*words, *given)
        assert (folder / "rules.yaml").read_bytes() == before, "the hook mends the file, and so stops the commit"
        return
    (folder / "x.cases.yaml").write_text(case % "does_not_fire", encoding="utf-8")
    if hook["id"].endswith("check"):
        (folder / "rules.yaml").write_text(GOOD.replace("text: x", "txt: x"), encoding="utf-8")
    assert tollens(*words, *given).returncode == 2


def test_every_action_of_rules_says_what_it_does(tollens: Callable[..., Any]) -> None:
    printed = tollens("rules", "--help").stdout
    assert [name for name in NAMES if not re.search(rf"^    {name} +\w|^    {name}$", printed, re.MULTILINE)] == []
