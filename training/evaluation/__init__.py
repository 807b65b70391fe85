"""Statistics of repeated attempts at tasks: pass@k, intervals, paired tests."""
