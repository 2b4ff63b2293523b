"""Why: an example in the docs that does not run is worse than none, so the marked ones are run.

The mark stands after the language of a fence:
  ```console test     each `$ command` is run, and what it prints must be the lines below it; `...` stands for any text, alone on a line for
                      any lines; `(exit 3)` on the last line is the exit code (0 when left out)
  ```python test      the block is run as a program of its own and must exit with 0
  ```yaml file=PATH   (any language) the block is written to PATH before what follows is run
The blocks of one page run in order in one empty folder; `cwd=root` in the mark runs a block in the project's folder instead.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

OPENING = re.compile(r"^```(?P<language>[\w+-]+)(?P<mark>(?: [\w=./-]+)*)\s*$")
EXIT = re.compile(r"^\(exit (\d+)\)$")


class Block(NamedTuple):
    """A fenced block that says how to be used."""

    language: str
    marks: tuple[str, ...]
    line: int
    text: str

    def option(self, name: str) -> str:
        """The value of `name=value` in the mark, or nothing."""
        return next((mark.partition("=")[2] for mark in self.marks if mark.startswith(name + "=")), "")


class Command(NamedTuple):
    """A command of a console block, what it must print, and its exit code."""

    command: str
    expected: str
    code: int


def blocks(page: str) -> list[Block]:
    """The marked blocks of a page, in order."""
    found: list[Block] = []
    opened: re.Match[str] | None = None
    start = 0
    held: list[str] = []
    for number, line in enumerate(page.splitlines(), 1):
        if opened is None:
            opened, start, held = OPENING.match(line), number, []
        elif line.strip() == "```":
            if opened["mark"].strip():
                found.append(Block(opened["language"], tuple(opened["mark"].split()), start, "\n".join(held) + "\n"))
            opened = None
        else:
            held.append(line)
    return found


def commands(block: Block) -> list[Command]:
    """The commands of a console block."""
    found: list[Command] = []
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        lines = output.rstrip("\n").split("\n") if output.strip() else []
        last = EXIT.match(lines[-1]) if lines else None
        found.append(Command(command, "\n".join(lines[:-1] if last else lines), int(last[1]) if last else 0))
    return found


def fits(expected: str, printed: str) -> bool:
    """Whether an output is the expected one; `...` stands for any text."""
    pattern = re.escape(expected.strip()).replace(re.escape("..."), ".*")
    return re.fullmatch(pattern, printed.strip(), re.DOTALL) is not None


def run(block: Block, folder: Path, root: Path) -> None:
    """Carry out a block; AssertionError where it does not do what it says."""
    target = block.option("file")
    if target:
        (folder / target).parent.mkdir(parents=True, exist_ok=True)
        (folder / target).write_text(block.text, encoding="utf-8")
    if "test" not in block.marks:
        return
    place = root if block.option("cwd") == "root" else folder
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "100",
        "NO_COLOR": "1",
    }
    if block.language == "python":
        script = [sys.executable, "-c", block.text]
        done = subprocess.run(script, cwd=place, env=environment, check=False, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, f"line {block.line}: {done.stderr}"
        return
    for command, expected, code in commands(block):
        shell = ["sh", "-c", f"{command} 2>&1"]
        ended = subprocess.run(shell, cwd=place, env=environment, check=False, capture_output=True, text=True, timeout=120)
        assert ended.returncode == code, f"line {block.line}: `{command}` exited with {ended.returncode}:\n{ended.stdout}"
        assert fits(expected, ended.stdout), f"line {block.line}: `{command}` printed\n{ended.stdout}\ninstead of\n{expected}"


def pages() -> list[str]:
    """The pages that may hold examples."""
    root = Path(__file__).resolve().parents[2]
    return sorted(str(page.relative_to(root)) for page in [*root.glob("*.md"), *root.glob("docs/**/*.md")])


@pytest.mark.parametrize("page", pages())
def test_marked_examples_do_what_they_say(page: str, root: Path, tmp_path: Path) -> None:
    for block in blocks((root / page).read_text(encoding="utf-8")):
        run(block, tmp_path, root)


def test_a_page_runs_in_order_in_one_folder(tmp_path: Path, root: Path) -> None:
    page = "```text file=a/b.txt\nhello\n```\n```console test\n$ cat a/b.txt\nhe...\n$ false\n(exit 1)\n```\n"
    for block in blocks(page):
        run(block, tmp_path, root)


@pytest.mark.parametrize("text", ["$ echo one\ntwo\n", "$ false\n", "$ true\n(exit 3)\n"])
def test_a_wrong_example_is_seen(text: str, tmp_path: Path, root: Path) -> None:
    with pytest.raises(AssertionError):
        run(Block("console", ("test",), 1, text), tmp_path, root)
