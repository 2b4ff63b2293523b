"""Why: `tollens gate`: whoever holds the edit tools reports what a repair came to, and asks whether the next one has been earned."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from tollens.engine.diagnosis.gate import RepairGate, decide, record_repair, settle
from tollens.engine.diagnosis.work import WorkStore
from tollens.engine.errors import EXIT_DONE, EXIT_INSUFFICIENT
from tollens.engine.explain.terminal import Style
from tollens.engine.interfaces.say import notice
from tollens.engine.interfaces.screen import style_of
from tollens.engine.session.choose import choose
from tollens.engine.session.evaluator import Evaluator

RESOLVED, FAILED = "resolved", "failed"


def add_arguments(parser: ArgumentParser) -> None:
    """The arguments of `tollens gate`."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    record = actions.add_parser("record", help="report what a repair came to")
    record.add_argument("item", metavar="ITEM", help="the work item, as `tollens diagnose --work` named it")
    record.add_argument("--repair", choices=(RESOLVED, FAILED), required=True, help="whether the failure is gone")
    record.add_argument("--run", metavar="RUN", help="the run whose diagnosis the repair followed; it must be the item's latest")
    show = actions.add_parser("show", help="say whether edits are allowed: exit code 0 where they are, 4 where they are not")
    show.add_argument("item", metavar="ITEM", help="the work item")
    show.add_argument("--proof", action="store_true", help="show which rules decided, on which attempts")
    for action in (record, show):
        action.add_argument("--format", choices=("text", "json"), default="text")
        action.add_argument("--work-folder", metavar="DIR", help="where work items are kept (default: .tollens/work, or $TOLLENS_WORK)")
        action.add_argument(
            "--evaluator", choices=("auto", "durable_rules", "reference"), default="auto", help="which evaluator runs the rules"
        )


def run(options: Namespace) -> int:
    """Record or show; what is recorded is done (0), what is shown tells by the exit code whether edits are allowed."""
    store = WorkStore(options.work_folder)
    evaluator, said = choose(options.evaluator)
    if said:
        notice(said)
    if options.action == "record":
        gate = record_repair(store, options.item, options.repair == RESOLVED, evaluator, run=options.run)
        _print(gate, options.format)
        return EXIT_DONE
    gate = settle(store, options.item, evaluator)
    _print(gate, options.format)
    if options.proof and options.format == "text":
        for line in _proof(store, gate, evaluator, style_of(sys.stdout)):
            sys.stdout.write(line + "\n")
    return EXIT_DONE if gate.allows_edits else EXIT_INSUFFICIENT


def _print(gate: RepairGate, form: str) -> None:
    if form == "json":
        sys.stdout.write(json.dumps(gate._asdict(), ensure_ascii=True, indent=1) + "\n")
    else:
        sys.stdout.write(style_of(sys.stdout).safe(f"{gate.work}: {gate.state}: {gate.why}") + "\n")


def _proof(store: WorkStore, gate: RepairGate, evaluator: Evaluator, style: Style) -> Iterator[str]:
    from tollens.engine.explain.reading import Record
    from tollens.engine.explain.record import build
    from tollens.engine.explain.text import render
    from tollens.engine.explain.tree import build_tree

    _, session = decide(gate.work, store.attempts(gate.work)[: gate.attempts], evaluator)
    built = build(
        session,
        run_id=gate.work,
        evaluator=evaluator.name,
        signal_name=gate.work,
        signal_digest="",
        line=lambda number: None,
        result={"outcome": gate.state},
    )
    record = Record(json.loads(json.dumps(built)))
    yield from render(record, build_tree(record, [fact.id for fact in session.store.facts("gate_state")]), style)
