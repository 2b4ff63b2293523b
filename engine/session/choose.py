"""Why: which evaluator runs is a choice of the caller, with a notice wherever it is not the production one."""

from __future__ import annotations

from tollens.engine.errors import InputError
from tollens.engine.session.evaluator import Evaluator

NAMES = ("auto", "durable_rules", "reference")


def choose(name: str = "auto") -> tuple[Evaluator, str]:
    """The evaluator of that name and a notice ("" when there is nothing to say).

    `auto` takes durable_rules where it can be imported and the reference evaluator where it cannot; both derive the same facts.
    """
    if name not in NAMES:
        raise InputError(f"there is no evaluator {name!r}", expected="an evaluator", choices=NAMES, found=name)
    if name != "reference":
        try:
            import durable_rules_engine  # noqa: F401 - only whether it is there
        except ImportError as error:
            if name == "durable_rules":
                raise InputError(
                    f"durable_rules cannot be imported ({error})", next_step="run `tollens doctor` to see how to install it"
                ) from None
            from tollens.engine.session.reference import Reference

            return Reference(), "durable_rules is not installed; the reference evaluator runs instead (see `tollens doctor`)"
        from tollens.engine.session.durable.evaluator import DurableEvaluator

        return DurableEvaluator(), ""
    from tollens.engine.session.reference import Reference

    return Reference(), ""
