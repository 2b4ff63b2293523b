"""Why: `python -m tollens` is the same command as `tollens`, also where the scripts folder is not on the path."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line; an interrupt while it is still being imported ends as one that comes later does."""
    try:
        from tollens.engine.interfaces.cli import main as run

        return run()
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")
        return 2


if __name__ == "__main__":
    sys.exit(main())
