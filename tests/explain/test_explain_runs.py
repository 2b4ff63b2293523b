from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tollens.engine.errors import InputError
from tollens.engine.explain.runs import RunStore

Data = Callable[..., dict[str, Any]]

WRITER = """
import json, sys
from tollens.engine.explain.runs import RunStore
folder, first, count, keep = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
store = RunStore(folder, keep=keep)
data = json.load(sys.stdin)
print("ready", flush=True)
number = first
while count < 0 or number < first + count:
    assert store.save(data | {"run_id": f"run{number % 1000}"}), store.notice
    number += 1
"""


def writer(folder: Path, data: dict[str, Any], first: int, count: int = -1, keep: int = 100) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), str(first), str(count), str(keep)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(data).encode())
    process.stdin.close()
    assert process.stdout.readline() == b"ready\n"
    return process


def test_a_run_is_found_by_id_by_beginning_and_as_the_last(tmp_path: Path, make_data: Data) -> None:
    store = RunStore(tmp_path)
    for name in ("aaa1", "aab2", "b3"):
        path = store.save(make_data(["x"], run_id=name))
        assert path == str(tmp_path / f"{name}.json")
    assert store.load().run_id == "b3"
    assert store.load("last").run_id == "b3"
    assert store.load("aaa").run_id == "aaa1"
    assert store.load("aab2").run_id == "aab2"
    assert [run.run_id for run in store.list_runs()] == ["b3", "aab2", "aaa1"]


def test_a_whole_id_goes_before_a_beginning(tmp_path: Path, make_data: Data) -> None:
    store = RunStore(tmp_path)
    store.save(make_data(["x"], run_id="ab"))
    store.save(make_data(["x"], run_id="abc"))
    assert store.load("ab").run_id == "ab"


def test_the_same_run_again_is_the_same_bytes_and_becomes_the_last(tmp_path: Path, make_data: Data) -> None:
    store = RunStore(tmp_path)
    store.save(make_data(["x"], run_id="one"))
    before = (tmp_path / "one.json").read_bytes()
    store.save(make_data(["x"], run_id="two"))
    store.save(make_data(["x"], run_id="one"))
    assert (tmp_path / "one.json").read_bytes() == before
    assert before.isascii()
    assert store.load().run_id == "one"


def test_runs_written_within_one_tick_of_the_clock_keep_their_order(tmp_path: Path, make_data: Data) -> None:
    store, data = RunStore(tmp_path, keep=1000), make_data(["x"])
    names = [f"{(number * 7919) % 1009:04}" for number in range(60)]
    for name in names:
        store.save(data | {"run_id": name})
    assert [run.run_id for run in store.list_runs()] == names[::-1]


def test_a_run_from_the_future_does_not_stay_the_last(tmp_path: Path, make_data: Data) -> None:
    store = RunStore(tmp_path)
    store.save(make_data(["x"], run_id="early"))
    ahead = time.time() + 10**6
    os.utime(tmp_path / "early.json", (ahead, ahead))
    store.save(make_data(["x"], run_id="late"))
    assert store.load().run_id == "late"


def test_unknown_and_ambiguous_runs_are_clear_errors(tmp_path: Path, make_data: Data) -> None:
    store = RunStore(tmp_path)
    with pytest.raises(InputError, match="there are no stored runs in"):
        store.load()
    for name in ("aaa1", "aaa2", "bbb1"):
        store.save(make_data(["x"], run_id=name))
    with pytest.raises(InputError) as unknown:
        store.load("aab1")
    assert unknown.value.choices == ("last", "bbb1", "aaa2", "aaa1")
    assert unknown.value.nearest in ("aaa1", "bbb1")
    with pytest.raises(InputError, match="2 stored runs begin with 'aaa'") as several:
        store.load("aaa")
    assert several.value.choices == ("aaa2", "aaa1")
    with pytest.raises(InputError):
        store.load("")
    with pytest.raises(InputError):
        store.load("../" + tmp_path.name + "/aaa1")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "it is not JSON"),
        (b'{"format": 1', "it is not JSON"),
        (b"\xff\xfe\x00", "it is not JSON"),
        (b"[" * 200_000, "it is not JSON"),
        (b"[]", "it is not an object"),
        (b'{"format": 99}', "its format is 99"),
        (b'{"format": 1}', "it has no `run_id`"),
    ],
)
def test_a_corrupt_file_is_a_clear_error(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "bad.json").write_bytes(content)
    with pytest.raises(InputError) as error:
        RunStore(tmp_path).load("bad")
    assert reason in error.value.message
    assert "delete the file" in error.value.next_step


