"""Why: a new rule is a rule, its cases and its page; one command makes all of them, in a pack that is made where it is missing."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tollens.engine.bench.words import fact_line, scalar
from tollens.engine.diagnosis.packs import check, rulebook
from tollens.engine.errors import InputError
from tollens.engine.rulebook.source.nodes import Map, read_documents
from tollens.engine.rulebook.source.problems import Problems
from tollens.engine.rulebook.source.snapshot import LANGUAGE, PACK_FILE
from tollens.engine.rulebook.syntax import Rulebook
from tollens.facts.kind import Field, Kind

#: What a new rule concludes where nobody says otherwise: a question that the diagnosis leaves open.
DEFAULT_KIND = "question"
DEFAULT_STAGE = "grounds"
_ID = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*", re.ASCII)
_MARK = "the words of the failure"


class Seen(NamedTuple):
    """What the rule looks at: tests of the signal as they are written, and the facts of the case (the signal's label is `s`)."""

    tests: Mapping[str, str]
    facts: Sequence[str]
    near_miss: Sequence[str]


class Made(NamedTuple):
    """The files of a new rule, by path within the pack."""

    pack: Path
    files: Mapping[str, str]


_FACT = {"record_type": "exception", "grammar": "python", "first_line": "1", "last_line": "1"}
EXAMPLE = Seen(
    {"message": f"{{contains: {scalar(_MARK)}}}"},
    [fact_line("signal", {"number": "1", **_FACT, "message": scalar(f"here are {_MARK}")}, "s")],
    [fact_line("signal", {"number": "1", **_FACT, "message": scalar("something else")}, "s")],
)


def scaffold(name: str, pack: Path, *, stage: str = "", kind: str = "", seen: Seen = EXAMPLE) -> Made:
    """Make a rule with its cases and page in a pack of the user's; gives what was written.

    InputError where the name is taken or unfit, or where the kind or stage cannot be used. Nothing is written then.
    """
    if not _ID.fullmatch(name):
        raise InputError(f"{name!r:.60} cannot be the id of a rule", expected="letters, digits, _ and -, in parts with dots between")
    if pack.exists() and not pack.is_dir():
        raise InputError(f"{pack} is not a folder", expected="the folder of a pack, or one to make")
    known = rulebook([pack]) if (pack / PACK_FILE).is_file() else rulebook()
    concluded = kind or DEFAULT_KIND
    fresh = concluded not in {one.name for one in known.kinds}
    declared = _new_kind(concluded) if fresh else next(one for one in known.kinds if one.name == concluded)
    if declared.name in ("match", "match_group", "passed_over", "tied") or (not declared.verdict and declared.origin == "facts"):
        raise InputError(f"no rule concludes {concluded}: it is stated by parsers, callers or the engine", next_step="name another kind")
    place = stage or _stage(known, concluded)
    files = {f"{name}.yaml": _rule(name, place, declared, seen), f"{name}.cases.yaml": _cases(name, declared, seen)}
    files[f"docs/{name}.md"] = _page(name, place, concluded)
    head = _head(pack, concluded if fresh else "", "" if place in {one.name for one in known.stages} else place)
    if head is not None:
        files[PACK_FILE] = head
    taken = [path for path in files if path != PACK_FILE and (pack / path).exists()]
    if taken:
        raise InputError(f"{pack / taken[0]} is there already", next_step="choose another name, or edit the rule that is there")
    _try(pack, files)
    for path, text in files.items():
        _write(pack / path, text)
    return Made(pack, files)


def _stage(book: Rulebook, kind: str) -> str:
    """The stage in which the packs conclude a kind first."""
    stages = [stage.name for stage in book.stages for rule in stage.rules if any(head.kind == kind for head in rule.heads)]
    return stages[0] if stages else DEFAULT_STAGE


def _new_kind(name: str) -> Kind:
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,99}", name):
        raise InputError(f"{name!r:.60} cannot be the name of a kind", expected="a letter, then letters, digits and _")
    return Kind(name, [Field("signal", "ref", False, ("signal",)), Field("text", "text")], verdict=True)


