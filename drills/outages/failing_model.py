"""R12: a phase is collected with a model's endpoint that often does not answer."""

from __future__ import annotations

import time

from django.conf import settings

from drills.faults.episodes import find_damage, open_collecting
from drills.faults.workers import count_left
from drills.outages.paper_world import STEPS, PaperWorld
from drills.outages.scripted_endpoint import TIMEOUT_S, open_endpoint
from drills.outcome import Outcome
from rollouts.collection.collector import Collector
from rollouts.collection.collector_options import CollectorOptions
from rollouts.policies.http_policy import HttpPolicy, HttpPolicyOptions
from rollouts.services import collect_episodes

EPISODES, CONTEXTS = 100, 16
MAX_SHARE = 1.2
LIMIT_S = 600.0


def measure() -> Outcome:
    """Collect a phase with the endpoint; count all calls and those that came early."""
    phase = open_collecting(EPISODES)
    with open_endpoint() as endpoint:
        began = time.monotonic()
        while count_left(phase.pk) and time.monotonic() - began < LIMIT_S:
            _collect(phase.pk, endpoint.server_address[1])
        seconds = time.monotonic() - began
    answers, early = endpoint.script.answers, endpoint.script.early
    damage = find_damage(phase.pk, EPISODES)
    needed = EPISODES * STEPS + answers.total() - answers["good"]
    share = answers.total() / needed
    text = (
        f"{EPISODES} episodes of {STEPS} steps in {seconds:.0f} s, {len(damage)} lost; "
        f"{answers.total()} calls for {EPISODES * STEPS} answers and "
        f"{needed - EPISODES * STEPS} faults ({dict(answers)}): {share:.2f} of what is "
        f"needed; {early} calls before Retry-After"
    )
    ok = not damage and not early and share <= MAX_SHARE
    return Outcome(text, ok, "; ".join(damage[:3]))


def _collect(phase_id: int, port: int | str) -> None:
    """Run the job's own code with the product's client and collector."""
    options = HttpPolicyOptions(
        private_hosts=("127.0.0.1",),
        timeout_s=TIMEOUT_S,
        concurrency=CONTEXTS,
        asks_tokens=False,
    )
    collect_episodes(
        phase_id=phase_id,
        owner="drill-model",
        lease_s=settings.LEASE_S,
        open_policy=lambda phase, stage: HttpPolicy(
            f"http://127.0.0.1:{port}/v1#drill", options
        ),
        open_collector=lambda policy, config: Collector(
            policy,
            CollectorOptions(contexts=CONTEXTS, repeated=STEPS + 1),
            open_world=lambda chosen: PaperWorld(),
        ),
    )
