"""Comparisons with the code that others published; it is given as a folder."""
