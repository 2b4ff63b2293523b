"""Why: a team that runs pytest runs the cases of its rule packs with everything else; whoever did not ask for that must not notice it.

Files named `*.cases.yaml` are collected with `--tollens-rules`, or with `tollens_rules = true` in pytest's settings. Nothing of the
engine is imported before the first such file is collected.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tollens.engine.bench.cases import CaseResult
    from tollens.engine.bench.cases_file import Case
    from tollens.engine.rulebook.syntax import Rulebook

_ENDING = ".cases.yaml"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The switch, on the command line and in the settings."""
    group = parser.getgroup("tollens")
    group.addoption(
        "--tollens-rules", action="store_true", default=False, help="run the cases of Tollens rule packs (*.cases.yaml) as tests"
    )
    group.addoption("--tollens-alone", action="store_true", default=False, help="load these packs without the built-in ones")
    group.addoption("--tollens-evaluator", default="auto", metavar="NAME", help="auto (the default), durable_rules or reference")
    parser.addini("tollens_rules", "run the cases of Tollens rule packs as tests", type="bool", default=False)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A file of cases, where they were asked for."""
    if not file_path.name.endswith(_ENDING):
        return None
    if not (parent.config.getoption("--tollens-rules") or parent.config.getini("tollens_rules")):
        return None
    made: pytest.Collector = CasesFile.from_parent(parent, path=file_path)
    return made


class CasesFile(pytest.File):
    """A file of cases; its items are the cases."""

    def collect(self) -> Iterator[pytest.Item]:
        """One item per case; what is wrong with the pack or the file is told as it is on the command line."""
        from tollens.engine.bench.testing import plan, read_all
        from tollens.engine.errors import TollensError

        try:
            (tested,) = plan([self.path], alone=bool(self.config.getoption("--tollens-alone")))
            files = read_all(tested)
        except TollensError as error:
            raise self.CollectError("\n".join(error.lines())) from None
        for file in files:
            for case in file.cases:
                yield CaseItem.from_parent(self, name=case.name, case=case, book=tested.book)


class CaseItem(pytest.Item):
    """One case as a test."""

    def __init__(self, *, name: str, parent: pytest.Collector, case: Case, book: Rulebook) -> None:
        super().__init__(name, parent)
        self.case = case
        self.book = book

    def runtest(self) -> None:
        """Run the case; everything but `right` is a failure."""
        from tollens.engine.bench.cases import RIGHT, run_case
        from tollens.engine.session.choose import choose

        evaluator, _ = choose(str(self.config.getoption("--tollens-evaluator")))
        result = run_case(self.book, self.case, evaluator)
        if result.outcome != RIGHT:
            raise CaseFailed(result)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: str | None = None) -> object:  # type: ignore[override]  # noqa: ARG002 - as pytest calls it; wider than its own
        """The findings, each with its line."""
        if isinstance(excinfo.value, CaseFailed):
            return "\n".join([f"{finding.place.file}:{finding.place.line}: {finding.text}" for finding in excinfo.value.result.findings])
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the case is written."""
        return self.path, self.case.place.line - 1, f"case: {self.name}"


class CaseFailed(AssertionError):
    """A case that is not right."""

    def __init__(self, result: CaseResult) -> None:
        super().__init__(result.outcome)
        self.result = result
