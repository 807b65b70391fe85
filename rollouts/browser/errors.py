"""What can go wrong with an episode other than the agent.

EpisodeBroken
    SiteBroken      the site does not answer, answers 5xx or hangs
    HarnessBroken   the browser, or our own code, failed
"""

from __future__ import annotations

from rollouts.browser.types import FailureClass


class EpisodeBroken(Exception):
    """The episode cannot go on and says nothing about the policy."""

    failure_class: FailureClass = "harness"


class SiteBroken(EpisodeBroken):
    """The site failed; a new attempt may succeed."""

    failure_class: FailureClass = "site"


class HarnessBroken(EpisodeBroken):
    """The browser or the harness failed; a new attempt may succeed."""
