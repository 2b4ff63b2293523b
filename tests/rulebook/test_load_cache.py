"""Why: what comes from the cache is exactly what was compiled, and no broken or foreign cache can change or stop a load."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tollens.engine.errors import PackErrors
from tollens.engine.rulebook import cache
from tollens.engine.rulebook import load as loading
from tollens.engine.rulebook.encoding import decode, encode
from tollens.engine.rulebook.syntax import Rulebook
from tollens.facts.values import byte_digest

RULES = """stage: main
rules:
  - id: r
    says: "{f.file} {n}"
    when:
      - stack_frame: {as: f, score: {in: [1, 2]}, file: {in: [a, b]}, depth: {in: [1, 2]}, line: {exists: true}}
      - any: [[{signal: {as: s, id: $f.signal}}], [{signal: {as: s, number: 3}}]]
    unless: [{project_root: {path: x}}]
    let:
      n: {count: {signal: {number: {gt: $f.depth}}}, distinct: [type]}
      m: {mul: [$n, $f.score, 0.5]}
      l: [a, b]
    if: [{in: [$f.file, [a, b]]}, {gt: [$m, $tables.similar]}, {exists: $f.line}]
    then: [{good: {frame: $f, depth: $n, score: $m, names: $l, label: {format: "{f.file}:{m}"}}}]
    refs: [one, two]
elect:
  - {id: e, from: [{stack_frame: {as: f}}], per: [$f.signal], by: [{desc: $f.depth}, {asc: $f.seq}], into: {helper: {frame: $f}}, sealed: true}
take:
  - {id: t, from: [{stack_frame: {as: f}}], by: [{asc: $f.id}], keep: 3, apart: {pair: [left, right]}, into: {helper: {frame: $f}}, rest: {helper: {frame: $nearest}}}
  - {id: u, from: [{stack_frame: {as: f}}], by: [{asc: $f.id}], into: {helper: {frame: $f}}}
group:
  - {id: g, from: [{pair: {as: p}}], pair: [$p.left, $p.right], members: stack_frame, into: {row: {name: $group, value: 1}}}
  - {id: h, from: [{pair: {as: p}}], unless: [{project_root: {path: z}}], pair: [$p.left, $p.right], member: {helper: {frame: $member}}}
measures:
  - {id: m, function: distance, from: [{stack_frame: {as: f}}], block: [$f.file], output: row, options: {least: 1}}
patterns:
  - {id: p, over: {stack_frame: file}, regex: 'a(?P<b>c)', says: "{match.text}"}
facts:
  - row: {name: "\u00e9\U0001f600", value: 0.5}
