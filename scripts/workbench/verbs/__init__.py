"""Verbs of `./webrl` by subject, and the parsing of their arguments."""
