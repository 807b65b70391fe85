"""Stop a phase; it keeps what it has and can resume."""

from __future__ import annotations

from curriculum.services import stop_phase
from webrl_site.management.steering import SteerPhase


class Command(SteerPhase):
    help = __doc__
    steer = staticmethod(stop_phase)
    said = "stops at its next step."
