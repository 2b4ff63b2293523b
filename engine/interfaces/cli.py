"""Why: the command line: arguments in, exit code out; each command's work is in a module that is imported only when it runs."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from tollens.engine.errors import EXIT_FAULT, TollensError
from tollens.engine.interfaces.say import complain, say
from tollens.engine.interfaces.standard import OutputError, Standard
from tollens.engine.interfaces.usage import Formatter, Parser, check_arguments

_EPILOG = """\
exit codes: 0 done (a diagnosis), 2 any fault or usage error, 3 no failure found, 4 insufficient evidence
            (of `gate show`: 0 edits are allowed, 4 they are not)
"""


def parser(wanted: str | None = None, rest: Sequence[str] = ()) -> argparse.ArgumentParser:
    """The parser of all commands; with `wanted` only that one, which keeps starting cheap, and `rest` is what follows its name.

    Where `wanted` is empty, the commands are known by name alone: enough for the list of them, and for a slip.
    """
    from tollens.engine.version import __version__

    top = Parser(
        prog="tollens",
        description="Turns the raw output of a failed run into a cited diagnosis, decided by rule files that you can edit and question.",
        epilog=_EPILOG,
        formatter_class=Formatter,
    )
    top.add_argument("--version", action="version", version=f"tollens {__version__}")
    # With `prog` argparse need not render a usage line for it, which would take a tenth of the time of a whole diagnosis.
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser, prog=top.prog)
    for name, help_text, arguments in _COMMANDS:
        if not wanted or wanted == name:
            made = commands.add_parser(name, help=help_text, description=help_text, epilog=_EPILOG, formatter_class=top.formatter_class)
            made.rest = rest
            if wanted != "":
                arguments(made)
    return top


def _diagnose(p: Parser) -> None:
    from tollens.engine.session.meter import BUDGET

    p.add_argument(
        "file", nargs="?", default="-", metavar="FILE", help="the raw output of the failed run; - or nothing reads standard input"
    )
    p.add_argument("--format", choices=("text", "json"), default="text", help="text for people (the default), json for programs")
    p.add_argument("--timestamp", metavar="WHEN", help="when the run was, as it shall stand in the evidence; never made up")
    p.add_argument("--project-root", action="append", default=[], metavar="DIR", help="a folder whose files are the project's own")
    p.add_argument(
        "--project-package",
        action="append",
        default=[],
        metavar="NAME",
        help="a package that is the project's own, wherever it is installed",
    )
    p.add_argument(
        "--idle-limit",
        type=_seconds,
        metavar="SECONDS",
        help="stop reading a pipe when nothing came for so long (default: wait for its end)",
    )
    p.add_argument(
        "--budget",
        type=_count,
        default=BUDGET,
        metavar="N",
        help=f"how often the rules of one stage may match before the run stops with an error (default: {BUDGET})",
    )
    p.add_argument("--no-save", action="store_true", help="do not keep the run; `tollens why` cannot answer about it then")
    p.add_argument("--runs", metavar="DIR", help="where runs are kept (default: .tollens/runs, or $TOLLENS_RUNS)")
    p.add_argument("--work", metavar="ITEM", help="record the diagnosis as an attempt on this work item, and show its repair gate")
    p.add_argument("--work-folder", metavar="DIR", help="where work items are kept (default: .tollens/work, or $TOLLENS_WORK)")
    p.add_argument("--instrumented", action="store_true", help="with --work: the run was made with instrumentation, as an escalation asks")
    _packs(p)


def _seconds(text: str) -> float:
    """A number of seconds above 0, for argparse."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 86_400:
        raise argparse.ArgumentTypeError(f"{text} is no number of seconds above 0, and at most a day")
    return value


def _count(text: str) -> int:
    """A number of matches, for argparse."""
    from tollens.engine.session.meter import MOST_BUDGET

    value = int(text) if text.isascii() and text.isdigit() and len(text) <= 10 else 0
    if not 0 < value <= MOST_BUDGET:
        raise argparse.ArgumentTypeError(f"{text} is no whole number from 1 to {MOST_BUDGET}")
    return value


def _packs(p: Parser) -> None:
    p.add_argument("--rules", action="append", default=[], metavar="DIR", help="a rule pack of yours; may be given several times")
    p.add_argument("--pack", action="append", default=[], metavar="NAME", help="a pack that is installed as a Python package")
    p.add_argument("--evaluator", choices=("auto", "durable_rules", "reference"), default="auto", help="which evaluator runs the rules")


def _why(p: Parser) -> None:
    from tollens.engine.interfaces.why_command import add_arguments

    add_arguments(p)


