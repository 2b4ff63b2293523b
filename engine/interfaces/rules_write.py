"""Why: the commands that write rule files: `tollens rules new` and `tollens rules fmt`."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from difflib import unified_diff
from pathlib import Path

from tollens.engine.errors import EXIT_DONE, EXIT_FAULT, InputError, TollensError
from tollens.engine.interfaces.project import own
from tollens.engine.interfaces.say import complain
from tollens.engine.interfaces.screen import style_of


def add_new(parser: ArgumentParser) -> None:
    """The arguments of `tollens rules new`."""
    parser.add_argument("name", metavar="NAME", help="the id of the rule, for example shop.out_of_stock")
    parser.add_argument("--in", dest="folder", metavar="DIR", help="the pack (default: the project's own first, or my-rules)")
    parser.add_argument("--stage", default="", metavar="S", help="the stage (default: where the kind is concluded already)")
    parser.add_argument("--kind", default="", metavar="K", help="what the rule concludes; a kind that is new is declared")
    parser.add_argument("--from", dest="run", metavar="RUN", help="take conditions and case from a stored run: an id or `last`")
    parser.add_argument("--signal", type=int, metavar="N", help="with --from: the number of the signal (default: the primary one)")
    parser.add_argument("--runs", metavar="DIR", help="where runs are kept (default: .tollens/runs, or $TOLLENS_RUNS)")


def run_new(options: Namespace) -> int:
    """Make the files and say what to do with them."""
    from tollens.engine.bench.scaffold import EXAMPLE, scaffold

    seen = EXAMPLE
    if options.run is not None:
        from tollens.engine.bench.unexplained import seen_in
        from tollens.engine.explain.runs import RunStore
        from tollens.facts.table import base_kinds

        seen = seen_in(RunStore(options.runs).load(options.run), base_kinds(), options.signal)
    elif options.signal is not None:
        raise InputError("--signal names a signal of a stored run", next_step="name the run with --from")
    packs = own().rules
    pack = Path(options.folder) if options.folder else packs[0] if packs else Path("my-rules")
    made = scaffold(options.name, pack, stage=options.stage, kind=options.kind, seen=seen)
    for path in sorted(made.files):
        _tell(f"wrote {os.path.join(pack, path)}")
    _tell(f"next: edit them, then `tollens rules check {pack}` and `tollens rules test {pack}`")
    return EXIT_DONE


def add_fmt(parser: ArgumentParser) -> None:
    """The arguments of `tollens rules fmt`."""
    parser.add_argument("paths", nargs="*", metavar="PATH", help="packs or single files (default: the project's own packs)")
    parser.add_argument("--check", action="store_true", help="write nothing; show what would change and end with 2 if anything would")


def run_fmt(options: Namespace) -> int:
    """Format the files in place, or say which are not formatted; a file that cannot be read is told and left alone."""
    from tollens.engine.bench.cases_source import read_file
    from tollens.engine.bench.fmt import formatted

    files = _files([Path(path) for path in options.paths] or list(own().rules))
    changed, failed = 0, 0
    for file in files:
        data = read_file(file)
        try:
            text = formatted(data, str(file))
        except TollensError as error:
            failed += 1
            complain(error)
            continue
        if text.encode("utf-8") == data:
            continue
        changed += 1
        if options.check:
            before = data.decode("utf-8-sig").splitlines()
            for line in unified_diff(before, text.splitlines(), str(file), str(file), lineterm="", n=1):
                _tell(line)
        else:
            _replace(file, data, text)
            _tell(f"formatted {file}")
    verb = "would change" if options.check else "changed"
    sys.stdout.write(f"{changed} of {len(files)} files {verb}" + (f", {failed} cannot be read" if failed else "") + "\n")
    return EXIT_FAULT if failed or (options.check and changed) else EXIT_DONE


def _tell(line: str) -> None:
    sys.stdout.write(style_of(sys.stdout).safe(line) + "\n")


def _files(paths: list[Path]) -> list[Path]:
    if not paths:
        raise InputError("no pack is named", expected="packs or files", next_step="give a folder, or set [tool.tollens] rules")
    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            inside = [one for one in sorted(path.rglob("*.yaml")) if not any(part.startswith(".") for part in one.relative_to(path).parts)]
            found.update(dict.fromkeys(inside))
        elif path.exists():
            found[path] = None
        else:
            raise InputError(f"there is no file or folder {path}", expected="a pack or a rule file", next_step="check the path")
    return list(found)


def _replace(file: Path, read: bytes, text: str) -> None:
    """Put the new text in place at once, unless somebody wrote the file in the meantime."""
    from tollens.engine.bench.cases_source import read_file

    if read_file(file) != read:
        raise InputError(f"{file} changed while it was being formatted; it was left alone", next_step="run the command again")
    waiting = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    try:
        waiting.write_bytes(text.encode("utf-8"))
        waiting.chmod(file.stat().st_mode)
        os.replace(waiting, file)
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}", next_step="check its permissions") from None
