"""The outcome-supervised reward model and its own training."""
