"""Errors that a person can fix."""

from __future__ import annotations


class WorkbenchError(Exception):
    """Its message states what is wrong and what to do about it."""
