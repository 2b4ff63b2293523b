"""Why: the vocabulary of what stands in a raw signal; parsers assert these facts and nothing that is a judgement."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from tollens.facts.base import Body, RefTo

SignalRef = Annotated[str, RefTo(("signal",))]
FrameRef = Annotated[str, RefTo(("stack_frame",))]

COMPARISON_FORMS = (
    "where the sides were read: pytest_assert; unittest_equal, unittest_member, unittest_identity, unittest_order, "
    "unittest_instance, unittest_truth; numpy, pandas; doctest; the wording of a message: expected_got, got_expected "
    "(named in the order of the sides), is_not_but (`x is not LEFT: RIGHT`); statement, where only the asserted expression is known"
)
DETAIL_LABELS = (
    "before (what announces a traceback); where, and (what a value was computed from); index_diff with index_left, index_right, "
    "left_extra, right_extra, differing; left_shape, right_shape; said_expected, said_got (what the message's own words call so); "
    "minus, plus, guide (lines of a diff); thread (a further thread's stack, as printed); "
    "worker (the process that ran the test); note (any other line)"
)

RecordType = Literal["compiler", "exception", "assertion", "test"]


class Signal(Body):
    """One unit of one grammar in the raw text: a traceback's exception, an assertion, a test's block, a compiler's message."""

    KIND: ClassVar[str] = "signal"
    KEY: ClassVar[tuple[str, ...] | None] = ("number",)
    number: Annotated[int, Field(description="position among the signals of the text, from 1")]
    record_type: RecordType
    grammar: Annotated[str, Field(description="the grammar that matched: python_traceback, pytest_failure, ...")]
    class_name: Annotated[str | None, Field(description="the exception's class as printed")] = None
    message: str | None = None
    first_line: int
    last_line: int


class StackFrame(Body):
    """One frame of a signal's stack, as printed. Whether it is project code is a rule's to say."""

    KIND: ClassVar[str] = "stack_frame"
    KEY: ClassVar[tuple[str, ...] | None] = ("signal", "depth")
    signal: SignalRef
    depth: Annotated[int, Field(description="0 is the outermost call; the frame that raised has the largest")]
    file: str
    line: int | None = None
    function: str | None = None
    source: Annotated[str | None, Field(description="the printed source line, stripped")] = None
    marked: Annotated[str | None, Field(description="the part of the source under carets")] = None
    repeated: Annotated[int | None, Field(description="how many more times the runtime said this frame repeats")] = None


class ChainMember(Body):
    """One exception's place in a chain: position 0 was raised first; `relation` says how it follows the one before."""

    KIND: ClassVar[str] = "chain_member"
    KEY: ClassVar[tuple[str, ...] | None] = ("signal",)
    chain: Annotated[int, Field(description="number of the chain in the text, from 1")]
    signal: SignalRef
    position: int
    relation: Literal["first", "direct_cause", "context"]


class GroupMember(Body):
    """An exception inside an exception group; `group` is the group's own signal."""

    KIND: ClassVar[str] = "group_member"
    KEY: ClassVar[tuple[str, ...]] = ("signal",)
    signal: SignalRef
    group: SignalRef
    number: Annotated[int, Field(description="position in the group, from 1")]


class TestCase(Body):
    """A test that a runner reported as failed or in error; the signal is of record type test."""

    __test__ = False  # not a test class, whatever its name

    KIND: ClassVar[str] = "test_case"
    KEY: ClassVar[tuple[str, ...] | None] = ("signal",)
    signal: SignalRef
    name: str
    node_id: str | None = None
    phase: Literal["call", "setup", "teardown", "collect"] = "call"
    file: str | None = None


class Belongs(Body):
    """An exception or assertion signal that stands inside a test's block."""

    KIND: ClassVar[str] = "belongs"
    signal: SignalRef
    test: SignalRef


class Captured(Body):
    """A signal that stands in the output captured while a test ran, not in the test's own failure."""

    KIND: ClassVar[str] = "captured"
    signal: SignalRef
    test: SignalRef
    section: Annotated[str, Field(description="the title of the section: Captured stderr call, ...")]


class Comparison(Body):
    """Two sides of a comparison that failed, in the order printed; which of them is the actual one is a rule's to say."""

    KIND: ClassVar[str] = "comparison"
    KEY: ClassVar[tuple[str, ...] | None] = ("signal",)
    signal: SignalRef
    form: Annotated[str, Field(description=COMPARISON_FORMS)]
    left: str | None = None
    operator: str | None = None
    right: str | None = None
    expression: Annotated[str | None, Field(description="the source asserted: an assert's expression, or the asserting call")] = None
    call: Annotated[str | None, Field(description="the asserting call's name: assertEqual, assert_allclose; none for assert")] = None
    left_source: Annotated[str | None, Field(description="the left side's source: an operand, or the call's first argument")] = None
    right_source: Annotated[str | None, Field(description="the source of the right side")] = None


