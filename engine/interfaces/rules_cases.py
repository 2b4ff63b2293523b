"""Why: `tollens rules test`, `coverage` and `mutate`: what a pack's cases say, what they decide, and what they would notice."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from pathlib import Path

from tollens.engine.bench.testing import Tested, plan
from tollens.engine.errors import EXIT_DONE, EXIT_FAULT, InputError
from tollens.engine.interfaces.packs_of import add_packs, chosen
from tollens.engine.interfaces.project import own
from tollens.engine.interfaces.say import say
from tollens.engine.interfaces.screen import style_of


def add_test(parser: ArgumentParser) -> None:
    """The arguments of `tollens rules test`."""
    _common(parser)
    parser.add_argument("--filter", default="", metavar="GLOB", help="only cases whose name, file or named rule it matches")
    parser.add_argument("--accept", action="store_true", help="write explanations that changed or are new into the files of cases")
    parser.add_argument(
        "--evaluator", choices=("auto", "durable_rules", "reference", "both"), default="auto", help="which evaluator runs the rules"
    )


def add_coverage(parser: ArgumentParser) -> None:
    """The arguments of `tollens rules coverage`."""
    _common(parser)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--cases", action="store_true", help="which conditions the packs' cases make decide (the default)")
    what.add_argument("--corpus", metavar="DIR", help="which signals of a folder no rule explains, grouped by what they share")
    parser.add_argument("--fail-under", type=float, default=None, metavar="N", help="exit code 2 where less than N percent is covered")


def add_mutate(parser: ArgumentParser) -> None:
    """The arguments of `tollens rules mutate`."""
    _common(parser)
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="try N mutants of each rulebook, chosen by the seed (0: all)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="which sample; the same seed gives the same one")
    parser.add_argument("--fail-under", type=float, default=None, metavar="N", help="exit code 2 where less than N percent are killed")


def _common(parser: ArgumentParser) -> None:
    add_packs(parser)
    parser.add_argument("--alone", action="store_true", help="load these packs without the built-in ones")
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run_test(options: Namespace) -> int:
    """Run the cases; 0 where all are right, 2 where one is not."""
    from tollens.engine.bench.cases import RIGHT
    from tollens.engine.bench.testing import accept, counts, run
    from tollens.engine.bench.testing_report import result_json, result_lines

    tested = _tested(options)
    code, data, told = EXIT_DONE, {}, []
    for name in ("reference", "durable_rules") if options.evaluator == "both" else (options.evaluator,):
        results = run(tested, name, options.filter)
        written = accept(results) if options.accept else []
        if written:
            results = run(tested, name, options.filter)
        if set(counts(results)) != {RIGHT}:
            code = EXIT_FAULT
        data[name] = {**result_json(results), "accepted": [str(path) for path in written]}
        told += [f"evaluator {name}"] if options.evaluator == "both" else []
        told += [f"accepted the explanations of {path}" for path in written]
        told += result_lines(results)
    _tell(options, data if options.evaluator == "both" else data[options.evaluator], told)
    return code


def run_coverage(options: Namespace) -> int:
    """Measure what the cases decide, or what of a corpus is explained; 2 where it is less than --fail-under."""
    if options.corpus is not None:
        return _corpus(options)
    from tollens.engine.bench.coverage import measure
    from tollens.engine.bench.testing_report import coverage_json, coverage_lines

    found = [measure(part) for part in _tested(options)]
    _tell(options, {"packs": [coverage_json(one) for one in found]}, [line for one in found for line in coverage_lines(one)])
    return _enough(options, [one.percent for one in found])


def _corpus(options: Namespace) -> int:
    from tollens.engine.bench.coverage_corpus import corpus_coverage, lines
    from tollens.engine.bench.testing_report import corpus_json
    from tollens.engine.diagnosis.packs import rulebook
    from tollens.engine.session.choose import choose

    book = rulebook(chosen(options, own().rules))
    evaluator, _ = choose("auto")
    found = corpus_coverage(Path(options.corpus), book, evaluator)
    _tell(options, corpus_json(found), lines(found))
    return _enough(options, [100.0 * (found.signals - found.unexplained - len(found.failed)) / found.signals])


def run_mutate(options: Namespace) -> int:
    """Count the mutants that the cases notice; 2 where they are less than --fail-under, or a case is wrong without any mutant."""
    from tollens.engine.bench.mutate import mutate
    from tollens.engine.bench.testing_report import score_json, score_lines

    found = [mutate(part, sample=options.sample, seed=options.seed) for part in _tested(options)]
    _tell(options, {"packs": [score_json(one) for one in found]}, [line for one in found for line in score_lines(one)])
    return EXIT_FAULT if any(one.wrong for one in found) else _enough(options, [one.percent for one in found])


def _tested(options: Namespace) -> list[Tested]:
    """The packs that the command names, else those of the project, else the built-in ones."""
    packs = chosen(options)
    if options.alone and not packs:
        raise InputError("--alone needs a pack", expected="the folder of a pack", next_step="name it: tollens rules ACTION DIR --alone")
    return plan(packs or own().rules, alone=options.alone)


def _enough(options: Namespace, shares: Iterable[float]) -> int:
    if options.fail_under is None or all(share >= options.fail_under for share in shares):
        return EXIT_DONE
    say([f"error: less than {options.fail_under:g} percent"])
    return EXIT_FAULT


def _tell(options: Namespace, data: object, lines: Iterable[str]) -> None:
    if options.format == "json":
        sys.stdout.write(json.dumps(data, ensure_ascii=True, indent=1) + "\n")
        return
    style = style_of(sys.stdout)
    for line in lines:
        sys.stdout.write(style.safe(line) + "\n")
