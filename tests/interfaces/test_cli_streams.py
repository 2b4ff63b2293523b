"""Why: each command meets closed, full and odd streams, folders, names and memory with one line and exit code 2, never with a traceback."""

from __future__ import annotations

import ast
import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tollens.engine.interfaces import cli

ROOT = Path(__file__).parents[2]
SIGNAL = ROOT / "fixtures" / "signals" / "shopping-long.txt"
LOG = b'Traceback (most recent call last):\n  File "src/app.py", line 3, in total\n    x\nValueError: v\n'

COMMANDS = (
    ("diagnose", "log.txt"),
    ("diagnose", "--format", "json", "log.txt"),
    ("why",),
    ("why", "--format", "json"),
    ("runs", "list"),
    ("runs", "list", "--format", "json"),
    ("rules", "check"),
    ("rules", "check", "--findings", "list"),
    ("rules", "graph"),
    ("rules", "schema"),
    ("gate", "show", "fix-login"),
    ("docs",),
    ("doctor",),
    ("doctor", "--format", "json"),
    ("--help",),
    ("--version",),
    ("rules", "check", "--help"),
)


def shell(command: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    env = {**os.environ, "TOLLENS_CACHE": str(cwd / "cache"), "TOLLENS": f"{sys.executable} -m tollens", **environment}
    return subprocess.run(
        ["bash", "-c", command], cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, env=env, timeout=120, check=False
    )


def tollens(*arguments: str | bytes, cwd: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    env = {**os.environ, "TOLLENS_CACHE": str(cwd / "cache"), **environment}
    return subprocess.run(
        [sys.executable, "-m", "tollens", *arguments],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=env,
        timeout=120,
        check=False,
    )


def one_error(done: subprocess.CompletedProcess[bytes]) -> str:
    text = done.stderr.decode()
    assert done.returncode == 2, text
    lines = text.splitlines()
    assert lines[0].startswith("error: "), text
    assert all(line.startswith("  ") for line in lines[1:]), text
    assert "Traceback" not in text
    assert "fault of Tollens" not in text
    return text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a signal and a stored run of it."""
    (tmp_path / "log.txt").write_bytes(LOG)
    assert tollens("diagnose", "log.txt", cwd=tmp_path).returncode == 0
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_output_that_cannot_be_written_is_one_error(folder: Path, command: tuple[str, ...]) -> None:
    words = " ".join(command)
    assert "standard output is closed" in one_error(shell(f"$TOLLENS {words} >&-", folder))
    full = one_error(shell(f"$TOLLENS {words} >/dev/full", folder))
    assert f"standard output cannot be written: {os.strerror(errno.ENOSPC)}" in full
    assert shell(f"$TOLLENS {words} >/dev/full 2>/dev/full", folder).returncode == 2
    assert shell(f"$TOLLENS {words} >&- 2>&- <&-", folder).returncode == 2


def test_nothing_is_done_where_the_result_has_nowhere_to_go(folder: Path) -> None:
    one_error(shell("$TOLLENS gate record fix-login --repair failed >&-", folder))
    assert not (folder / ".tollens" / "work").exists()


def test_a_reader_that_goes_away_does_not_change_the_exit_code(folder: Path) -> None:
    done = shell("$TOLLENS gate show fix-login | true; exit ${PIPESTATUS[0]}", folder)
    assert (done.returncode, done.stderr) == (4, b"")
    done = shell("$TOLLENS why --all | head -1; exit ${PIPESTATUS[0]}", folder)
    assert (done.returncode, done.stderr) == (0, b"")


def test_errors_that_cannot_be_told_still_have_their_exit_code(folder: Path) -> None:
    for command in ("$TOLLENS diagnose nowhere", "$TOLLENS nothing", "$TOLLENS diagnose log.txt --evaluator x"):
        for where in ("2>&-", "2>/dev/full"):
            assert shell(f"{command} {where}", folder).returncode == 2


def test_a_closed_stream_is_not_taken_over_by_a_file(folder: Path) -> None:
    done = shell("$TOLLENS diagnose --format json log.txt <&- 2>&-", folder)
    assert json.loads(done.stdout)["outcome"] == "diagnosis"


def test_standard_input_that_is_closed_or_cannot_be_read_is_told(folder: Path) -> None:
    closed = one_error(shell("$TOLLENS diagnose <&-", folder))
    assert "standard input is closed" in closed
    assert "keyboard" not in closed
    assert "cannot be read" in one_error(shell("$TOLLENS diagnose 0>written", folder))


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-16"])
def test_any_encoding_of_the_output_will_do(folder: Path, encoding: str) -> None:
    (folder / "log.txt").write_bytes(LOG.replace(b"v\n", "é 漢 \U0001f600\n".encode()))
    for command in (("diagnose", "log.txt"), ("why",), ("runs", "list"), ("doctor",), ("docs", "why")):
        done = tollens(*command, cwd=folder, PYTHONIOENCODING=encoding)
        assert (done.returncode, done.stderr) == (0, b""), command
        assert done.stdout.decode(encoding)


def test_a_file_whose_name_is_not_utf8_is_read_and_shown_escaped(folder: Path) -> None:
    (folder / "log.txt").rename(folder / os.fsdecode(b"na\xffme.txt"))
    done = tollens("diagnose", b"na\xffme.txt", cwd=folder)
    assert done.returncode == 0
    assert b"na\\xffme.txt" in tollens("runs", "list", cwd=folder).stdout
    assert json.loads(tollens("diagnose", "--format", "json", b"na\xffme.txt", cwd=folder).stdout)["outcome"] == "diagnosis"


@pytest.mark.parametrize(
    "arguments",
    [
        ("diagnose", "log.txt", "--timestamp", b"a\xff"),
        ("diagnose", "log.txt", "--project-root", b"a\xff"),
        ("diagnose", "log.txt", "--runs", b"a\xff"),
        ("diagnose", "log.txt", "--rules", b"a\xff"),
        ("diagnose", "log.txt", "--work", b"a\xff"),
        ("why", b"a\xff"),
        ("why", "last", b"a\xff"),
        ("rules", "check", b"a\xff"),
        ("rules", "new", b"a\xff"),
        ("gate", "show", b"a\xff"),
        ("docs", b"a\xff"),
    ],
)
def test_an_argument_that_is_not_utf8_is_one_error(folder: Path, arguments: tuple[str | bytes, ...]) -> None:
    assert "the argument a\\xff is not valid UTF-8" in one_error(tollens(*arguments, cwd=folder))


VARIABLES = ("TOLLENS_RUNS", "TOLLENS_WORK", "TOLLENS_CACHE", "HOME", "XDG_CACHE_HOME", "COLUMNS", "TERM", "NO_COLOR", "FORCE_COLOR")


@pytest.mark.parametrize("value", ["", "\udcff", "/dev/null", "9" * 6000, "-1", "0"])
def test_odd_variables_do_no_harm(folder: Path, value: str) -> None:
    for command in (("diagnose", "log.txt"), ("doctor",), ("--help",)):
        done = tollens(*command, cwd=folder, **dict.fromkeys(VARIABLES, value))
        assert done.returncode == 0, done.stderr
        assert all(line.startswith("notice: ") for line in done.stderr.decode().splitlines())


def test_a_folder_that_is_gone_keeps_nobody_from_a_file_elsewhere(folder: Path) -> None:
    gone = "mkdir gone && cd gone && rmdir ../gone && $TOLLENS"
    done = shell(f"{gone} diagnose --format json {folder}/log.txt", folder)
    assert json.loads(done.stdout)["outcome"] == "diagnosis"
    assert b"the run was not stored" in done.stderr
    assert b"Traceback" not in done.stderr
    doctor = shell(f"{gone} doctor", folder)
    assert doctor.returncode == 0
    assert b"there is no current folder" in doctor.stdout
    for command in ("rules check", "runs list", "gate show x", "rules graph"):
        assert b"Traceback" not in shell(f"{gone} {command}", folder).stderr
    for command in ("why", "rules new a.b", "rules fmt", "gate record x --repair failed", f"diagnose --project-root x {folder}/log.txt"):
        done = shell(f"{gone} {command}", folder)
        assert done.returncode == 2
        assert b"Traceback" not in done.stderr


@pytest.mark.skipif(os.getuid() == 0, reason="permissions do not bind this user")
def test_a_folder_that_cannot_be_searched_is_a_note(folder: Path) -> None:
    done = shell("mkdir shut && cd shut && chmod 0 . && $TOLLENS doctor; code=$?; chmod 700 .; exit $code", folder)
    assert (done.returncode, done.stderr) == (0, b"")


def test_too_little_memory_is_one_error(folder: Path) -> None:
    lines = [b"Traceback (most recent call last):\n"]
    lines += [b'  File "src/a%d.py", line 3, in f%d\n    x%d\n' % (number, number, number) for number in range(100_000)]
    (folder / "big.txt").write_bytes(b"".join([*lines, b"ValueError: v\n"]))
    done = shell("ulimit -v 40000; $TOLLENS diagnose --evaluator reference --no-save big.txt", folder)
    assert "the memory did not suffice" in one_error(done)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (MemoryError(), "the memory did not suffice"),
        (PermissionError(errno.EACCES, "Permission denied", "some/\x1bfile"), "some/\\x1bfile cannot be used: Permission denied"),
        (ImportError("No module named 'yaml'"), "tollens doctor"),
        (RuntimeError("odd\nthing"), "this is a fault of Tollens: RuntimeError: odd\\nthing"),
        (RecursionError("deep"), "this is a fault of Tollens: RecursionError: deep"),
        (KeyboardInterrupt(), "stopped"),
    ],
)
def test_what_nobody_answered_for_ends_at_the_outermost_place(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: BaseException, words: str
) -> None:
    def fail(options: object) -> int:
        raise error

    monkeypatch.setattr(cli, "_run", fail)
    for debug in ("", "1"):
        monkeypatch.setenv("TOLLENS_DEBUG", debug)
        assert cli.main(["doctor"]) == 2
        told = capsys.readouterr().err
        assert words in told
        assert ("Traceback" in told) == (debug == "1" and not isinstance(error, KeyboardInterrupt))


@pytest.mark.parametrize("module", ["tollens.engine.interfaces.cli", "argparse", "tollens.engine.diagnosis.driver", "json"])
def test_an_interrupt_while_a_module_is_imported_is_no_traceback(folder: Path, module: str) -> None:
    program = f"""
import sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt
sys.modules.pop("json", None)
sys.meta_path.insert(0, Interrupting())
from tollens.__main__ import main
sys.argv = ["tollens", "diagnose", "log.txt"]
sys.exit(main())
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (2, b"", b"stopped\n")


def test_only_one_place_writes_to_standard_error() -> None:
    """What reaches the terminal is made harmless in `say`; a second way there would be forgotten."""
    folder = ROOT / "engine" / "interfaces"
    found = []
    for file in sorted(folder.glob("*.py")):
        if file.name not in ("say.py", "standard.py", "worker_main.py", "child.py"):
            tree = ast.parse(file.read_text(encoding="utf-8"))
            found += [
                f"{file.name}:{node.lineno}"
                for node in ast.walk(tree)
                if isinstance(node, ast.Attribute) and node.attr == "stderr" and isinstance(node.value, ast.Name) and node.value.id == "sys"
            ]
    assert found == []


def test_names_of_files_cannot_act_on_a_terminal(folder: Path) -> None:
    (folder / "a\x1b[31m\nb.txt").write_bytes(b"")
    (folder / "pyproject.toml").write_text("[tool.tollens]\nrules = ['a\\u001b[31m\\nb']\n")
    for arguments in (
        ("diagnose", "x\x1b[31m\ny"),
        ("diagnose", "a\x1b[31m\nb.tx"),
        ("rules", "check", "a\x1b\n"),
        ("rules", "fmt", "a\x1b\n"),
        ("why", "a\x1b\n"),
        ("why", "--runs", "a\x1b\nb"),
        ("--a\x1b\nb",),
        ("diagnose", "--format", "a\x1b\n"),
    ):
        done = tollens(*arguments, cwd=folder)
        assert done.returncode == 2, arguments
        assert b"\x1b" not in done.stderr + done.stdout, arguments
        if done.stderr:
            one_error(done)


def test_a_fifo_in_the_place_of_a_file_stops_nobody(folder: Path) -> None:
    for cached in (folder / "cache").iterdir():
        cached.unlink()
        os.mkfifo(cached)
    os.mkfifo(folder / "pyproject.toml")
    work = folder / ".tollens" / "work" / "fix-login"
    work.mkdir(parents=True)
    os.mkfifo(work / "gate.json")
    os.mkfifo(work / "0001.json")
    os.mkfifo(folder / ".tollens" / "runs" / "abc.json")
    done = tollens("diagnose", "log.txt", cwd=folder)
    assert done.returncode == 0
    assert b"pyproject.toml was passed over: it is no regular file" in done.stderr
    assert "no regular file" in one_error(tollens("gate", "show", "fix-login", cwd=folder)).replace("notice", "error")
    assert tollens("why", "abc", cwd=folder).returncode == 2
    assert tollens("runs", "list", cwd=folder).returncode == 0
    assert tollens("doctor", cwd=folder).returncode == 0
