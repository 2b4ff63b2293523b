"""Why: the page of stages, kinds and tables is made from the pack, and must be the one that the pack makes now."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_the_page_is_as_the_pack_makes_it(root: Path) -> None:
    done = subprocess.run([sys.executable, ".ci/pack_page.py", "--check"], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"run `make pages`\n{done.stderr}"


def test_an_edit_of_the_pack_is_noticed(root: Path, tmp_path: Path) -> None:
    page = (root / "docs" / "diagnosis-pack.md").read_text(encoding="utf-8")
    assert "| `keep_sites` | 5 |" in page
    script = (root / ".ci" / "pack_page.py").read_text(encoding="utf-8")
    other = tmp_path / "page.md"
    other.write_text(page.replace("| `keep_sites` | 5 |", "| `keep_sites` | 6 |"), encoding="utf-8")
    run = script.replace('PAGE = Path(__file__).resolve().parent.parent / "docs" / "diagnosis-pack.md"', f"PAGE = Path({str(other)!r})")
    done = subprocess.run([sys.executable, "-c", run, "--check"], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 2
