"""Maple Shop: a household shop."""
