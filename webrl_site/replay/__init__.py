"""What the replay shows of an episode, as plain values for the templates."""
