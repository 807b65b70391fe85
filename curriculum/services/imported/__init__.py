"""Imported runs, phases and tasks, as rows."""