"""


def same(a: Any, b: Any) -> bool:
    """Equal in value, type and structure, kinds by their data."""
    if type(a) is not type(b):
        return False
    if isinstance(a, tuple):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return a.to_json() == b.to_json() if hasattr(a, "to_json") else bool(a == b)


@pytest.fixture
def pack(bench: Any) -> Path:
    return bench.pack({"rules.yaml": RULES})  # type: ignore[no-any-return]  # the fixture is untyped here


def entries(folder: Path) -> list[Path]:
    return sorted(folder.glob("*")) if folder.exists() else []


def test_round_trip(bench: Any, pack: Path) -> None:
    book = bench.load(pack)
    assert same(decode(json.loads(json.dumps(encode(book)))), book)
    assert isinstance(book, Rulebook)


def test_the_second_load_reads_the_cache(bench: Any, pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = bench.load(pack, cache_dir=tmp_path / "deep" / "cache")
    monkeypatch.setattr(loading, "_compile", lambda *given: pytest.fail("compiled again"))
    assert same(bench.load(pack, cache_dir=tmp_path / "deep" / "cache"), first)


def test_every_byte_of_a_pack_counts(bench: Any, pack: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    bench.load(pack, cache_dir=folder)
    (pack / "rules.yaml").write_text(RULES + "# a comment\n")
    bench.load(pack, cache_dir=folder)
    assert len(entries(folder)) == 2
    (pack / "x.cases.yaml").write_text("cases do not count")
    bench.load(pack, cache_dir=folder)
    assert len(entries(folder)) == 2


def test_what_else_the_key_depends_on(bench: Any, pack: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tollens.engine.rulebook.source.snapshot import read_pack

    kinds = bench.load(pack).kinds
    one = [read_pack(pack)]
    keys = {
        cache.cache_key(one, 0, kinds, {}),
        cache.cache_key(one, 1, kinds, {}),
        cache.cache_key(one, 0, kinds[1:], {}),
        cache.cache_key([], 0, kinds, {}),
    }
    monkeypatch.setattr(cache, "FORMAT", cache.FORMAT + 1)
    keys.add(cache.cache_key(one, 0, kinds, {}))
    monkeypatch.setattr(cache, "__version__", "0.0.0.test")
    keys.add(cache.cache_key(one, 0, kinds, {}))
    monkeypatch.setattr(cache, "_code", lambda: [["other.py", 1, 1]])
    keys.add(cache.cache_key(one, 0, kinds, {}))
    assert len(keys) == 7


def test_the_same_pack_elsewhere_shares_the_cache(bench: Any, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    for name in ("one", "two"):
        bench.load(bench.pack({"rules.yaml": RULES}, name), cache_dir=folder)
    assert len(entries(folder)) == 1


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data + b" ",
        lambda data: data.replace(b"stack_frame", b"stack_frume", 1),
        lambda data: b"\xff\xfe" + data,
        lambda data: data.split(b"\n")[0] + b"\n[]",
        lambda data: data.split(b" ")[0] + b" " + data.split(b" ", 1)[1][::-1],
    ],
)
def test_a_spoilt_cache_is_passed_over_and_replaced(bench: Any, pack: Path, tmp_path: Path, spoil: Any) -> None:
    folder = tmp_path / "cache"
    book = bench.load(pack, cache_dir=folder)
    (file,) = entries(folder)
    good = file.read_bytes()
    file.write_bytes(spoil(good))
    assert same(bench.load(pack, cache_dir=folder), book)
    assert file.read_bytes() == good
    assert entries(folder) == [file]


@pytest.mark.parametrize("body", [b"[]", b"null", b"[[],[]]", b"[[],[1,2,3,4,5,6,7]]", b'{"a":1}', b"[[],[[],0,[],[[1]],[],[],[]]]"])
def test_a_well_sealed_file_with_a_wrong_body(bench: Any, pack: Path, tmp_path: Path, body: bytes) -> None:
    folder = tmp_path / "cache"
    book = bench.load(pack, cache_dir=folder)
    (file,) = entries(folder)
    key = file.name.removeprefix("rulebook-").removesuffix(".json")
    file.write_bytes(f"{key} {byte_digest([body])}\n".encode() + body)
    assert same(bench.load(pack, cache_dir=folder), book)


def test_a_cache_folder_that_cannot_be(bench: Any, pack: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    for folder in (blocked, blocked / "below"):
        assert bench.load(pack, cache_dir=folder).packs[0].name == "mine"
    assert blocked.read_text() == "not a folder"


def test_a_cache_entry_that_is_a_folder(bench: Any, pack: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    bench.load(pack, cache_dir=folder)
    (file,) = entries(folder)
    file.unlink()
    file.mkdir()
    assert bench.load(pack, cache_dir=folder).packs[0].name == "mine"
    assert entries(folder) == [file]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no fifos here")
def test_a_fifo_in_the_place_of_a_cache_entry_is_not_waited_for(bench: Any, pack: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    book = bench.load(pack, cache_dir=folder)
    (entry,) = entries(folder)
    entry.unlink()
    os.mkfifo(entry)
    found: list[Rulebook] = []
    thread = threading.Thread(target=lambda: found.append(bench.load(pack, cache_dir=folder)), daemon=True)
    thread.start()
    thread.join(60)
    assert [same(one, book) for one in found] == [True]
    assert entry.is_file()


def test_a_body_that_is_nested_without_end_is_passed_over(bench: Any, pack: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    book = bench.load(pack, cache_dir=folder)
    (entry,) = entries(folder)
    key, body = entry.stem.removeprefix("rulebook-"), b"[" * 200_000
    entry.write_bytes(f"{key} {byte_digest([body])}\n".encode() + body)
    assert same(bench.load(pack, cache_dir=folder), book)


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_cache_folder_that_may_not_be_written(bench: Any, pack: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    folder.mkdir()
    folder.chmod(0o500)
    assert bench.load(pack, cache_dir=folder).packs[0].name == "mine"


def test_nothing_is_kept_of_a_pack_with_faults(bench: Any, tmp_path: Path) -> None:
    with pytest.raises(PackErrors):
        bench.load(bench.pack({"a.yaml": "stage: nowhere\n"}), cache_dir=tmp_path / "cache")
    assert entries(tmp_path / "cache") == []


def test_old_entries_are_removed(bench: Any, pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "cache"
    monkeypatch.setattr(cache, "KEPT", 3)
    for number in range(6):
        (pack / "rules.yaml").write_text(RULES + f"# {number}\n")
        bench.load(pack, cache_dir=folder)
        for file in entries(folder):
            os.utime(file, ns=(0, file.stat().st_mtime_ns - 10**9))
    assert len(entries(folder)) == 3


def test_many_writers_leave_one_whole_file(bench: Any, pack: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    book = bench.load(pack)
    books: list[Any] = []
    threads = [threading.Thread(target=lambda: books.append(bench.load(pack, cache_dir=folder))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(books) == 8
    assert all(same(one, book) for one in books)
    assert len(entries(folder)) == 1


WARM = """
import json, sys
from tollens.engine.rulebook.load import load
from tollens.facts.kind import Kind, KindTable
kinds = KindTable([Kind.from_json(row) for row in json.loads(sys.argv[1])])
book = load([], [sys.argv[2]], kinds, {}, cache_dir=sys.argv[3])
heavy = {"yaml", "re2", "pydantic", "difflib", "dataclasses", "inspect", "tollens.engine.rulebook.whole.compile"}
print(len(book.stages), sorted(heavy & set(sys.modules)))
"""


def test_a_warm_start_imports_nothing_heavy(bench: Any, tmp_path: Path) -> None:
    folder = bench.pack({"rules.yaml": RULES.split("measures:", maxsplit=1)[0]})
    kinds = json.dumps([kind.to_json() for kind in bench.load(folder).kinds if kind.origin == ""])
    outputs = [
        subprocess.run([sys.executable, "-c", WARM, kinds, folder, tmp_path / "cache"], check=True, capture_output=True, text=True).stdout
        for _ in range(2)
    ]
    assert "yaml" in outputs[0]
    assert outputs[1] == "3 []\n"
