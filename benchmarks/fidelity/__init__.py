"""Compares our evaluators and parser with the published ones, on generated inputs."""
