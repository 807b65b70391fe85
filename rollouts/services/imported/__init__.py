"""Imported trajectories and steps, as rows."""
