"""What repeated attempts at the same tasks say: pass@k, intervals, paired tests."""