def _head(pack: Path, kind: str, stage: str) -> str | None:
    """The pack.yaml that is needed: a new one, or the one that is there with what it lacks; None where it can stay."""
    declared = f'kinds:\n  {kind}:\n    says: "what the rule concludes"\n    verdict: true\n' if kind else ""
    declared += "    fields: {signal: {ref: signal}, text: text}\n" if kind else ""
    stages = f"stages: [{stage}]\n" if stage else ""
    file = pack / PACK_FILE
    if not file.is_file():
        name = re.sub(r"[^A-Za-z0-9_-]+", "-", pack.absolute().name).strip("-") or "mine"
        return f"name: {name}\nversion: 1.0.0\nlanguage: {LANGUAGE}\n{stages}{declared}"
    if not kind and not stage:
        return None
    text = file.read_text(encoding="utf-8")
    document: Map = read_documents(text.encode(), str(file), Problems())[0]
    for key, what in (("kinds", kind), ("stages", stage)):
        if what and document.get(key) is not None:
            raise InputError(f"{file} does not declare {what}", next_step=f"add {what} to its `{key}`, then run the command again")
    return text.rstrip("\n") + "\n" + stages + declared


def _rule(name: str, stage: str, kind: Kind, seen: Seen) -> str:
    lines = [
        f"stage: {stage}",
        "rules:",
        f"  - id: {name}",
        '    says: "signal {s.number} is one of these failures"',
        "    when:",
        f"      - {fact_line('signal', seen.tests, 's')}",
        "    then:",
        f"      - {fact_line(kind.name, _fields(kind))}",
    ]
    return "\n".join(lines) + "\n"


def _cases(name: str, kind: Kind, seen: Seen) -> str:
    expected = fact_line(kind.name, _fields(kind))
    lines = [
        "cases:",
        f"  - name: {name} fires",
        "    facts:",
        *[f"      - {line}" for line in seen.facts],
        f"    fires: [{name}]",
        "    expect:",
        f"      - {expected}",
        "",
        f"  - name: {name} does not fire for something else",
        "    facts:",
        *[f"      - {line}" for line in seen.near_miss],
        f"    does_not_fire: [{name}]",
    ]
    return "\n".join(lines) + "\n"


def _fields(kind: Kind) -> dict[str, str]:
    """A first value for each field that is needed."""
    found: dict[str, str] = {}
    for field in kind.fields:
        if field.optional:
            continue
        if field.type == "ref" and field.choices and "signal" not in field.choices:
            raise InputError(
                f"{kind.name} refers to {field.choices[0]}, which a first rule does not see",
                next_step="write the rule by hand, or name another kind",
            )
        if field.type == "ref":
            found[field.name] = "$s"
        elif field.type == "enum":
            found[field.name] = scalar(field.choices[0])
        elif field.type == "list":
            raise InputError(f"{kind.name}.{field.name} is a list, which rules only collect", next_step="name another kind")
        else:
            found[field.name] = {"int": "1", "number": "1", "bool": "true"}.get(field.type) or scalar(f"what follows from it: {field.name}")
    return found


def _page(name: str, stage: str, kind: str) -> str:
    return (
        f"# {name}\n\nWhat it recognises, in one sentence.\n\n"
        f"- **Stage** `{stage}`, **concludes** `{kind}`\n- **Why it is right**: the reason, and where it comes from.\n"
        f"- **When it must not fire**: what looks alike and is something else.\n\n"
        f"The rule is `{name}.yaml`, its cases are `{name}.cases.yaml`. "
        "`tollens rules docs` writes a page with all that is known about it.\n"
    )


def _try(pack: Path, files: Mapping[str, str]) -> None:
    """Check the pack with its new files beside the real one."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / pack.absolute().name
        if pack.is_dir():
            shutil.copytree(pack, copy, ignore=shutil.ignore_patterns(".*"))
        for path, text in files.items():
            _write(copy / path, text)
        errors = check([copy])
    if errors:
        first = errors[0]
        raise InputError(
            f"the new rule would not load: {first.message}",
            expected=first.expected,
            choices=first.choices,
            next_step="choose another --stage or --kind, or mend the pack first (`tollens rules check`)",
        )


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        waiting = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        waiting.write_text(text, encoding="utf-8", newline="\n")
        os.replace(waiting, path)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}", next_step="check the folder and its permissions") from None
