"""Why: the production evaluator, which compiles a stratum into rulesets of the durable_rules engine and drives them.

Only integers cross into the engine, and only the few constructs whose behaviour there was verified are ever emitted.
"""
