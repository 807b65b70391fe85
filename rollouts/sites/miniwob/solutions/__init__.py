"""Scripted solutions of MiniWoB++ pages: proof that they can be solved from here."""

from rollouts.sites.miniwob.solutions.policy import SOLVED_PAGES, SolutionPolicy

__all__ = ["SOLVED_PAGES", "SolutionPolicy"]
