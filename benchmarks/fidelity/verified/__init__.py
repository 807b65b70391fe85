"""The original package of WebArena-Verified beside our path to it."""
