"""A browser for people that needs none: pages are numbered by the actions before."""

from __future__ import annotations

from typing import Any, Self

from rollouts.browser.actions.webrl import parse_action
from rollouts.browser.errors import SiteBroken
from rollouts.browser.types import (
    Element,
    EpisodeEnd,
    EpisodeRequest,
    Exchange,
    Observation,
    StepRecord,
)
from rollouts.models import Takeover, Trajectory
from rollouts.services import open_takeover
from tests.factories import StepFactory, TrajectoryFactory, UserFactory


def page(number: int) -> Observation:
    """Return the page after so many actions."""
    url = f"http://shop.abc.localhost:1/{number}"
    button = Element(0, "button", "Cart", (1.0, 2.0, 30.0, 10.0))
    return Observation(f"<html> {number} </html>", (button,), url, f"Page {number}")


class FakeBrowser:
    """Satisfies `Driver`; `between` runs where a person would act."""

    breaks_at = -1

    def __init__(self, solved: bool | None = True) -> None:
        self.solved = solved
        self.outputs: list[str] = []
        self.is_closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> None:
        self.is_closed = True

    def begin(self, request: EpisodeRequest) -> Observation:
        self.request = request
        return page(0)

    def step(self, output: str, thought_ms: float = 0.0) -> Exchange:
        done = len(self.outputs)
        if done == self.breaks_at:
            raise SiteBroken("The shop is gone.")
        self.outputs.append(output)
        action, following = parse_action(output), page(done + 1)
        ids = (self.request.trajectory_id, self.request.attempt)
        record = StepRecord(
            *ids, done, page(done), output, action, "", None, {"policy": thought_ms}
        )
        end = EpisodeEnd(*ids, "exit", action.argument, following, self.solved)
        return Exchange(record, following, end if action.name == "Exit" else None)


def make_source(steps: int = 3) -> Trajectory:
    """Return a finished episode whose pages are those of `FakeBrowser`."""
    source: Trajectory = TrajectoryFactory(step_count=steps, outcome=False)
    for index in range(steps):
        seen = page(index)
        output = f'do(action="Click", element="{index}")'
        StepFactory(
            trajectory=source,
            index=index,
            url=seen.url.replace("abc", "def"),
            observation=seen.text,
            output=output,
        )
    return source


def take_over(source: Trajectory, number: int = 3, **fields: Any) -> Takeover:
    """Return a takeover that waits for its browser."""
    author = fields.get("author") or UserFactory(roles=["annotator"])
    return open_takeover(source_id=source.pk, number=number, author_id=author.pk)