def _rules(p: Parser) -> None:
    from tollens.engine.interfaces.rules_command import add_arguments

    add_arguments(p, Parser, p.rest)


def _runs(p: Parser) -> None:
    actions = p.add_subparsers(dest="action", metavar="ACTION", required=True, parser_class=Parser)
    listing = actions.add_parser("list", help="list the kept runs, the newest first")
    listing.add_argument("--runs", metavar="DIR", help="where runs are kept")
    listing.add_argument("--format", choices=("text", "json"), default="text")


def _gate(p: Parser) -> None:
    from tollens.engine.interfaces.gate_command import add_arguments

    add_arguments(p)


def _docs(p: Parser) -> None:
    from tollens.engine.interfaces.docs_command import add_arguments

    add_arguments(p)


def _doctor(p: Parser) -> None:
    p.add_argument("--format", choices=("text", "json"), default="text")


_COMMANDS = (
    ("diagnose", "turn the raw output of a failed run into a cited diagnosis", _diagnose),
    ("why", "show the proof of a stored run's verdicts, down to the raw line", _why),
    ("rules", "work with rule packs", _rules),
    ("runs", "look at the kept runs", _runs),
    ("gate", "say whether a work item's diagnosis has earned the right to edit, and report what a repair came to", _gate),
    ("docs", "show a page of the documentation, as errors name them", _docs),
    ("doctor", "say what is installed, which evaluator is active, and how to get the other", _doctor),
)
COMMAND_NAMES = tuple(name for name, _, _ in _COMMANDS)


def _run(options: argparse.Namespace) -> int:
    if options.command == "diagnose":
        from tollens.engine.interfaces import diagnose_command

        return diagnose_command.run(options)
    if options.command == "why":
        from tollens.engine.interfaces import why_command

        return why_command.run(options)
    if options.command == "rules":
        from tollens.engine.interfaces import rules_command

        return rules_command.run(options)
    if options.command == "runs":
        from tollens.engine.interfaces import runs_command

        return runs_command.run(options)
    if options.command == "gate":
        from tollens.engine.interfaces import gate_command

        return gate_command.run(options)
    if options.command == "docs":
        from tollens.engine.interfaces import docs_command

        return docs_command.run(options)
    from tollens.engine.interfaces import doctor_command

    return doctor_command.run(options)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; gives its exit code. Faults are printed to standard error, never as a traceback."""
    with Standard():
        try:
            code = _command(sys.argv[1:] if arguments is None else list(arguments))
            sys.stdout.flush()
        except KeyboardInterrupt:
            say(["stopped"])
        except TollensError as error:
            complain(error)
        except (OSError, ImportError, MemoryError) as error:
            _traced()
            complain(_retold(error))
        except Exception as error:  # noqa: BLE001 - the outermost place: what nobody foresaw ends as documented, and not as a traceback
            _traced()
            complain(
                TollensError(
                    f"this is a fault of Tollens: {type(error).__name__}: {error}",
                    next_step="report it with the command, its input and what `tollens doctor` says; TOLLENS_DEBUG=1 shows where it was",
                )
            )
        else:
            return code
        return EXIT_FAULT


def _retold(error: OSError | ImportError | MemoryError) -> TollensError:
    """What the system, the installation or the memory did not give, and no command answered for."""
    if isinstance(error, MemoryError):
        return TollensError("the memory did not suffice", next_step="give the part of the log around the failure, or allow more memory")
    if isinstance(error, ImportError):
        if "cannot allocate" in str(error) or "failed to map" in str(error):
            return _retold(MemoryError())
        return TollensError(f"a part of the installation is missing: {error}", next_step="run `tollens doctor`, or install tollens again")
    what = f"{error.filename} cannot be used" if error.filename else "the system refused"
    return TollensError(f"{what}: {error.strerror or error}", next_step="check the path and its permissions")


def _command(given: list[str]) -> int:
    if sys.stdout is None:
        raise OutputError("standard output is closed", next_step="send the output to a file, a pipe or /dev/null")
    try:
        options = parser(given[0] if given and given[0] in COMMAND_NAMES else "", given[1:]).parse_args(given)
    except SystemExit as end:  # --help and --version
        return end.code if isinstance(end.code, int) else 0
    check_arguments(options)
    return _run(options)


def _traced() -> None:
    """With TOLLENS_DEBUG=1, show where the exception that is being handled comes from."""
    if os.environ.get("TOLLENS_DEBUG") == "1":
        import traceback

        say(traceback.format_exc().splitlines())


if __name__ == "__main__":
    sys.exit(main())
