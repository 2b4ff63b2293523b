"""Why: the rule author's bench: what helps people write, check, test and ship rule files without touching code."""
