"""Why: `python -m tollens` is the same command as `tollens`, also where the scripts folder is not on the path."""

from __future__ import annotations

import sys

from tollens.engine.interfaces.cli import main

if __name__ == "__main__":
    sys.exit(main())
