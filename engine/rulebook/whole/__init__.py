"""Why: what no single entry can know: packs on top of each other, and strata over all of their rules."""
