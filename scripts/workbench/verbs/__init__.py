"""Verbs of `./webrl` by what they are about, and how their words are read."""
