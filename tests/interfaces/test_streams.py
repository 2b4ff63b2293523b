from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tollens.engine.interfaces.stream import Stream, open_file

ROOT = Path(__file__).parents[2]
SIGNAL = ROOT / "fixtures" / "signals" / "shopping-long.txt"
COMMAND = [sys.executable, "-m", "tollens", "diagnose", "--evaluator", "reference", "--no-save", "--format", "json"]
posix = pytest.mark.skipif(os.name != "posix", reason="fifos and resource usage are POSIX")


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "TOLLENS_CACHE": str(folder / "cache"), "NO_COLOR": "1"}


def noise(size: int) -> Iterator[bytes]:
    block = b"".join(b"2026-01-02 10:00:00 INFO handled request %d in 12 ms\n" % number for number in range(20_000))
    for _ in range(size // len(block)):
        yield block


#: Starts a command and writes its peak memory: a process of its own, because a child's count begins with its parent's size at the fork.
METER = """
import os, resource, subprocess, sys
child = subprocess.Popen(sys.argv[2:])
_, status, used = os.wait4(child.pid, 0)
open(sys.argv[1], "w").write(str(used.ru_maxrss))
sys.exit(os.waitstatus_to_exitcode(status))
"""


def fed(folder: Path, feed: Callable[[], Iterator[bytes]], *arguments: str) -> tuple[int, bytes, int]:
    """Exit code, output, and peak memory in megabytes of a diagnosis whose standard input is a pipe."""
    peak = folder / "peak.txt"
    metered = [sys.executable, "-c", METER, str(peak), *COMMAND, *arguments]
    with subprocess.Popen(metered, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder, env=environment(folder)) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def write() -> None:
            try:
                for piece in feed():
                    process.stdin.write(piece)  # type: ignore[union-attr]  # asserted above
                process.stdin.close()  # type: ignore[union-attr]  # asserted above
            except BrokenPipeError:
                pass

        writer = threading.Thread(target=write)
        writer.start()
        output = process.stdout.read()
        writer.join()
    return process.returncode, output, int(peak.read_text()) // (1024 if sys.platform != "darwin" else 1024 * 1024)


@posix
def test_a_long_log_in_a_pipe_takes_no_more_memory_than_a_short_one(tmp_path: Path) -> None:
    def feed(size: int) -> Callable[[], Iterator[bytes]]:
        def parts() -> Iterator[bytes]:
            yield from noise(size)
            yield SIGNAL.read_bytes()

        return parts

    _, _, small = fed(tmp_path, feed(8_000_000))
    code, output, large = fed(tmp_path, feed(40_000_000))
    result = json.loads(output)
    assert (code, result["outcome"], result["residue"]["primary_entity"]) == (0, "diagnosis", "shop/pricing.py:10")
    assert large <= small + 12
    assert large < 120
    assert [row["grammar"] for row in result["truncated_signals"]] == ["text"]


@posix
def test_a_device_that_never_ends_is_read_up_to_a_bound() -> None:
    stream = Stream(open_file("/dev/zero"), most=5_000_000)
    assert sum(map(len, stream)) == 5_000_000
    assert stream.ended is not None
    assert "longer than 4 MB" in stream.ended.reason


@posix
def test_a_fifo_that_nobody_writes_to_is_given_up_after_the_idle_limit(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    done = subprocess.run(
        [*COMMAND, "--idle-limit", "0.2", str(fifo)], cwd=tmp_path, env=environment(tmp_path), capture_output=True, timeout=60, check=False
    )
    result = json.loads(done.stdout)
    assert (done.returncode, result["outcome"]) == (4, "insufficient_evidence")
    assert result["truncated_signals"][0]["grammar"] == "input"


@posix
def test_a_pipe_that_falls_silent_is_diagnosed_with_what_came(tmp_path: Path) -> None:
    hold = threading.Event()

    def feed() -> Iterator[bytes]:
        yield SIGNAL.read_bytes()
        hold.wait(5)

    code, output, _ = fed(tmp_path, feed, "--idle-limit", "0.3")
    hold.set()
    result = json.loads(output)
    assert (code, result["outcome"]) == (0, "diagnosis")
    assert result["truncated_signals"] == [
        {"line": 104, "grammar": "input", "reason": "nothing came for 0.3 seconds; the rest was not waited for", "lost": 0}
    ]


@posix
def test_whoever_waits_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tollens.engine.interfaces.stream.TELL", 0.05)
    read, write = os.pipe()
    told: list[str] = []

    def tell(text: str) -> None:
        told.append(text)
        os.write(write, b"at last")
        os.close(write)

    assert list(Stream(read, tell=tell)) == [b"at last"]
    assert len(told) == 1
    assert "--idle-limit" in told[0]


@pytest.mark.parametrize("value", ["0", "-1", "nan", "x", "1e9"])
def test_an_idle_limit_must_be_a_time(tmp_path: Path, value: str) -> None:
    done = subprocess.run(
        [*COMMAND, f"--idle-limit={value}"], cwd=tmp_path, env=environment(tmp_path), capture_output=True, input=b"", check=False
    )
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


HOSTILE = {
    "our own output": b'{"outcome": "no_failure", "diagnosis": null}\nsymptom          all is well\nroot cause       nothing\nconfidence       1.0: certain\n',
    "rule syntax": b"rules:\n  - id: mine.all\n    when:\n      - signal: {as: s}\n    then:\n      - outcome: {value: no_failure, why: '{s.message} $s.id {tables.x}'}\n",
    "fact ids": b"signal:00000000000000000000 evidence:11111111111111111111\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_text_that_looks_like_ours_changes_nothing(tmp_path: Path, name: str) -> None:
    def diagnosed(data: bytes) -> dict[str, object]:
        done = subprocess.run(COMMAND, cwd=tmp_path, env=environment(tmp_path), input=data, capture_output=True, check=True)
        result = json.loads(done.stdout)
        return {key: result[key] for key in ("outcome", "classification", "citation_gate", "alternatives")}

    signal = SIGNAL.read_bytes()
    assert diagnosed(HOSTILE[name] + signal + HOSTILE[name]) == diagnosed(signal)


def test_a_message_in_rule_syntax_stays_text(tmp_path: Path) -> None:
    message = "{s.message} $s.id {{}} {tables.keep_sites} {0} %s"
    text = f'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    g()\nValueError: {message}\n'
    done = subprocess.run(COMMAND, cwd=tmp_path, env=environment(tmp_path), input=text.encode(), capture_output=True, check=True)
    assert message in json.loads(done.stdout)["diagnosis"]["symptom"]


def test_nothing_that_a_terminal_obeys_is_printed(tmp_path: Path) -> None:
    evil = "\x1b]0;owned\x07\x1b[2J\x1b[?1049h\x9b31m\x08\x08\u202e\u2066\x00"
    text = (
        f'Traceback (most recent call last):\n  File "a{evil}.py", line 1, in f{evil}\n    g("{evil}")\nValueError: bad {evil}\n'
        + "filler\n" * 6000
    )
    for form in ("text", "json"):
        command = [*COMMAND[:-1], form]
        done = subprocess.run(command, cwd=tmp_path, env=environment(tmp_path), input=text.encode(), capture_output=True, check=True)
        shown = done.stdout.decode()
        assert "ValueError" in shown
        assert not set(shown) & set("\x1b\x9b\x07\x08\x00\u202e\u2066")


def test_two_processes_that_write_into_each_other(tmp_path: Path) -> None:
    one = [b"Traceback (most recent call last):\n", b'  File "a.py", line 1, in f\n', b"    g()\n", b"ValueError: one\n"]
    other = [b"Traceback (most recent call last):\n", b'  File "b.py", line 2, in h\n', b"    k()\n", b"KeyError: 'two'\n"]
    mixed = b"".join(line for pair in zip(one, other, strict=True) for line in pair)
    done = subprocess.run(COMMAND, cwd=tmp_path, env=environment(tmp_path), input=mixed, capture_output=True, check=False)
    result = json.loads(done.stdout)
    assert done.returncode in (0, 4)
    assert result["truncated_signals"] != []
