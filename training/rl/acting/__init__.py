"""Sampling answers fast: prompts without padding, several tokens a pass."""
