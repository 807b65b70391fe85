"""One worker's part in a phase's collection of episodes, from claim to record.

The collector drives the browser in a thread of its own; this loop, in the job's thread,
claims episodes, saves records and renews leases. Leases are renewed only while records
arrive, so a browser that hangs loses its episodes to another worker.
"""

from __future__ import annotations

import dataclasses
import logging
import time
from collections.abc import Callable, Sequence, Set
from typing import Any, Protocol

from curriculum.events import ProgressEvent, publish
from curriculum.models import Phase
from curriculum.phase_config import RolloutConfig
from curriculum.rules.disk_room import is_disk_full
from curriculum.rules.stopping import STOPPING
from curriculum.services.pulse import Pulse
from curriculum.services.stage_lease import starting
from curriculum.texts.sentences import Sentence
from rollouts.artifact_store import open_artifacts
from rollouts.browser.types import (
    Attempt,
    EpisodeFailure,
    EpisodeRecord,
    EpisodeRequest,
    StepRecord,
    attempt_of,
)
from rollouts.models import STAGE_PURPOSES
from rollouts.selectors.loop import count_episodes
from rollouts.services.queue import (
    claim_episodes,
    list_held,
    note_survivors,
    read_rollout_config,
    release_episodes,
    renew_leases,
)
from rollouts.services.records import save_records
from rollouts.services.serving.budget import keep_budget
from rollouts.serving.acting import Acting, check_server, find_acting

logger = logging.getLogger(__name__)

# Seconds: how long records are gathered into one transaction, how often an empty queue
# is read again, how often the phase is checked, and after how long without a record the
# browser counts as hanging.
GATHER_S = 0.25
ASK_AGAIN_S = 1.0
LOOK_EVERY_S = 1.0
STALL_S = 240.0
# Seconds between two checks of what a run has spent, which reads all of its steps, and
# of whether its server still has its weights.
BILL_EVERY_S = 10.0


class EpisodeCollector(Protocol):
    """The interface of `rollouts.collection.collector.Collector` that is used here."""

    @property
    def free_slots(self) -> int:
        """How many more episodes it takes."""
        ...

    @property
    def progress_at(self) -> float:
        """When it last got something done, in time.monotonic() seconds."""
        ...

    def start(self) -> None:
        """Open the browser."""
        ...

    def submit(self, requests: Sequence[EpisodeRequest]) -> None:
        """Begin episodes."""
        ...

    def poll(self, timeout_s: float) -> list[EpisodeRecord]:
        """Return the new records, in order within each episode."""
        ...

    def drop(self, attempt: Attempt) -> None:
        """End an attempt that has been lost, without a record."""
        ...

    def close(self) -> None:
        """Close the browser; unfinished episodes end without a record."""
        ...


class CollectorStalled(RuntimeError):
    """The browser is taken to hang, because no record came for too long."""


@dataclasses.dataclass(frozen=True, slots=True)
class Assignment:
    """Which episodes a job collects, and its leases."""

    phase_id: int
    stage: str
    purpose: str
    owner: str
    lease_s: float
    max_retries: int
    acting: Acting


