"""Why: each engine does the whole way from Python rows to derived facts in Python, in the manner that its own documentation advises."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any, NamedTuple

from workloads import Answer, Tables, Workload

ENGINES = ("durable_rules", "reference", "clips", "experta")


class Run(NamedTuple):
    """What one engine did: its answers, and the seconds of processor time from rows to answers; what is only done once was done before."""

    answers: list[Answer]
    seconds: float


def run(engine: str, workload: Workload, n: int) -> Run:
    """Run a workload once in this process."""
    tables = workload.tables(n)
    work = _ready(engine, workload)
    begin = process_time()
    answers = work(tables)
    return Run(answers, process_time() - begin)


def _ready(engine: str, workload: Workload) -> Callable[[Tables], list[Answer]]:
    if engine == "clips":
        return _clips(workload)
    if engine == "experta":
        return _experta(workload)
    return _tollens(engine, workload)


def _tollens(engine: str, workload: Workload) -> Callable[[Tables], list[Answer]]:
    from tollens.engine.rulebook.load import load
    from tollens.engine.session.choose import choose
    from tollens.engine.session.session import run_session
    from tollens.facts.fact import Draft
    from tollens.facts.kind import KindTable

    rulebook = load([workload.folder], [], KindTable([]), {})
    evaluator, notice = choose(engine)
    if notice:
        raise RuntimeError(notice)

    def work(tables: Tables) -> list[Answer]:
        origin = ("caller", "benchmark")
        drafts = [Draft(kind, dict(zip(fields, row, strict=True)), {}, origin) for kind, (fields, rows) in tables.items() for row in rows]
        session = run_session(rulebook, drafts, evaluator)
        kind = session.store.kinds[workload.answer]
        places = [kind.index[field] for field in workload.fields]
        return [tuple([fact.values[place] for place in places]) for fact in session.store.facts(workload.answer)]

    return work


def _clips(workload: Workload) -> Callable[[Tables], list[Answer]]:
    import clips

    rules = str(workload.folder / "rules.clp")

    def work(tables: Tables) -> list[Answer]:
        environment = clips.Environment()
        environment.load(rules)
        for kind, (fields, rows) in tables.items():
            template = environment.find_template(kind)
            for row in rows:
                template.assert_fact(**dict(zip(fields, row, strict=True)))
        environment.run()
        found = environment.find_template(workload.answer).facts()
        return [tuple([fact[field] for field in workload.fields]) for fact in found]

    return work


def _experta(workload: Workload) -> Callable[[Tables], list[Answer]]:
    from experta_rules import experta_engine

    def work(tables: Tables) -> list[Answer]:
        engine, kinds = experta_engine(workload.name)
        engine.reset()
        for kind, (fields, rows) in tables.items():
            make: Any = kinds[kind]
            for row in rows:
                engine.declare(make(**dict(zip(fields, row, strict=True))))
        engine.run()
        answer = kinds[workload.answer]
        return [tuple([fact[field] for field in workload.fields]) for fact in engine.facts.values() if type(fact) is answer]

    return work
