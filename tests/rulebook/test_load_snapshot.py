"""Why: a digest stands for what was on the disk at one moment, also while somebody edits the pack."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest

from tollens.engine.errors import PackError, PackErrors
from tollens.engine.rulebook.source import snapshot
from tollens.engine.rulebook.source.snapshot import read_pack


def test_which_files_are_read(bench: Any) -> None:
    folder = bench.pack(
        {
            "b.yaml": "",
            "a/z.yaml": "x",
            "a.yaml": "",
            "a.cases.yaml": "",
            "README.md": "",
            ".hidden.yaml": "",
            ".git/c.yaml": "",
            "deep/er/d.yaml": "",
        }
    )
    assert [file.path for file in read_pack(folder).files] == ["a.yaml", "a/z.yaml", "b.yaml", "deep/er/d.yaml", "pack.yaml"]


def test_the_digest_depends_on_names_and_bytes_only(bench: Any) -> None:
    first = read_pack(bench.pack({"a.yaml": "x", "b.yaml": "y"}, "one"))
    same = bench.pack({"a.yaml": "x", "b.yaml": "y", "a.cases.yaml": "cases"}, "two")
    os.utime(same / "a.yaml", (1, 1))
    assert read_pack(same).digest == first.digest
    for files in ({"a.yaml": "y", "b.yaml": "x"}, {"a.yaml": "xb.yamly"}, {"a.yaml": "x", "c.yaml": "y"}, {"a.yaml": "x", "b.yaml": "y "}):
        name = "".join(files)
        assert read_pack(bench.pack(files, name)).digest != first.digest


@pytest.mark.parametrize(
    ("make", "message", "hint"),
    [
        (lambda root: root / "nowhere", "there is no folder", "check the path"),
        (lambda root: _file(root / "file", "x"), "is not a folder", "folder of the pack"),
        (lambda root: _file(root / "a.yaml", "x").parent, "has no pack.yaml", "language: 1"),
        (lambda root: Path(f"{root}/\0"), "cannot be the name of a folder", ""),
    ],
)
def test_what_is_no_pack(tmp_path: Path, make: Any, message: str, hint: str) -> None:
    with pytest.raises(PackError, match=message) as caught:
        read_pack(make(tmp_path))
    assert hint in caught.value.next_step


def _file(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_a_large_file(bench: Any) -> None:
    folder = bench.pack({"deep/a.yaml": "#" * 1_000_001})
    with pytest.raises(PackError, match="larger than 1000000 bytes") as caught:
        read_pack(folder)
    assert str(caught.value.place) == f"{folder}/deep/a.yaml:1:1"
    assert len(read_pack(bench.pack({"deep/a.yaml": "#" * 1_000_000})).files) == 2


def test_a_file_that_would_be_overlooked(bench: Any) -> None:
    with pytest.raises(PackError, match=r"rule files end in \.yaml") as caught:
        read_pack(bench.pack({"a.yml": "x"}))
    assert caught.value.next_step == "rename it to a.yaml"


def test_a_pipe_is_not_waited_for(bench: Any) -> None:
    folder = bench.pack({})
    os.mkfifo(folder / "a.yaml")
    with pytest.raises(PackError, match="not a regular file"):
        read_pack(folder)


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_an_unreadable_file(bench: Any) -> None:
    folder = bench.pack({"a.yaml": "x"})
    (folder / "a.yaml").chmod(0)
    with pytest.raises(PackError, match="cannot be read"):
        read_pack(folder)


def test_a_link_to_nowhere_is_told(bench: Any) -> None:
    folder = bench.pack({})
    (folder / "a.yaml").symlink_to(folder / "gone.txt")
    with pytest.raises(PackError):
        read_pack(folder)


def test_a_folder_that_is_not_utf8(bench: Any) -> None:
    folder = bench.pack({})
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff.yaml")).write_text("x")
    with pytest.raises(PackError, match="not UTF-8"):
        read_pack(folder)


def test_all_unreadable_packs_are_told_with_the_faults_of_the_others(bench: Any) -> None:
    good = bench.pack({"a.yaml": "stage: nowhere\n"})
    with pytest.raises(PackErrors) as caught:
        bench.load(bench.root / "x", good, bench.root / "y")
    assert [error.message.split(" ")[0:3] for error in caught.value.errors] == [["there", "is", "no"]] * 3


def test_no_mixture_is_ever_seen(bench: Any, monkeypatch: pytest.MonkeyPatch, budget: Any) -> None:
    """Two files always change together: a writer makes `b` first and then `a`, and a reader must never see a newer `a` than `b`."""
    monkeypatch.setattr(snapshot, "TRIES", 1000)
    monkeypatch.setattr(snapshot, "PAUSE", 0.0)
    folder = bench.pack({"a.yaml": "0", "b.yaml": "0"})
    stop = threading.Event()

    def edit() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            for name in ("b.yaml", "a.yaml"):
                waiting = folder / f"{name}.new"
                waiting.write_text(str(number))
                waiting.replace(folder / name)
            stop.wait(0.002)

    writer = threading.Thread(target=edit)
    writer.start()
    try:
        for _ in range(budget(60, 2000)):
            files = {file.path: file.data for file in read_pack(folder).files}
            assert int(files["b.yaml"]) - int(files["a.yaml"]) in (0, 1)
    finally:
        stop.set()
        writer.join()


def test_one_reading_alone_would_mix(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """An edit that falls between two files is noticed: what is returned is the state after it, whole."""
    folder = bench.pack({"a.yaml": "old", "b.yaml": "old"})
    plain, edits = snapshot._read_file, iter([True])

    def read(root: str, name: str) -> Any:
        seen = plain(root, name)
        if name == "a.yaml" and next(edits, False):
            for changed in ("a.yaml", "b.yaml"):
                (folder / changed).write_text("new")
        return seen

    monkeypatch.setattr(snapshot, "_read_file", read)
    assert [file.data for file in read_pack(folder).files[:2]] == [b"new", b"new"]


def test_a_pack_that_never_rests_is_an_error(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, counter = bench.pack({"a.yaml": "0"}), iter(range(100))
    plain = snapshot._read_file

    def read(root: str, name: str) -> Any:
        (folder / "a.yaml").write_text(str(next(counter)))
        return plain(root, name)

    monkeypatch.setattr(snapshot, "_read_file", read)
    monkeypatch.setattr(snapshot, "PAUSE", 0.0)
    with pytest.raises(PackError, match="kept changing"):
        read_pack(folder)


def test_a_file_that_vanishes_while_the_pack_is_read(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, edits = bench.pack({"a.yaml": "x", "b.yaml": "y"}), iter([True])
    plain = snapshot._read_file

    def read(root: str, name: str) -> Any:
        if name == "b.yaml" and next(edits, False):
            (folder / name).unlink()
        return plain(root, name)

    monkeypatch.setattr(snapshot, "_read_file", read)
    assert [file.path for file in read_pack(folder).files] == ["a.yaml", "pack.yaml"]


def test_bytes_that_change_back_and_forth_are_not_taken_for_rest(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The states on the disk are (1, 1), (2, 1) and (2, 2); every reading sees 1 and then 2, which never stood there together."""
    folder, times = bench.pack({"a.yaml": "1", "b.yaml": "1"}), iter(range(1, 1000))
    plain = snapshot._read_file

    def write(name: str, text: str) -> None:
        (folder / name).write_text(text)
        os.utime(folder / name, ns=(0, next(times) * 1_000_000))

    def read(root: str, name: str) -> Any:
        if name == "a.yaml":
            write("b.yaml", "1")
            write("a.yaml", "1")
        seen = plain(root, name)
        if name == "a.yaml":
            write("a.yaml", "2")
            write("b.yaml", "2")
        return seen

    monkeypatch.setattr(snapshot, "_read_file", read)
    monkeypatch.setattr(snapshot, "PAUSE", 0.0)
    with pytest.raises(PackError, match="kept changing"):
        read_pack(folder)