def test_a_file_under_the_name_of_another_run_is_refused(tmp_path: Path, make_data: Data) -> None:
    store = RunStore(tmp_path)
    store.save(make_data(["x"], run_id="one"))
    (tmp_path / "one.json").rename(tmp_path / "two.json")
    with pytest.raises(InputError, match="it holds another run than its name says"):
        store.load("two")


@pytest.mark.parametrize("name", ["", "last", ".hidden", "a/b", "a\\b", "x" * 200, "a b", "é"])
def test_an_unfit_run_id_is_refused(tmp_path: Path, make_data: Data, name: str) -> None:
    with pytest.raises(ValueError, match="a run id consists of"):
        RunStore(tmp_path).save(make_data(["x"], run_id=name))
    assert list(tmp_path.iterdir()) == []


def test_the_newest_runs_are_kept(tmp_path: Path, make_data: Data) -> None:
    store, data = RunStore(tmp_path, keep=3), make_data(["x"])
    for number in range(10):
        store.save(data | {"run_id": f"run{number}"})
    assert [run.run_id for run in store.list_runs()] == ["run9", "run8", "run7"]


def test_the_total_size_is_bounded_and_the_newest_is_kept_whatever_its_size(tmp_path: Path, make_data: Data) -> None:
    data = make_data(["x"])
    size = len(json.dumps(data, separators=(",", ":")))
    store = RunStore(tmp_path, most_bytes=size * 3 + 100)
    for number in range(6):
        store.save(data | {"run_id": f"run{number}"})
    assert [run.run_id for run in store.list_runs()] == ["run5", "run4", "run3"]
    RunStore(tmp_path, most_bytes=10).save(data | {"run_id": "big"})
    assert [run.run_id for run in store.list_runs()] == ["big"]


