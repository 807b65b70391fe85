"""Models that others trained: brought as checkpoints, used to write instructions."""
