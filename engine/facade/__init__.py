"""Why: the thin public face of Tollens: it re-exports what embedders use, and nothing else."""

__version__ = "0.1.0"