def test_other_peoples_files_are_left_alone(tmp_path: Path, make_data: Data) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "link.json").symlink_to(tmp_path / "notes.txt")
    store = RunStore(tmp_path, keep=1)
    for number in range(3):
        store.save(make_data(["x"], run_id=f"run{number}"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.json", "link.json", "notes.txt", "run2.json"]
    assert [run.run_id for run in store.list_runs()] == ["run2"]


def test_the_default_folder_is_ignored_by_git(tmp_path: Path, make_data: Data, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TOLLENS_RUNS", raising=False)
    store = RunStore()
    assert store.save(make_data(["x"], run_id="one")) == str(Path(".tollens", "runs", "one.json"))
    assert (tmp_path / ".tollens" / ".gitignore").read_text() == "*\n"
    (tmp_path / ".tollens" / ".gitignore").write_text("mine\n")
    store.save(make_data(["x"], run_id="two"))
    assert (tmp_path / ".tollens" / ".gitignore").read_text() == "mine\n"


def test_another_folder_can_be_named_and_gets_no_gitignore(tmp_path: Path, make_data: Data, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOLLENS_RUNS", str(tmp_path / "elsewhere"))
    RunStore().save(make_data(["x"], run_id="one"))
    assert [path.name for path in tmp_path.rglob("*")] == ["elsewhere", "one.json"]


def test_a_folder_that_cannot_be_written_gives_a_notice(tmp_path: Path, make_data: Data) -> None:
    (tmp_path / "file").write_text("in the way")
    store = RunStore(tmp_path / "file" / "runs")
    assert store.save(make_data(["x"])) is None
    assert store.notice.startswith(f"the run was not stored in {tmp_path / 'file' / 'runs'}: ")
    assert RunStore(tmp_path).save(make_data(["x"])) is not None


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="permissions do not bind this user")
def test_a_read_only_folder_gives_a_notice(tmp_path: Path, make_data: Data) -> None:
    tmp_path.chmod(0o555)
    try:
        assert RunStore(tmp_path).save(make_data(["x"])) is None
    finally:
        tmp_path.chmod(0o755)


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, make_data: Data, monkeypatch: pytest.MonkeyPatch) -> None:
    store = RunStore(tmp_path)
    store.save(make_data(["x"], run_id="old"))

    def full(*paths: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert store.save(make_data(["x"], run_id="new")) is None
    assert store.notice.endswith("No space left on device")
    assert [path.name for path in tmp_path.iterdir()] == ["old.json"]


def test_stale_temporary_files_are_removed_and_fresh_ones_are_not(tmp_path: Path, make_data: Data) -> None:
    stale, fresh = tmp_path / ".dead-1-1.tmp", tmp_path / ".live-2-1.tmp"
    stale.write_bytes(b"{")
    fresh.write_bytes(b"{")
    old = time.time() - 120
    os.utime(stale, (old, old))
    RunStore(tmp_path).save(make_data(["x"]))
    assert not stale.exists()
    assert fresh.exists()


def test_a_killed_writer_leaves_no_half_run(tmp_path: Path, make_data: Data, budget: Callable[[int, int], int]) -> None:
    data, store = make_data(["an error"] * 200), RunStore(tmp_path)
    for round_number in range(budget(6, 60)):
        process = writer(tmp_path, data, round_number * 10)
        time.sleep(0.01 + 0.013 * (round_number % 7))
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert process.stdout is not None
        process.stdout.close()
        for run in store.list_runs():
            assert len(store.load(run.run_id).facts) == len(data["facts"])
    assert store.list_runs()
    assert store.save(data | {"run_id": "after"}), store.notice
    assert store.load().run_id == "after"


SUICIDE = """
import io, json, os, signal, sys
from tollens.engine.explain import runs
folder, step = sys.argv[1], sys.argv[2]

def die(*arguments, **options):
    os.kill(os.getpid(), signal.SIGKILL)

class Half(io.FileIO):
    def write(self, data):
        super().write(data[: len(data) // 2])
        die()

data = json.load(sys.stdin)
store = runs.RunStore(folder, keep=2)
for number in range(3):
    store.save(data | {"run_id": f"before{number}"})
if step == "write":
    runs.open = lambda descriptor, mode: Half(descriptor, mode)
elif step == "replaced":
    replace = os.replace
    os.replace = lambda first, second: (replace(first, second), die())
else:
    setattr(os, step, die)
print("ready", flush=True)
store.save(data | {"run_id": "killed"})
"""


@pytest.mark.parametrize(
    ("step", "left"),
    [("write", "before2"), ("stat", "before2"), ("utime", "before2"), ("replace", "before2"), ("replaced", "killed"), ("unlink", "killed")],
)
def test_a_writer_killed_at_any_step_leaves_whole_runs(tmp_path: Path, make_data: Data, step: str, left: str) -> None:
    ahead = time.time() + 10**6  # so that the time of the run that is being written has to be set
    data = make_data(["an error"])
    assert RunStore(tmp_path).save(data | {"run_id": "ahead"})
    os.utime(tmp_path / "ahead.json", (ahead, ahead))
    done = subprocess.run(
        [sys.executable, "-c", SUICIDE, str(tmp_path), step], input=json.dumps(data).encode(), capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, b"ready\n"), done.stderr
    store = RunStore(tmp_path, keep=2)
    assert store.load().run_id == left
    for run in store.list_runs():
        assert len(store.load(run.run_id).facts) == len(data["facts"])
    assert store.save(data | {"run_id": "after"}), store.notice
    assert [run.run_id for run in store.list_runs()] == ["after", left]


def test_writers_side_by_side_never_spoil_each_other(tmp_path: Path, make_data: Data) -> None:
    data = make_data(["an error"] * 20)
    processes = [writer(tmp_path, data, number * 100, 40, keep=5) for number in range(4)]
    store = RunStore(tmp_path)
    seen = 0
    while any(process.poll() is None for process in processes):
        if store.list_runs():
            assert len(store.load().facts) == len(data["facts"])
            seen += 1
    for process in processes:
        assert process.wait() == 0
        assert process.stdout is not None
        process.stdout.close()
    assert seen
    assert 1 <= len(store.list_runs()) <= 8  # each process removes down to 5 what is older than its own
    assert store.save(data | {"run_id": "after"}), store.notice
    assert not list(tmp_path.glob(".*.tmp"))


def test_a_listing_that_misses_what_is_written_meanwhile_is_made_again(
    tmp_path: Path, make_data: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = RunStore(tmp_path)
    store.save(make_data(["fail"], run_id="run1"))
    real, misses = store.list_runs, [1, 1, 1]
    monkeypatch.setattr(store, "list_runs", lambda: [] if misses and misses.pop() else real())
    assert store.load("run1").run_id == "run1"
