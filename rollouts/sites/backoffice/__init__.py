"""Maple Back Office: the administration of a household shop."""
