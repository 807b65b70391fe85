"""The map: Compass Atlas."""
