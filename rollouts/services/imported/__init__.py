"""What others did, as rows: trajectories and steps."""
