"""Why: the tree of a pack becomes typed rules, each checked against the kinds, tables and stages that it names."""
