from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

COLAB = """\
---------------------------------------------------------------------------
AttributeError                            Traceback (most recent call last)
[<ipython-input-24-e9de3efe595c>](https://localhost:8080/#) in <cell line: 2>()
      7
      8     # output the response
----> 9     response.show()

[/usr/lib/python3/json/decoder.py](https://localhost:8080/#) in decode(self, s)
    336         \"\"\"
--> 337         obj, end = self.raw_decode(s)

AttributeError: 'coroutine' object has no attribute 'show'
"""
OLD = """\
ValueError                                Traceback (most recent call last)
<ipython-input-3-0b6a> in <module>
----> 1 load("x")

~/projects/shop/load.py in load(name)
     10 def load(name):
---> 11     raise ValueError(name)
     12

ValueError: x
"""


def test_frames_of_a_script_run_in_a_notebook(recorded: Callable[[str], Any]) -> None:
    facts = recorded("notebook")
    assert facts.rows("signal", "grammar", "class_name", "message") == [("ipython_traceback", "KeyError", "'price'")]
    assert facts.frames(1) == [
        ("/home/dev/scripts/notebook.py", 12, None),
        ("/home/dev/scripts/notebook.py", 9, "total"),
        ("/home/dev/scripts/notebook.py", 9, "<genexpr>"),
        ("/home/dev/scripts/notebook.py", 5, "load"),
    ]
    assert facts.about("stack_frame", 1, "source")[-1] == ('return json.loads(text)["price"]',)
    assert facts.rows("truncated", "reason") == []


def test_a_chain_in_a_cell(recorded: Callable[[str], Any]) -> None:
    facts = recorded("notebook-cell")
    assert facts.signals() == [("exception", "KeyError"), ("exception", "ValueError")]
    assert facts.rows("chain_member", "chain", "position", "relation") == [(1, 0, "first"), (1, 1, "direct_cause")]
    assert facts.frames(1) == [("Cell In[1]", 6, "total"), ("Cell In[1]", 2, "price")]
    assert facts.frames(2) == [("Cell In[1]", 9, None), ("Cell In[1]", 8, "total")]


def test_a_cell_that_cannot_be_compiled(recorded: Callable[[str], Any]) -> None:
    facts = recorded("notebook-syntax")
    assert facts.rows("signal", "class_name", "message") == [("SyntaxError", "invalid syntax")]
    assert facts.frames(1) == [("Cell In[1]", 1, None)]
    assert facts.rows("stack_frame", "source") == [("foo bar",)]


def test_links_and_arrows_give_file_and_line(reading: Callable[..., Any]) -> None:
    facts = reading(COLAB)
    assert facts.frames(1) == [
        ("<ipython-input-24-e9de3efe595c>", 9, "<cell line: 2>"),
        ("/usr/lib/python3/json/decoder.py", 337, "decode"),
    ]
    assert facts.rows("signal", "message") == [("'coroutine' object has no attribute 'show'",)]
    old = reading(OLD)
    assert old.frames(1) == [("<ipython-input-3-0b6a>", 1, "<module>"), ("~/projects/shop/load.py", 11, "load")]


def test_a_notebooks_traceback_that_is_cut_off_keeps_its_class(reading: Callable[..., Any]) -> None:
    facts = reading(COLAB.partition("AttributeError: ")[0])
    assert facts.signals() == [("exception", "AttributeError")]
    assert facts.rows("signal", "message") == [(None,)]
    assert facts.rows("truncated", "grammar") == [("ipython_traceback",)]


def test_a_traceback_in_a_box(recorded: Callable[[str], Any]) -> None:
    facts = recorded("boxed")
    assert facts.rows("signal", "grammar", "class_name", "message") == [("rich_traceback", "KeyError", "'price'")]
    assert [frame[1:] for frame in facts.frames(1)] == [(12, "<module>"), (9, "total"), (9, "<genexpr>"), (5, "load")]
    assert facts.rows("stack_frame", "source")[-1] == ('return json.loads(text)["price"]',)
    assert facts.rows("truncated", "reason") == []


def test_a_box_without_its_exception(signals: Path, reading: Callable[..., Any]) -> None:
    facts = reading("\n".join((signals / "boxed.txt").read_text(encoding="utf-8").split("\n")[:20]))
    assert facts.signals() == [("exception", None)]
    assert facts.rows("truncated", "reason") == [("a traceback in a box without the exception below it",)]
