"""Why: the version stands below everything that needs it, so that no part of the engine imports the public face."""

from __future__ import annotations

__version__ = "0.1.0"
