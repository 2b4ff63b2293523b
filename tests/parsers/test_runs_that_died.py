from __future__ import annotations

from collections.abc import Callable
from typing import Any

NODE_DOWN = """\
tests/test_a.py::test_fine
[gw2] [ 91%] PASSED tests/test_a.py::test_fine
[gw5] node down: Not properly terminated
[gw5] [ 95%] FAILED tests/test_b.py::TestB::test_ends

replacing crashed worker gw5
[gw6] [ 96%] PASSED tests/test_c.py::test_other
"""
THREADS = """\
Fatal Python error: Aborted

Thread 0x00007f0000000001 (most recent call first):
  File "worker.py", line 4 in wait
  <no Python frame>

Current thread 0x00007f0000000002 (most recent call first):
  File "main.py", line 9 in stop
  File "main.py", line 20 in <module>
"""


def test_the_file_that_ran_when_the_interpreter_crashed(recorded: Callable[[str], Any]) -> None:
    facts = recorded("runners-segfault")
    assert facts.signals() == [("test", None), ("exception", "Segmentation fault")]
    assert facts.rows("test_case", "name", "file", "node_id") == [("test_segfault.py", "test_segfault.py", None)]
    assert facts.test_of(2) == 1
    assert ("/home/dev/runners/test_segfault.py", 9, "test_segfault") in facts.frames(2)


def test_a_crash_glued_to_progress_and_in_verbose_mode(reading: Callable[..., Any]) -> None:
    stack = '\n\nCurrent thread 0x0 (most recent call first):\n  File "a.py", line 3 in f\n'
    glued = reading(f"test_a.py F.Fatal Python error: Segmentation fault{stack}")
    assert glued.rows("test_case", "name", "node_id") == [("test_a.py", None)]
    verbose = reading(f"tests/test_a.py::TestA::test_b[x y] Fatal Python error: Aborted{stack}")
    assert verbose.rows("test_case", "name", "node_id") == [("TestA.test_b[x y]", "tests/test_a.py::TestA::test_b[x y]")]
    limit = reading('test_a.py ..Timeout (0:00:05)!\nThread 0x1 (most recent call first):\n  File "a.py", line 3 in f\n')
    assert limit.rows("test_case", "name") == [("test_a.py",)]
    assert limit.rows("signal", "message") == [(None,), ("Timeout (0:00:05)!",)]
    bare = reading(f"running setup.py Fatal Python error: Aborted{stack}")
    assert bare.signals() == [("exception", "Aborted")]


def test_of_many_threads_the_current_one_crashed(reading: Callable[..., Any]) -> None:
    facts = reading(THREADS)
    assert facts.frames(1) == [("main.py", 20, "<module>"), ("main.py", 9, "stop")]
    assert [text.split("\n")[0][:25] for label, text in facts.rows("detail", "label", "text") if label == "thread"] == [
        "Thread 0x00007f0000000001"
    ]
    assert facts.rows("signal", "last_line") == [(9,)]


def test_a_dump_after_a_time_limit(recorded: Callable[[str], Any]) -> None:
    for version in ("3.11", "3.13"):
        facts = recorded(f"python-{version}-hang")
        assert facts.rows("signal", "record_type", "class_name", "message") == [("exception", None, "Timeout (0:00:00.300000)!")]
        assert facts.frames(1) == [("/home/dev/scripts/hang.py", 16, "<module>")]
        assert "in wait" in facts.rows("detail", "text")[0][0]
        assert facts.rows("truncated", "reason") == []


def test_threads_that_nobody_says_were_stopped(reading: Callable[..., Any]) -> None:
    facts = reading(THREADS.partition("\n\n")[2])
    assert facts.signals() == [("exception", None)]
    assert facts.rows("truncated", "reason") == [("the stack of a thread without what stopped it",)]


def test_a_worker_that_crashed(recorded: Callable[[str], Any]) -> None:
    for name in ("runners-crash", "runners-crash-verbose"):
        facts = recorded(name)
        assert facts.signals() == [("test", None), ("exception", None), ("test", None), ("assertion", "AssertionError")]
        assert facts.rows("signal", "message")[1] == ("worker 'gw1' crashed while running 'test_crash.py::test_crash'",)
        assert facts.rows("test_case", "name", "node_id") == [
            ("test_crash", "test_crash.py::test_crash"),
            ("test_after", "test_crash.py::test_after"),
        ]
        assert [facts.test_of(number) for number in (2, 4)] == [1, 3]
        assert facts.rows("truncated", "reason") == []


def test_a_worker_that_went_down_in_a_log_without_blocks(reading: Callable[..., Any]) -> None:
    facts = reading(NODE_DOWN)
    assert facts.rows("signal", "record_type", "grammar", "message") == [
        ("test", "pytest_progress", None),
        ("exception", "pytest_xdist", "node down: Not properly terminated"),
    ]
    assert facts.rows("test_case", "name", "node_id", "file") == [
        ("TestB.test_ends", "tests/test_b.py::TestB::test_ends", "tests/test_b.py")
    ]
    assert facts.test_of(2) == 1
    assert facts.rows("detail", "label", "text") == [("worker", "gw5")]
    assert reading(NODE_DOWN.replace("[gw5] [ 95%] FAILED", "[gw4] [ 95%] FAILED")).signals() == [("exception", None)]


def test_a_test_that_hangs_and_is_ended_in_its_thread(recorded: Callable[[str], Any]) -> None:
    facts = recorded("runners-hang-thread")
    assert facts.signals() == [("test", None), ("exception", None)]
    assert facts.rows("signal", "message")[1] == ("Timeout",)
    assert facts.rows("test_case", "name") == [("test_hang.py",)]
    assert ("/home/dev/runners/test_hang.py", 15, "test_hang") in facts.frames(2)
    assert len(facts.about("detail", 2, "text")) == 2
    assert facts.rows("truncated", "reason") == []


def test_a_test_that_hangs_and_is_ended_by_a_signal(recorded: Callable[[str], Any]) -> None:
    facts = recorded("runners-hang")
    assert facts.signals() == [("exception", None), ("test", None), ("exception", "Failed")]
    assert facts.frames(1) == []
    assert facts.rows("signal", "message")[2] == ("Timeout (>1.0s) from pytest-timeout.",)
    assert facts.frames(3) == [("test_hang.py", 15, "test_hang")]
    assert facts.test_of(3) == 2


def test_stacks_in_captured_output_are_no_failure_of_their_own(reading: Callable[..., Any]) -> None:
    facts = reading(
        "=================================== FAILURES ===================================\n"
        "____________________________________ test_a ____________________________________\n"
        "test_a.py:3: in test_a\n    wait()\nE   Failed: Timeout >30.0s\n"
        "----------------------------- Captured stderr call -----------------------------\n"
        "~~~~~~~~~~~~~~~~~~~~~ Stack of <unknown> (139000000000000) ~~~~~~~~~~~~~~~~~~~~~\n"
        '  File "pool.py", line 12, in run\n    work()\n'
        "=========================== short test summary info ============================\n"
        "FAILED test_a.py::test_a - Failed: Timeout >30.0s\n"
    )
    assert facts.signals() == [("test", None), ("exception", "Failed"), ("exception", None)]
    assert facts.about("captured", 3, "section") == [("Captured stderr call",)]
