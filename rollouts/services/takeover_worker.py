"""A worker holds a person's browser: it rebuilds the page, then carries out actions.

The browser of an ended episode is closed, so its recorded actions are carried out
again, and each page must be the one that was recorded.
"""

from __future__ import annotations

import dataclasses
import logging
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol, Self
from urllib.parse import urlsplit

from curriculum.phase_config import RolloutConfig
from curriculum.services.pulse import Pulse
from curriculum.texts.sentences import Sentence
from rollouts.browser.errors import EpisodeBroken
from rollouts.browser.types import (
    EpisodeEnd,
    EpisodeFailure,
    EpisodeRecord,
    EpisodeRequest,
    Exchange,
    FailureClass,
    Observation,
)
from rollouts.models import Step, Trajectory
from rollouts.services.pages import keep_page
from rollouts.services.queue import build_request, read_rollout_config, renew_leases
from rollouts.services.records import save_records
from rollouts.services.takeovers import (
    claim_takeover,
    close_takeover,
    read_wish,
    show_page,
)
from rollouts.services.text import clean, clean_all

logger = logging.getLogger(__name__)
# Seconds between two reads of what the person wants.
LOOK_EVERY_S = 0.1
STOPPED = Sentence("workbench_stopped")


class Driver(Protocol):
    """The part of `rollouts.collection.interactive_episode.Hand` that is used here."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...

    def begin(self, request: EpisodeRequest) -> Observation: ...

    def step(self, output: str, thought_ms: float = 0.0) -> Exchange: ...


class NotRebuilt(Exception):
    """The recorded actions, carried out again, led to another page."""


class _Lost(Exception):
    """Another worker has the lease: nothing more may be written."""


def attend_takeover(
    *,
    trajectory_id: int,
    owner: str,
    lease_s: float,
    open_episode: Callable[[RolloutConfig], Driver],
) -> bool:
    """Hold one person's browser until they finish or leave; False if it is taken."""
    if not claim_takeover(trajectory_id=trajectory_id, owner=owner, lease_s=lease_s):
        return False
    row = Trajectory.objects.select_related("task__site", "phase__run", "takeover").get(
        pk=trajectory_id
    )

    def renew() -> bool:
        ids = [trajectory_id]
        return renew_leases(owner=owner, trajectory_ids=ids, lease_s=lease_s) == 1

    pulse = Pulse(f"takeover {trajectory_id}", renew, lease_s)
    pulse.start()
    try:
        _TakeoverRun(row, pulse, lease_s).attend(open_episode)
    finally:
        pulse.end()
        close_takeover(trajectory_id=trajectory_id)
    return True


class _TakeoverRun:
    """One episode by hand, from its first page to its end."""

    def __init__(self, row: Trajectory, pulse: Pulse, lease_s: float) -> None:
        self._row, self._pulse, self._lease_s = row, pulse, lease_s
        self._request = build_request(row)
        self._done = 0

    def attend(self, open_episode: Callable[[RolloutConfig], Driver]) -> None:
        """Play, and always record how it ended."""
        try:
            with open_episode(read_rollout_config(self._row.phase)) as hand:
                self._save(self._play(hand))
        except EpisodeBroken as broken:
            made = self._failure(str(broken), broken.failure_class, broken.trace)
            self._save_failure(dataclasses.replace(made, refused=broken.refused))
        except NotRebuilt as error:
            self._fail(str(error))
        except _Lost:
            logger.warning("Takeover %s belongs to somebody else", self._row.pk)
        except Exception as error:
            logger.exception("takeover %s broke", self._row.pk)
            self._fail(f"{type(error).__name__}: {error}")

    def _play(self, hand: Driver) -> EpisodeEnd | EpisodeFailure:
        seen = self._rebuild(hand)
        self._show(seen, "")
        shown = time.monotonic()
        while not self._pulse.must_stop:
            wanted, has_left = read_wish(trajectory_id=self._row.pk)
            if wanted:
                made = self._carry_out(hand, wanted, time.monotonic() - shown)
                if made.end is not None:
                    return made.end
                seen = made.following
                self._show(seen, made.record.error)
                shown = time.monotonic()
            elif has_left:
                request = self._request
                return EpisodeEnd(
                    request.trajectory_id, request.attempt, "left", "", seen, None
                )
            else:
                time.sleep(LOOK_EVERY_S)
        return self._failure(STOPPED)

    def _rebuild(self, hand: Driver) -> Observation:
        """Carry out what the agent did before the step that the person takes over.

        Raises:
            NotRebuilt: A page is not the recorded one.
        """
        seen = hand.begin(self._request)
        steps = self._list_recorded()
        for step in steps[:-1]:
            check_page(step, seen)
            made = self._carry_out(hand, step.output)
            if made.end is not None:
                raise NotRebuilt(Sentence("ended_before", step=step.index + 1))
            seen = made.following
        check_page(steps[-1], seen)
        return seen

    def _list_recorded(self) -> Sequence[Step]:
        takeover = self._row.takeover
        source = takeover.forked_from
        return list(
            Step.objects.filter(
                trajectory=source,
                attempt=source.attempt,
                index__lte=takeover.forked_at,
            ).order_by("index")
        )

    def _carry_out(self, hand: Driver, output: str, thought_s: float = 0.0) -> Exchange:
        made = hand.step(output, thought_s * 1000)
        self._save(made.record)
        self._done += 1
        return made

    def _show(self, seen: Observation, error: str) -> None:
        show_page(
            trajectory_id=self._row.pk,
            steps_done=self._done,
            page={**describe_page(seen), "error": clean(error)},
        )

    def _save(self, record: EpisodeRecord) -> None:
        report = save_records(records=[record], lease_s=self._lease_s, max_retries=0)
        if report.lost:
            raise _Lost

    def _fail(self, reason: str) -> None:
        self._save_failure(self._failure(reason))

    def _save_failure(self, record: EpisodeFailure) -> None:
        save_records(records=[record], lease_s=self._lease_s, max_retries=0)

    def _failure(
        self, reason: str, failure_class: FailureClass = "harness", trace: str = ""
    ) -> EpisodeFailure:
        ids = (self._request.trajectory_id, self._request.attempt)
        return EpisodeFailure(*ids, failure_class, reason, trace=trace)


def check_page(step: Step, seen: Observation) -> None:
    """Compare a page with the recorded one; hosts differ, since they name the episode.

    Raises:
        NotRebuilt: It is another page.
    """
    same_place = _place(seen.url) == _place(step.url)
    if same_place and clean(seen.text) == step.observation:
        return
    number = step.index + 1
    if same_place:
        raise NotRebuilt(Sentence("rebuilt_otherwise", step=number))
    place = _place(seen.url)[:200]
    raise NotRebuilt(Sentence("rebuilt_elsewhere", step=number, place=place))


def describe_page(seen: Observation) -> dict[str, Any]:
    """Return what a person's page shows of the browser; store the picture."""
    page: dict[str, Any] = clean_all(
        {
            "url": _place(seen.url),
            "title": seen.title,
            "text": seen.text,
            "elements": [
                {"id": one.id, "tag": one.tag, "text": one.text, "box": one.box}
                for one in seen.elements
            ],
        }
    )
    return page | {"picture": keep_page(seen).screenshot}


def _place(url: str) -> str:
    parts = urlsplit(url)
    return parts.path + (f"?{parts.query}" if parts.query else "")
