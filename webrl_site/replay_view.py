"""What the replay shows of an episode: steps, pages before and after, strips."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from django.conf import settings

from rollouts.models import Step, Trajectory
from rollouts.selectors.pages import find_neighbours, list_steps
from training.models import Experience
from training.selectors.pages import list_experiences

VIEWPORT = (1280, 720)
STRIP_HEIGHT = 36
CELL = 24


@dataclasses.dataclass(frozen=True, slots=True)
class RecordedPage:
    """Addresses of one recorded page on the replay origin, "" where there is none."""

    html: str
    screenshot: str


@dataclasses.dataclass(frozen=True, slots=True)
class StepView:
    """One step with the pages around it; `number` counts from 1."""

    step: Step
    number: int
    call: str
    before: RecordedPage
    after: RecordedPage
    box: tuple[float, float, float, float] | None
    milliseconds: float
    experiences: list[Experience]

    @property
    def was_used(self) -> bool | None:
        """Whether any training used the step; None when none looked at it."""
        if not self.experiences:
            return None
        return any(experience.was_used for experience in self.experiences)


@dataclasses.dataclass(frozen=True, slots=True)
class Bar:
    """One step's mark in a strip, in the drawing's units."""

    number: int
    text: str
    x: int
    y: float
    height: float
    is_low: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Strip:
    """One number over the steps; `zero` is the height of the zero line."""

    name: str
    text: str
    width: int
    zero: float
    bars: list[Bar]


def describe_replay(trajectory: Trajectory) -> dict[str, Any]:
    """Return the replay's variables: three queries, whatever the number of steps."""
    steps = list_steps(trajectory)
    experiences = list_experiences([step.pk for step in steps])
    views = [
        _view(step, steps[i + 1 : i + 2], trajectory, experiences.get(step.pk, []))
        for i, step in enumerate(steps)
    ]
    before, after = find_neighbours(trajectory)
    return {
        "trajectory": trajectory,
        "steps": views,
        "strips": make_strips(views),
        "viewport": VIEWPORT,
        "before_id": before,
        "after_id": after,
        "final": _page(trajectory.final_snapshot, trajectory.final_screenshot),
    }


def _view(
    step: Step,
    following: Sequence[Step],
    trajectory: Trajectory,
    experiences: list[Experience],
) -> StepView:
    after = (
        _page(following[0].snapshot, following[0].screenshot)
        if following
        else _page(trajectory.final_snapshot, trajectory.final_screenshot)
    )
    return StepView(
        step=step,
        number=step.index + 1,
        call=describe_action(step.action),
        before=_page(step.snapshot, step.screenshot),
        after=after,
        box=_box(step.target_box),
        milliseconds=sum(_numbers(step.timing.values())),
        experiences=experiences,
    )


def describe_action(action: dict[str, Any]) -> str:
    """Return a parsed action as a person says it: Type "mug" into 4."""
    name = action.get("name") or ""
    element, argument = action.get("element"), action.get("argument") or ""
    if not name:
        return "No valid action"
    said = f"{name} “{argument}”" if argument else str(name)
    return f"{said} → [{element}]" if element is not None else said


def make_strips(views: Sequence[StepView]) -> list[Strip]:
    """Return the strips for which any step has a number."""
    specs: list[tuple[str, str, Callable[[Experience], float | None], float]] = [
        ("Value", "V(s), 0 to 1", lambda e: e.value, 0.0),
        (
            "Advantage",
            "above 0: better than expected",
            lambda e: e.advantage,
            0.0,
        ),
        ("Perplexity", "from 1 upwards", lambda e: e.perplexity, 1.0),
        ("Log-ratio", "after against before training", lambda e: e.log_ratio, 0.0),
    ]
    strips = []
    for name, text, read, base in specs:
        values = [
            (view.number, read(view.experiences[0]) if view.experiences else None)
            for view in views
        ]
        known = [(number, value) for number, value in values if value is not None]
        if known:
            strips.append(_strip(name, text, known, base, len(views)))
    return strips


def _strip(
    name: str, text: str, known: list[tuple[int, float]], base: float, steps: int
) -> Strip:
    top = max(max(value for _, value in known), base + (1.0 if base == 0 else 0.5))
    bottom = min(min(value for _, value in known), base)
    if name != "Value" and bottom < base:
        top = max(abs(bottom - base), top - base) + base
    top += 0.05 * (top - bottom)
    scale = STRIP_HEIGHT / ((top - bottom) or 1.0)
    zero = (top - base) * scale
    bars = []
    for number, value in known:
        height = max(abs(value - base) * scale, 1.0)
        y = zero if value < base else zero - height
        label = f"Step {number}: {name.lower()} {value:.3f}"
        x = (number - 1) * CELL
        bars.append(Bar(number, label, x, round(y, 2), round(height, 2), value < base))
    return Strip(name, text, steps * CELL, round(zero, 2), bars)


def _page(snapshot: str, screenshot: str) -> RecordedPage:
    root = f"{settings.REPLAY_ORIGIN}/recorded"
    return RecordedPage(
        html=f"{root}/{snapshot}.html" if snapshot else "",
        screenshot=f"{root}/{screenshot}.jpg" if screenshot else "",
    )


def _box(raw: Any) -> tuple[float, float, float, float] | None:
    numbers = _numbers(raw or ())
    return (
        (numbers[0], numbers[1], numbers[2], numbers[3]) if len(numbers) == 4 else None
    )


def _numbers(values: Any) -> list[float]:
    return [float(value) for value in values if isinstance(value, int | float)]
