"""Why: an edit is mostly compared with what was committed before it, so a pack can be named as it stood at a revision of git."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tollens.engine.errors import InputError

#: What stands for the built-in packs alone.
BUILT_IN = "-"


@contextmanager
def pack_at(name: str) -> Iterator[Path | None]:
    """The folder of a pack: a path as it is, `REVISION:PATH` as git has it (in a folder that is removed afterwards), `-` for none.

    InputError where there is no such folder, revision or path.
    """
    if name == BUILT_IN:
        yield None
    elif Path(name).is_dir():
        yield Path(name)
    elif ":" not in name:
        raise InputError(
            f"there is no folder {name}",
            expected="the folder of a pack, REVISION:PATH, or - for the built-in packs alone",
            next_step="check the path",
        )
    else:
        revision, _, path = name.partition(":")
        with TemporaryDirectory() as folder:
            yield _exported(revision, path.rstrip("/") or ".", Path(folder))


def _exported(revision: str, path: str, folder: Path) -> Path:
    if revision.startswith("-"):
        raise InputError(f"{revision!r:.60} cannot be a revision", expected="REVISION:PATH, for example HEAD~1:my-rules")
    start = Path(path) if Path(path).is_absolute() else Path.cwd() / path
    place = next((one for one in (start, *start.parents) if one.is_dir()), Path.cwd())
    top = Path(_git(place, "rev-parse", "--show-toplevel").decode().strip())
    inside = start.resolve().relative_to(top.resolve()).as_posix() if start.resolve().is_relative_to(top.resolve()) else path
    listed = _git(top, "ls-tree", "-r", "-z", "--full-tree", revision, "--", f"{inside}/" if inside != "." else ".")
    target = folder / (start.name or "pack")
    for line in filter(None, listed.split(b"\0")):
        kind, _, name = line.partition(b"\t")
        mode, what, object_id = kind.decode().split(" ")
        if what != "blob" or mode == "120000":
            continue
        file = target / Path(name.decode("utf-8", "surrogateescape")).relative_to(inside)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(_git(top, "cat-file", "blob", object_id))
    if not target.is_dir():
        raise InputError(
            f"{revision} has no folder {inside}", expected="the path of a pack at that revision", next_step="check with `git ls-tree`"
        )
    return target


def _git(folder: Path, *arguments: str) -> bytes:
    try:
        done = subprocess.run(["git", "-C", str(folder), *arguments], check=False, capture_output=True, timeout=60)  # noqa: S603, S607 - git as the user has it
    except OSError:
        raise InputError("git is not installed, so no revision can be read", next_step="give folders instead of revisions") from None
    except subprocess.TimeoutExpired:
        raise InputError("git did not answer within a minute", next_step="give folders instead of revisions") from None
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise InputError(f"git: {reason[0] if reason else 'it failed'}", expected="a revision that this repository has")
    return done.stdout
