"""Why: whatever a pack asks for must end: what a stage matches and tries is counted while it happens, and the busiest is named."""

from __future__ import annotations

from typing import Protocol

from tollens.engine.errors import BudgetExceeded

#: How often the rules of one stage may match before the session stops with an error.
BUDGET = 100_000
#: The largest budget that a caller may name.
MOST_BUDGET = 1_000_000_000
#: How many facts a stage may try for each match that it is allowed: the work that comes to nothing is bounded by that.
TRIES = 100

_NEXT = "join its patterns by equal fields, use `group` for connected things, or allow more with --budget N (budget=N of an Engine)"


class Counts(Protocol):
    """What counts the facts that a join looks at."""

    def begin(self, name: str) -> None:
        """What is tried from here on is tried for the rule or operator of that name."""
        ...

    def tried(self, count: int) -> None:
        """So many facts are going to be tried; BudgetExceeded where that is too much."""
        ...


class Uncounted:
    """Counts nothing, for joins over a few facts."""

    def begin(self, name: str) -> None:
        """The name does not matter."""

    def tried(self, count: int) -> None:
        """Any number of facts may be tried."""


UNCOUNTED = Uncounted()


class Meter:
    """The matches, rows and tries of one stage, and which rule or operator made them.

    `budget` bounds the matches of the stage's rules. A caller who allows more than the default raises the bounds of an operator's rows
    and of the facts that the stage tries as well; who allows less does not lower them.
    """

    def __init__(self, stage: str, budget: int = BUDGET, *, rows: int = BUDGET, tries: int = BUDGET * TRIES) -> None:
        self.stage = stage
        self.budget = budget
        self.most_rows = max(rows, budget)
        self.most_tries = max(tries, budget * TRIES)
        self.matches = 0
        self.tries = 0
        self._name = ""
        self._since = 0
        self._matched: dict[str, int] = {}
        self._tried: dict[str, int] = {}

    def copy(self) -> Meter:
        """A meter that stands where this one stands."""
        other = Meter(self.stage, self.budget, rows=self.most_rows, tries=self.most_tries)
        other.matches, other.tries = self.matches, self.tries
        other._name, other._since = self._name, self._since
        other._matched, other._tried = dict(self._matched), dict(self._tried)
        return other

    def begin(self, name: str) -> None:
        """What is tried from here on is tried for the rule or operator of that name."""
        if self.tries > self._since:
            self._tried[self._name] = self._tried.get(self._name, 0) + self.tries - self._since
        self._name, self._since = name, self.tries

    def tried(self, count: int) -> None:
        """So many facts are going to be tried."""
        self.tries += count
        if self.tries > self.most_tries:
            self.tries = self.most_tries  # what was found is not tried any more
            self.begin("")
            raise self._exceeded(f"tried {self.most_tries} facts", self._tried)

    def matched(self, rule: str) -> None:
        """One more match of a rule."""
        self.matches += 1
        if self.matches > self.budget:
            raise self._exceeded(f"matched {self.budget} times", self._matched)
        self._matched[rule] = self._matched.get(rule, 0) + 1

    def rows(self, count: int) -> None:
        """An operator has so many rows by now."""
        if count > self.most_rows:
            raise self._exceeded(f"joined {self.most_rows} rows", {self._name: count - 1})

    def _exceeded(self, what: str, counts: dict[str, int]) -> BudgetExceeded:
        busiest = sorted(counts, key=lambda name: (-counts[name], name))[:3]
        shown = ", ".join(f"{name} ({counts[name]})" for name in busiest)
        busy = f"; most often: {shown}" if shown else ""
        return BudgetExceeded(f"stage {self.stage} {what} and was not finished{busy}", next_step=_NEXT)
