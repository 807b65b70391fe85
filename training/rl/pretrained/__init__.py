"""Models that others trained: imported as checkpoints, used to write instructions."""