class Collection:
    """Runs a collector until the phase's queue is empty or the stage is over."""

    def __init__(self, assignment: Assignment, collector: EpisodeCollector) -> None:
        self._terms = assignment
        self._collector = collector
        # Which attempt at each episode is ours.
        self._running: dict[int, int] = {}
        self._began = time.monotonic()
        self._ended_before = self._count_ended()
        self._next_claim = self._next_look = self._next_bill = 0.0
        self._last_record = self._last_renewal = self._began
        self._told: ProgressEvent | None = None

    def run(self) -> int:
        """Collect; returns how many episodes ended here.

        Raises:
            CollectorStalled: The browser hangs; its episodes are queued again.
            PhasePaused: The server acts with other weights by now.
        """
        ended = 0
        try:
            while not STOPPING.is_set() and self._look():
                if not self._claim() and not self._running:
                    break
                ended += self._save(self._gather())
                self._renew()
        finally:
            self._give_back()
        return ended

    def _give_back(self) -> None:
        """Close the browser, then release its episodes.

        Until it is closed it may act on a site that the next episode has to itself, so
        the leases are renewed meanwhile.
        """
        terms, ids = self._terms, list(self._running)

        def renew() -> bool:
            left = renew_leases(
                owner=terms.owner, trajectory_ids=ids, lease_s=terms.lease_s
            )
            return left > 0

        pulse = Pulse(f"episodes of phase {terms.phase_id}", renew, terms.lease_s)
        pulse.start()
        try:
            self._collector.close()
        finally:
            pulse.end()
            release_episodes(owner=terms.owner, trajectory_ids=ids)

    def _claim(self) -> bool:
        """Claim episodes for free slots; an empty queue is not read again at once."""
        now, terms = time.monotonic(), self._terms
        if now < self._next_claim or self._collector.free_slots <= 0:
            return False
        requests = claim_episodes(
            phase_id=terms.phase_id,
            purpose=terms.purpose,
            owner=terms.owner,
            limit=self._collector.free_slots,
            lease_s=terms.lease_s,
            acted_by=terms.acting.uri,
            acted_digest=terms.acting.digest,
        )
        if not requests:
            self._next_claim = now + ASK_AGAIN_S
            return False
        for request in requests:
            self._hold(attempt_of(request))
        self._collector.submit(requests)
        return True

    def _hold(self, attempt: Attempt) -> None:
        """Note an attempt as ours; an earlier one at the same episode is dropped."""
        trajectory_id, number = attempt
        if (earlier := self._running.get(trajectory_id)) is not None:
            self._lose({(trajectory_id, earlier)})
        self._running[trajectory_id] = number

    def _lose(self, attempts: Set[Attempt]) -> None:
        """Drop episodes that others took from us; that does not count as a death."""
        ours = attempts & self._running.items()
        if not ours:
            return
        logger.warning("Attempts %s belong to somebody else", sorted(ours))
        note_survivors({trajectory_id for trajectory_id, _ in ours})
        for attempt in ours:
            del self._running[attempt[0]]
            self._collector.drop(attempt)

    def _gather(self) -> list[EpisodeRecord]:
        """Poll until an episode ends or enough time has passed to save a batch."""
        records: list[EpisodeRecord] = []
        until = time.monotonic() + GATHER_S
        while (left := until - time.monotonic()) > 0:
            fresh = self._collector.poll(left)
            records.extend(fresh)
            if any(not isinstance(record, StepRecord) for record in fresh):
                break
        return records

    def _save(self, records: list[EpisodeRecord]) -> int:
        if not records:
            return 0
        self._last_record = time.monotonic()
        report = save_records(
            records=records,
            lease_s=self._terms.lease_s,
            max_retries=self._terms.max_retries,
        )
        self._lose(report.lost)
        for trajectory_id, _ in report.ended:
            self._running.pop(trajectory_id, None)
        if report.ended:
            self._next_claim = 0.0
        return len(report.ended)

    def _renew(self) -> None:
        """Renew the leases of running episodes, unless no record came for too long."""
        now = time.monotonic()
        heard = max(self._last_record, self._collector.progress_at)
        if not self._running:
            self._last_record = now
        elif now - heard > STALL_S:
            self._give_up(Sentence("no_step_finished", seconds=f"{STALL_S:.0f}"))
        if now - self._last_renewal > self._terms.lease_s / 3:
            self._last_renewal = now
            self._renew_leases()

    def _renew_leases(self) -> None:
        terms, ids = self._terms, list(self._running)
        renewed = renew_leases(
            owner=terms.owner, trajectory_ids=ids, lease_s=terms.lease_s
        )
        if renewed < len(ids):
            held = list_held(owner=terms.owner, trajectory_ids=ids)
            self._lose(self._running.items() - held)

    def _give_up(self, reason: str) -> None:
        """Count the hang against the running episodes, and raise."""
        failures = [
            EpisodeFailure(trajectory_id, attempt, "harness", reason)
            for trajectory_id, attempt in self._running.items()
        ]
        self._save(list(failures))
        raise CollectorStalled(reason)

    def _look(self) -> bool:
        """Say whether the stage goes on; report the progress once a second."""
        now = time.monotonic()
        if now < self._next_look:
            return True
        self._next_look = now + LOOK_EVERY_S
        terms = self._terms
        if not Phase.objects.filter(pk=terms.phase_id, status=terms.stage).exists():
            return False
        if is_disk_full():
            logger.warning("Phase %s waits: the disk is full", terms.phase_id)
            return False
        if not self._may_act():
            return False
        self._report_progress()
        return True

    def _report_progress(self) -> None:
        """Publish how many episodes have ended, unless it is still the same number."""
        event = measure_progress(self._terms, self._began, self._ended_before)
        told = self._told
        if told is None or (told.done, told.total) != (event.done, event.total):
            publish(self._terms.phase_id, event)
            self._told = event

    def _may_act(self) -> bool:
        """Pause the phase once the run has spent its budget; checked at intervals.

        Raises:
            PhasePaused: Another run has handed other weights to the server.
        """
        now = time.monotonic()
        if now < self._next_bill:
            return True
        self._next_bill = now + BILL_EVERY_S
        check_server(self._terms.acting)
        return keep_budget(phase_id=self._terms.phase_id, stage=self._terms.stage)

    def _count_ended(self) -> int:
        return count_episodes(self._terms.phase_id)[self._terms.purpose].ended


def measure_progress(
    terms: Assignment, began: float, ended_before: int
) -> ProgressEvent:
    """Return how many episodes ended and a forecast at the present pace."""
    counts = count_episodes(terms.phase_id)[terms.purpose]
    ended, seconds = counts.ended - ended_before, time.monotonic() - began
    return ProgressEvent(
        stage=terms.stage,
        done=counts.ended,
        total=counts.total,
        seconds_left=round(seconds / ended * counts.left, 1) if ended else None,
    )


def collect_episodes(
    *,
    phase_id: int,
    owner: str,
    lease_s: float,
    open_policy: Callable[[Phase, str], Any],
    open_collector: Callable[[Any, RolloutConfig], EpisodeCollector],
) -> int:
    """Collect the phase's queued episodes until none is left; return how many ended.

    Args:
        phase_id: The phase; in a stage without rollouts nothing happens.
        owner: Name of the leases' owner, unique per job.
        lease_s: Seconds without a record after which an episode is lost.
        open_policy: Makes the policy of this phase and stage.
        open_collector: Makes a collector for a policy with the run's settings.
    """
    phase = Phase.objects.select_related("run").get(pk=phase_id)
    purpose = STAGE_PURPOSES.get(phase.status)
    if purpose is None or not count_episodes(phase_id)[purpose].queued:
        return 0
    # Checked before the model is called: no episode begins that cannot be stored.
    open_artifacts().check()
    config = read_rollout_config(phase)
    acting = find_acting(phase, phase.status)
    terms = Assignment(
        phase_id, phase.status, purpose, owner, lease_s, config.max_retries, acting
    )
    with starting(phase_id=phase_id, stage=phase.status):
        collector = open_collector(open_policy(phase, phase.status), config)
    try:
        collector.start()
        return Collection(terms, collector).run()
    finally:
        collector.close()
