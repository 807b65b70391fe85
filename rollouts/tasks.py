"""The jobs that collect episodes, hand weights over, hold browsers and clean up.

They may run twice, anywhere.
"""

from __future__ import annotations

import importlib
import logging

from celery import shared_task
from django.conf import settings

from curriculum.services.stage_guard import failing_phase, name_owner
from rollouts import services
from rollouts.selectors.evidence import list_rules
from rollouts.services import CollectorStalled, collect_episodes
from rollouts.services.loading import (
    POLICIES,
    open_collector,
    open_episode,
    open_policy,
)

logger = logging.getLogger(__name__)


@shared_task(name="rollouts.tasks.collect")
def collect(phase_id: int) -> int:
    """Claim and run the phase's queued episodes until none is left."""
    with failing_phase(phase_id):
        try:
            return collect_episodes(
                phase_id=phase_id,
                owner=name_owner(),
                lease_s=settings.LEASE_S,
                open_policy=open_policy,
                open_collector=open_collector,
            )
        except CollectorStalled:
            logger.exception("Phase %s: the browser hangs; trying anew", phase_id)
        finally:
            POLICIES.rest()
    return 0


@shared_task(name="rollouts.tasks.hand_over")
def hand_over(phase_id: int) -> bool:
    """Hand the phase's trained weights over to the server that acts."""
    with failing_phase(phase_id):
        return services.hand_over_weights(phase_id=phase_id, owner=name_owner())
    return False


@shared_task(name="rollouts.tasks.run_takeover")
def run_takeover(trajectory_id: int) -> bool:
    """Hold the browser of a person who takes over, until they finish or leave."""
    return services.attend_takeover(
        trajectory_id=trajectory_id,
        owner=name_owner(),
        lease_s=settings.LEASE_S,
        open_episode=open_episode,
    )


@shared_task(name="rollouts.tasks.reset_site")
def reset_site(site_id: int, number: int = 1) -> bool:
    """Reset an instance of a site to its first state, if that is wanted and due."""
    return services.reset_site(site_id=site_id, number=number, lease_s=settings.LEASE_S)


@shared_task(name="rollouts.tasks.check_site")
def check_site(site_id: int) -> int:
    """Check the instances of an external site for which that is requested."""
    module = importlib.import_module("rollouts.browser.hosting.site_check")
    return services.check_site(site_id=site_id, look=module.check_addresses)


@shared_task(name="rollouts.tasks.remove_evidence")
def remove_evidence() -> int:
    """Remove some of the evidence that the operator's rules select, oldest first.

    Also remove what killed workers have left behind, regardless of the rules.
    """
    services.drop_lost_traces()
    rules = [rule for rule in list_rules() if rule.is_on]
    return sum(services.remove_evidence(rule=rule).episodes for rule in rules)


@shared_task(name="rollouts.tasks.measure_evidence")
def measure_evidence() -> None:
    """Measure how much room the evidence takes, without what killed processes left."""
    services.drop_leftovers()
    services.measure_evidence()
