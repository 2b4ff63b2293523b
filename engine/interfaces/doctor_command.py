"""Why: `tollens doctor` prints the report for people or programs; a fault in it shows in the exit code."""

from __future__ import annotations

import json
import sys
from argparse import Namespace

from tollens.engine.errors import EXIT_DONE, EXIT_FAULT
from tollens.engine.interfaces.doctor import checks, lines, report
from tollens.engine.interfaces.screen import style_of


def run(options: Namespace) -> int:
    """Print the report (`options.format`: text or json); 2 when something must be done, 0 otherwise."""
    found = checks()
    data = report(found)
    style = style_of(sys.stdout)
    shown = [json.dumps(data, indent=2, ensure_ascii=True)] if options.format == "json" else [style.safe(line) for line in lines(found)]
    sys.stdout.write("\n".join(shown) + "\n")
    return EXIT_DONE if data["ok"] else EXIT_FAULT
