"""Two episodes of one task side by side: their films, and one pair of steps."""

from __future__ import annotations

import dataclasses
from typing import Any

from django.urls import reverse

from rollouts.models import Trajectory
from webrl_site.replay.addresses import DashboardAddresses, RecordedPage
from webrl_site.replay.alignment import Pair, align, find_divergence, read_moment
from webrl_site.replay.episode import VIEWPORT
from webrl_site.replay.reading import Line, compare
from webrl_site.replay.steps import Episode, StepOutline, load_episode


@dataclasses.dataclass(frozen=True, slots=True)
class Side:
    """One episode's step of a pair, and the page after it."""

    name: str
    trajectory: Trajectory
    outline: StepOutline | None
    after: RecordedPage


@dataclasses.dataclass(frozen=True, slots=True)
class Column:
    """A pair in the film; `number` counts from 1."""

    number: int
    href: str
    left: StepOutline | None
    right: StepOutline | None
    differs: tuple[str, ...]


class Comparison:
    """Reads both episodes once: six queries for any length."""

    def __init__(self, left: Trajectory, right: Trajectory) -> None:
        self.left, self.right = (
            load_episode(row, DashboardAddresses(row.pk)) for row in (left, right)
        )
        self.pairs = align(self._moments(self.left), self._moments(self.right))

    def _moments(self, episode: Episode) -> list[Any]:
        return [read_moment(o) for o in episode.outlines]

    @property
    def first_difference(self) -> int | None:
        """Number of the first pair that differs, from 1; None when all are equal."""
        found = find_divergence(self.pairs)
        return None if found is None else found + 1

    def columns(self) -> list[Column]:
        ids = [self.left.trajectory.pk, self.right.trajectory.pk]
        return [
            Column(
                number=i + 1,
                href=reverse("compare_step", args=[*ids, i + 1]),
                left=_pick(self.left, pair.left),
                right=_pick(self.right, pair.right),
                differs=pair.differs,
            )
            for i, pair in enumerate(self.pairs)
        ]

    def panel(self, number: int) -> dict[str, Any]:
        """Return the variables of one pair; `number` counts from 1."""
        pair = self.pairs[number - 1]
        sides = [
            _side("A", self.left, pair.left),
            _side("B", self.right, pair.right),
        ]
        lines = self._lines(pair)
        return {
            "number": number,
            "current": number,
            "count": len(self.pairs),
            "sides": sides,
            "differs": pair.differs,
            "lines": lines,
            "changed": sum(line.kind != "same" for line in lines),
            "viewport": VIEWPORT,
        }

    def _lines(self, pair: Pair) -> list[Line]:
        """Return what both saw: A's own lines as gone, B's own as new."""
        left, right = _pick(self.left, pair.left), _pick(self.right, pair.right)
        if left is None or right is None:
            return []
        before, now = left.step.observation, right.step.observation
        return compare(before, now, right.step.action.get("element"))


def describe_comparison(comparison: Comparison, number: int) -> dict[str, Any]:
    """Return the whole page's variables."""
    return {
        "left": comparison.left.trajectory,
        "right": comparison.right.trajectory,
        "columns": comparison.columns(),
        "first_difference": comparison.first_difference,
        **(comparison.panel(number) if comparison.pairs else {}),
    }


def _pick(episode: Episode, index: int | None) -> StepOutline | None:
    return None if index is None else episode.outlines[index]


def _side(name: str, episode: Episode, index: int | None) -> Side:
    following = -1 if index is None else index + 1
    is_inside = 0 <= following < len(episode.outlines)
    after = episode.outlines[following].before if is_inside else episode.final
    return Side(name, episode.trajectory, _pick(episode, index), after)
