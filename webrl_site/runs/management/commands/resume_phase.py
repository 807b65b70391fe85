"""Resume a stopped or failed phase where it stopped."""

from __future__ import annotations

from curriculum.services import resume_phase
from webrl_site.management.steering import SteerPhase


class Command(SteerPhase):
    help = __doc__
    steer = staticmethod(resume_phase)
    said = "goes on."
