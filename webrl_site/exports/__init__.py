"""Whole lists as files, written row by row: a file's length costs no memory."""
