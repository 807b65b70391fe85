"""Compares the original package of WebArena-Verified with our path to it."""
