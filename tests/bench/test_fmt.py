"""Why: a formatter that anybody runs unasked must never change what a file means, lose a comment, or change its mind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tollens.engine.bench.fmt import formatted, meaning
from tollens.engine.bench.packs import subject_of
from tollens.engine.errors import PackError, PackErrors
from tollens.engine.rulebook.source.layout import comments, lay_out
from tollens.engine.rulebook.source.nodes import read_documents
from tollens.engine.rulebook.source.problems import Problems
from tollens.engine.rulebook.syntax import Place

MESSY = """\
# head


stage:   one   # which
# about rules
rules:
- id: a # the id
  # when
  when:
     - signal: {as: s,number: {gt:  3}}   # a


     -   belongs: { signal: $s , test: {exists:   true}}
  then:
      - done: {signal: $s, note: "a # b"}
      # a commented item
      #- x
- id: b
  says: >
     folded text
       more

     end
  note: |
        lit
         x
  when: [
    signal: {as: s}, # in brackets
    x: {y: 1}
  ]
  refs:
  - x
  -
    - y
  empty:
# end of first
---

# second
stage: two
text: this is
  continued
# tail

"""

TIDY = """\
# head

stage: one # which
# about rules
rules:
  - id: a # the id
    # when
    when:
      - signal: {as: s, number: {gt: 3}} # a

      - belongs: {signal: $s, test: {exists: true}}
    then:
      - done: {signal: $s, note: "a # b"}
      # a commented item
      #- x
  - id: b
    says: >
      folded text
        more

      end
    note: |
      lit
       x
    when: [
    signal: {as: s}, # in brackets
    x: {y: 1}
  ]
    refs:
      - x
      - - y
    empty:
  # end of first
