from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from tollens.parsers import parse
from tollens.parsers.rare import AFTER_TRACEBACKS, BEFORE_TRACEBACKS, FIRST, Rare, RareGrammars

ALL = [*FIRST._rare, *BEFORE_TRACEBACKS._rare, *AFTER_TRACEBACKS._rare]


@pytest.mark.parametrize("rare", ALL, ids=lambda rare: rare.grammar)
def test_signs_change_no_fact(signals: Path, monkeypatch: pytest.MonkeyPatch, rare: Rare) -> None:
    """Each grammar reads every recording as it does when it always runs."""
    texts = [path.read_bytes() for path in sorted(signals.glob("*.txt"))]
    plain = [parse(text).drafts for text in texts]
    for group in (FIRST, BEFORE_TRACEBACKS, AFTER_TRACEBACKS):
        table = tuple(Rare(entry.module, entry.grammar, ("",)) if entry == rare else entry for entry in group._rare)
        monkeypatch.setattr(group, "_rare", table)
    assert [parse(text).drafts for text in texts] == plain


def test_every_rare_grammar_is_there() -> None:
    for rare in ALL:
        assert callable(getattr(import_module(f"tollens.parsers.{rare.module}"), rare.grammar)().read)


def test_a_text_without_signs_loads_none_of_them() -> None:
    program = "import sys; from tollens.parsers import parse; parse('nothing to see'); print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert [rare.module for rare in ALL if f"tollens.parsers.{rare.module}" in loaded] == []


def test_a_sign_at_either_end_is_seen() -> None:
    seen: list[str] = []

    class Probe:
        def read(self, page: object) -> None:
            seen.append(str(page))

    module = import_module("tollens.parsers.rare")
    module.Probe = Probe  # type: ignore[attr-defined] # a grammar of the test's own
    group = RareGrammars(Rare("rare", "Probe", ("\nlast\n",)))
    for lines in (["last"], ["first", "last"], ["last", "first"]):
        group.read(type("Page", (), {"text": type("Text", (), {"lines": lines})})())
    assert len(seen) == 3


@pytest.mark.parametrize(
    ("text", "class_name"),
    [
        (
            'Windows fatal exception: access violation\n\nCurrent thread 0x1 (most recent call first):\n  File "a.py", line 1 in f\n',
            "access violation",
        ),
        (
            "KeyError                 Traceback (most recent call last)\nInput In [1], in <cell line: 1>()\n----> 1 f()\n\nKeyError: 1\n",
            "KeyError",
        ),
        ("  Input In [1], line 1\n    a b\n      ^\nSyntaxError: invalid syntax\n", "SyntaxError"),
        ("+--- Traceback (most recent call last) ---+\n| a.py:1 in f  |\n+------+\nKeyError: 1\n", "KeyError"),
        ('KeyError: 1 (File "a.py", line 3)\n', "KeyError"),
        ("SyntaxError: bad input (a.py, line 3)\n", "SyntaxError"),
        ("TabError: tabs (a.py, line 3)\n", "TabError"),
        ('BrokenProcessException  File "a.py", line 3, in f\n', "BrokenProcessException"),
        ('RuntimeError:  File "a.py", line 3, in f\n', "RuntimeError"),
        ("ResolvePackageNotFound: \n  - tea=9\n", "ResolvePackageNotFound"),
        ("LibMambaUnsatisfiableError: tea\n", "LibMambaUnsatisfiableError"),
    ],
)
def test_each_sign_loads_its_grammar(text: str, class_name: str) -> None:
    found = [draft.fields["class_name"] for draft in parse(text).drafts if draft.kind == "signal"]
    assert class_name in found
