"""Why: a crash in C, a runaway signal or a full memory must end this process and not the one that embeds the engine.

It reads requests from standard input and answers on standard output, one frame each (see `frames`), until its input ends.

Request: `number`, `digest` of the rulebook, `rules` (the encoded rulebook, where it is another one than the last), `source`,
`project_roots`, `timestamp`, `budget`; the raw part is the signal. Answer: `number`, and `record` or `error`; with `last` the process
ends after it.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
from typing import IO

from tollens.engine.interfaces.frames import EXIT_MEMORY, pack, read

#: How much later than its parent would end it the worker ends itself (seconds): only an orphan lives that long.
_MARGIN = 1.0


def main() -> int:
    """Serve until the input ends. Arguments: the most memory (megabytes), the most time for an answer (seconds), the evaluator's name."""
    requests, answers = _take_pipes()
    faulthandler.enable()
    try:
        _limit(int(sys.argv[1]))
        _serve(requests, answers, float(sys.argv[2]), sys.argv[3])
    except MemoryError:
        os._exit(EXIT_MEMORY)
    except BrokenPipeError:  # nobody listens any more
        pass
    os._exit(0)  # nothing is left to tidy, and C code gets no chance to fail on the way out


def _take_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """The two pipes, out of reach of anything that prints: standard input is empty then, and standard output is standard error."""
    requests, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return os.fdopen(requests, "rb"), os.fdopen(answers, "wb")


def _limit(megabytes: int) -> None:
    """Bound the address space, and write no core files; a limit that is lower already stays."""
    import resource

    for kind, wanted in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_AS, megabytes * 1024 * 1024)):
        _, hard = resource.getrlimit(kind)
        lowest = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(kind, (lowest, lowest))


def _serve(requests: IO[bytes], answers: IO[bytes], seconds: float, name: str) -> None:
    _end_after(seconds)
    # Here, as what is imported has to fit into the memory limit, and before the first answer, as that is what makes the worker warm.
    from tollens.engine.errors import InputError
    from tollens.engine.interfaces.desk import Desk
    from tollens.engine.session.choose import choose
    from tollens.engine.version import __version__

    try:
        evaluator, notice = choose(name)
    except InputError as error:
        _send(answers, {"number": 0, "error": error.to_json(), "last": True})
        return
    _send(answers, {"number": 0, "version": __version__, "notice": notice, "untouched": _untouched(), "inherited": _inherited()})
    desk = Desk(evaluator)
    while (frame := read(requests)) is not None:
        _end_after(seconds)
        answer = desk.answer(frame)
        _send(answers, answer)
        if "last" in answer:
            return


def _untouched() -> int:
    """The bytes of address space beyond the memory in use: they count against the limit; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", "rb") as file:
            size, resident = file.read().split()[:2]
    except OSError:
        return 0
    return (int(size) - int(resident)) * os.sysconf("SC_PAGE_SIZE")


def _inherited() -> int:
    """The peak memory that the system tells of this process by now (bytes), which can be that of the process that started it."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _end_after(seconds: float) -> None:
    """A process that hangs in C does not see that nobody waits for it any more; the alarm ends it there too."""
    signal.setitimer(signal.ITIMER_REAL, seconds + _MARGIN)


def _send(answers: IO[bytes], data: dict[str, object]) -> None:
    answers.write(pack(data))
    answers.flush()
    signal.setitimer(signal.ITIMER_REAL, 0)


if __name__ == "__main__":
    sys.exit(main())