---
# second
stage: two
text: "this is continued"
# tail
"""


def fmt(text: str) -> str:
    return formatted(text.encode(), "f.yaml")


def test_what_it_settles() -> None:
    assert fmt(MESSY) == TIDY
    assert fmt(TIDY) == TIDY
    assert fmt(MESSY.replace("\n", "\r\n")) == TIDY


def test_the_shipped_files_are_formatted(root: Path) -> None:
    for file in sorted([*root.glob("rules/**/*.yaml"), *root.glob("tests/language/decisions/**/*.yaml")]):
        text = file.read_text(encoding="utf-8")
        assert fmt(text) == text, file


def placeless(part: object) -> object:
    """A part of a rulebook without its places."""
    if isinstance(part, Place):
        return None
    return tuple([placeless(item) for item in part]) if isinstance(part, tuple) else part


def test_the_rulebook_is_the_same_but_for_places_and_digests(write: Callable[..., Path]) -> None:
    head = "stages:   [one]\nkinds:\n   done:   {verdict: true,fields: {signal: {ref: signal}, note: text}}\n"
    folder = write(
        head,
        rules="stage:  one\nrules:\n- id: a\n  when:\n     - signal: {as: s,number: {gt:  3}}\n  then: [done: {signal: $s,note: 'it''s'}]\n",
    )
    before = subject_of([folder], ()).book
    for file in folder.glob("*.yaml"):
        text = fmt(file.read_text(encoding="utf-8"))
        assert text != file.read_text(encoding="utf-8")
        file.write_text(text, encoding="utf-8")
    after = subject_of([folder], ()).book
    assert placeless(before.stages) == placeless(after.stages)
    assert [kind.to_json() for kind in before.kinds] == [kind.to_json() for kind in after.kinds]
    assert before.digest != after.digest


SCALARS = st.sampled_from(
    ["a", "1", "1.50", "true", "~", "''", '"a # b"', "'x: y'", "$s.f", "010", '"\\t"', "a b", "é", "'it''s'", "-1", '"\\u2028"']
)
KEYS = st.sampled_from(["a", "b", "c", "'d e'", "then", '"f:"'])
FLOW = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: "[" + " , ".join(items) + "]"),
        st.dictionaries(KEYS, inner, max_size=3).map(
            lambda items: "{ " + ",".join(f"{key}:  {value}" for key, value in items.items()) + " }"
        ),
    ),
    max_leaves=6,
)
SPACE = st.sampled_from(["", "", "", "\n", "\n\n\n", "# note\n", "  # note with # sign\n", "\n# a\n\n# b\n"])
AFTER = st.sampled_from(["", "", "", "   # why", " # : - {"])


def shifted(text: str, by: int) -> str:
    return "".join(" " * by + line if line.strip() else line for line in text.splitlines(keepends=True))


@st.composite
def block(draw: st.DrawFn, depth: int = 0) -> str:
    """Lines of a block mapping or list, with spaces and comments in all places."""
    width = draw(st.integers(2, 5))
    parts: list[str] = []
    is_map = depth == 0 or draw(st.booleans())
    keys = draw(st.lists(KEYS, min_size=1, max_size=3, unique=True)) if is_map else [""] * draw(st.integers(1, 3))
    for key in keys:
        lead = f"{key}:" if is_map else "-"
        parts.append(draw(SPACE))
        shape = draw(st.sampled_from(["flow", "flow", "block", "literal", "none", "digit"] if depth < 3 else ["flow"]))
        if shape == "flow":
            parts.append(f"{lead}   {draw(FLOW)}{draw(AFTER)}\n")
        elif shape == "none":
            parts.append(f"{lead}{draw(AFTER)}\n")
        elif shape == "digit":
            parts.append(f"{lead} |3\n" + "     x # no\n\n   y\n    z\n")
        elif shape == "literal":
            parts.append(f"{lead} {draw(st.sampled_from(['|', '>', '|-', '>+']))}\n" + shifted("x # no\n\n  y\n z\n", width))
        else:
            parts.append(f"{lead}{draw(AFTER)}\n" + shifted(draw(block(depth + 1)), width))
    return "".join(parts)


@given(st.lists(block(), min_size=1, max_size=2))
@settings(max_examples=250, deadline=None)
def test_any_file_keeps_its_meaning_and_comments_and_stays_as_it_is_the_second_time(documents: list[str]) -> None:
    text = "---\n".join(documents)
    problems = Problems()
    before = read_documents(text.encode(), "f", problems)
    try:
        once = fmt(text)
    except PackErrors:
        assert len(problems)  # a generated file may hold a key twice
        return
    except PackError as error:
        pytest.fail(f"{error}\n{text}")
    after = read_documents(once.encode(), "f", Problems())
    assert [meaning(one) for one in after] == [meaning(one) for one in before]
    assert [one.text for one in comments(once, lay_out(once))] == [one.text for one in comments(text, lay_out(text))]
    assert fmt(once) == once


@pytest.mark.parametrize("text", ["a: [1\n", "a: &x 1\n", "\ta: 1\n", "a: 1\na: 2\n"])
def test_what_cannot_be_read_is_an_error(text: str) -> None:
    with pytest.raises(PackError if ":" in text and "a: 2" not in text else PackErrors):
        fmt(text)


def test_the_command_checks_writes_and_tells_what_it_cannot_read(tollens: Callable[..., object], write: Callable[..., Path]) -> None:
    folder = write(rules=MESSY, files={"sub/good.yaml": TIDY, "bad.yaml": "a: [\n", "x.cases.yaml": "cases:   []\n"})
    done = tollens("rules", "fmt", "--check", folder)
    assert done.returncode == 2  # type: ignore[attr-defined]
    assert "2 of 5 files would change, 1 cannot be read" in done.stdout  # type: ignore[attr-defined]
    assert "-cases:   []\n+cases: []" in done.stdout  # type: ignore[attr-defined]
    assert (folder / "rules.yaml").read_text(encoding="utf-8") == MESSY
    (folder / "bad.yaml").unlink()
    assert tollens("rules", "fmt", folder).returncode == 0  # type: ignore[attr-defined]
    assert (folder / "rules.yaml").read_text(encoding="utf-8") == TIDY
    assert tollens("rules", "fmt", "--check", folder).stdout == "0 of 4 files would change\n"  # type: ignore[attr-defined]
    assert tollens("rules", "fmt").returncode == 2  # type: ignore[attr-defined]
