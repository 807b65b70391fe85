"""Behaviour cloning: a policy learns from demonstrations."""
