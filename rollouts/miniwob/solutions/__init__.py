"""Scripted solutions of MiniWoB++ pages: proof that they can be solved from here."""

from rollouts.miniwob.solutions.policy import SOLVED_PAGES, SolutionPolicy

__all__ = ["SOLVED_PAGES", "SolutionPolicy"]
