"""Why: the project's text must hold on any machine: no paths or hosts of one place, and no links that lead nowhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

# Put together from parts, so that this file does not hold what it looks for.
FORBIDDEN = {
    "an absolute path of one machine": ["/wo" + "rk/", "/ro" + "ot/", "/ho" + "me/[a-z]+/\\.pyenv"],
    "the host of a package registry": [
        "py" + "pi\\.org",
        "python" + "hosted",
        "registry\\.npm" + "js",
        "deb\\.deb" + "ian",
        "crates\\." + "io",
    ],
    "the name of an assistant": ["clau" + "de", "anthro" + "pic", "chat" + "gpt", "copi" + "lot"],
}
LINK = re.compile(r"(?<!!)\[[^\]\[]*\]\(([^()\s]+)\)|!\[[^\]]*\]\(([^()\s]+)\)")
FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#{1,6} (.+?)\s*$", re.MULTILINE)


def text_of(path: Path) -> str | None:
    """The text of a file; None when it is not text."""
    data = path.read_bytes()
    return None if b"\0" in data else data.decode("utf-8", errors="replace")


def faults(text: str) -> list[str]:
    """What a text holds that it should not."""
    return [
        f"{what}: {match[0]!r} in line {text.count(chr(10), 0, match.start()) + 1}"
        for what, patterns in FORBIDDEN.items()
        for pattern in patterns
        for match in re.finditer(pattern, text, re.IGNORECASE)
    ]


def test_no_text_is_tied_to_one_place(root: Path, files: list[str]) -> None:
    found = [f"{name}: {fault}" for name in files for fault in faults(text_of(root / name) or "")]
    assert found == [], "\n".join(found[:40])


@pytest.mark.parametrize("text", ["cd /wo" + "rk/main", "from https://py" + "pi.org/simple", "Clau" + "de says"])
def test_the_check_sees_what_it_forbids(text: str) -> None:
    assert faults(text)


def anchor(heading: str) -> str:
    """The anchor that a heading gets: lower case, punctuation dropped, spaces as hyphens."""
    plain = re.sub(r"[`*_]|\[([^\]]*)\]\([^)]*\)", lambda match: match[1] or "", heading)
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", plain.lower()))


def broken(page: Path) -> list[str]:
    """The relative links of a page that lead to no file or to no heading."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    found: list[str] = []
    for match in LINK.finditer(text):
        link = match[1] or match[2]
        if re.match(r"[a-z]+:", link):
            continue
        path, _, part = link.partition("#")
        target = (page.parent / path) if path else page
        if not target.exists():
            found.append(f"{page.name}: {link}: no such file")
        elif part and target.suffix == ".md":
            headings = HEADING.findall(FENCE.sub("", target.read_text(encoding="utf-8")))
            if part not in map(anchor, headings):
                found.append(f"{page.name}: {link}: no such heading")
    return found


def test_every_link_leads_somewhere(root: Path, files: list[str]) -> None:
    found = [fault for name in files if name.endswith(".md") and not name.startswith("fixtures/") for fault in broken(root / name)]
    assert found == []


def test_a_broken_link_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A page\n[good](#a-page) [lost](nowhere.md) [also lost](#no-part)\n", encoding="utf-8")
    assert len(broken(page)) == 2


def test_every_page_of_docs_is_in_the_index(root: Path, files: list[str]) -> None:
    index = (root / "docs/README.md").read_text(encoding="utf-8")
    pages = [name.removeprefix("docs/") for name in files if name.startswith("docs/") and name.endswith(".md") and name != "docs/README.md"]
    assert [page for page in pages if f"({page})" not in index and not page.startswith("rules/")] == []
    rules = (root / "docs/rules/README.md").read_text(encoding="utf-8")
    inner = [page.removeprefix("rules/") for page in pages if page.startswith("rules/") and page != "rules/README.md"]
    assert [page for page in inner if f"({page})" not in rules] == []