class Detail(Body):
    """A further labelled line of a failure block: an explanation, a diff line, a fixture's name."""

    KIND: ClassVar[str] = "detail"
    KEY: ClassVar[tuple[str, ...] | None] = ("signal", "number")
    signal: SignalRef
    number: int
    label: Annotated[str, Field(description=DETAIL_LABELS)]
    text: str


class TestRun(Body):
    """A runner's own closing counts."""

    __test__ = False  # not a test class, whatever its name

    KIND: ClassVar[str] = "test_run"
    KEY: ClassVar[tuple[str, ...] | None] = ("number",)
    number: int
    tool: str
    passed: int = 0
    failed: int = 0
    errors: int = 0
    skipped: int = 0
    other: int = 0


class SummaryLine(Body):
    """A line of a runner's short summary: `FAILED tests/test_a.py::test_b - AssertionError`."""

    KIND: ClassVar[str] = "summary_line"
    KEY: ClassVar[tuple[str, ...] | None] = ("line",)
    line: int
    word: str
    node_id: str
    text: str | None = None


class WarningLine(Body):
    """A warning as Python prints it: `path.py:12: RuntimeWarning: message`. A run with warnings need not have failed."""

    KIND: ClassVar[str] = "warning_line"
    KEY: ClassVar[tuple[str, ...] | None] = ("line",)
    line: Annotated[int, Field(description="the raw line of the text that it stands on")]
    category: str
    message: str | None = None
    file: str | None = None
    at: Annotated[int | None, Field(description="the line in that file")] = None
    source: Annotated[str | None, Field(description="the source line printed below it, stripped")] = None


class Repeated(Body):
    """A signal that stands in the text again and again: of all like it, only the first and the last are kept."""

    KIND: ClassVar[str] = "repeated"
    KEY: ClassVar[tuple[str, ...] | None] = ("signal",)
    signal: Annotated[str, RefTo(("signal",)), Field(description="the first of them")]
    last: Annotated[str | None, RefTo(("signal",)), Field(description="the last of them, where there was room for it")] = None
    count: Annotated[int, Field(description="how many there are in all; what differs between them are numbers in their messages")]
    last_line: Annotated[int, Field(description="the first raw line of the last of them")]


class Truncated(Body):
    """Something that began like a known grammar and did not go on, or text that was cut: flagged, never dropped."""

    KIND: ClassVar[str] = "truncated"
    KEY: ClassVar[tuple[str, ...] | None] = ("line", "grammar")
    line: int
    grammar: str
    reason: str
    lost: Annotated[int, Field(description="characters or lines that are not there, 0 where nobody can tell")] = 0


class RawText(Body):
    """The whole signal: its size, its digest, and whether anything in it could be read."""

    KIND: ClassVar[str] = "raw_text"
    KEY: ClassVar[tuple[str, ...] | None] = ("digest",)
    digest: str
    lines: int
    characters: int
    signals: int
    binary: bool = False


class Redacted(Body):
    """A redaction of a pack that masked something in the raw text, and how often."""

    KIND: ClassVar[str] = "redacted"
    KEY: ClassVar[tuple[str, ...] | None] = ("redaction",)
    redaction: str
    count: int


class ProjectRoot(Body):
    """A folder that the caller named as the project's root."""

    KIND: ClassVar[str] = "project_root"
    path: str


class ProjectPackage(Body):
    """A package that the caller named as the project's own, wherever it is installed."""

    KIND: ClassVar[str] = "project_package"
    name: str


class InstalledPackage(Body):
    """A frame in an installed package: the name that follows `site-packages` or `dist-packages` in its path."""

    KIND: ClassVar[str] = "installed_package"
    KEY: ClassVar[tuple[str, ...] | None] = ("frame",)
    frame: FrameRef
    package: str


class Provenance(Body):
    """Which run the signal came from; `timestamp` is from the caller or the log, never from the clock."""

    KIND: ClassVar[str] = "provenance"
    KEY: ClassVar[tuple[str, ...] | None] = ("run",)
    run: str
    timestamp: str | None = None
    source: str | None = None


class PathUnder(Body):
    """A file that lies under a root, by its path alone."""

    KIND: ClassVar[str] = "path_under"
    file: str
    root: str


class OwnModule(Body):
    """A module name in a message whose first part is a folder or file of a path in the stack."""

    KIND: ClassVar[str] = "own_module"
    KEY: ClassVar[tuple[str, ...] | None] = ("group",)
    group: Annotated[str, RefTo(("match_group",))]
    module: str
    file: str


class InstalledSelf(Body):
    """A frame in an installed package whose name is also that of a folder around the environment it is installed in."""

    KIND: ClassVar[str] = "installed_self"
    KEY: ClassVar[tuple[str, ...] | None] = ("frame",)
    frame: FrameRef
    package: str
