"""One step of an episode: in outline for the film, in full for its own page."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from rollouts.browser.errors import is_failure
from rollouts.models import EvidenceKind, RemovedEvidence, Step, Trajectory
from rollouts.selectors.evidence import map_removed
from rollouts.selectors.pages import list_steps
from training.models import Experience
from training.selectors.pages import list_experiences
from webrl_site.replay.action_words import (
    describe_action,
    name_repairs,
    write_action,
)
from webrl_site.replay.addresses import Addresses, RecordedPage, recorded
from webrl_site.replay.prompt import Prompt, describe_prompt
from webrl_site.replay.reading import Line, compare, find_target

# In the order in which they happen; the record may lack some.
PARTS = ("observe", "policy", "act", "settle")
Box = tuple[float, float, float, float]


@dataclasses.dataclass(frozen=True, slots=True)
class StepOutline:
    """One step with its data for the film; `number` counts from 1.

    Attributes:
        call: The action in plain words: its element by name.
        parsed: The action as it was understood: its element by id.
        repairs: What the parser passed over to read it.
        href: Where the step is shown.
        before: The page that the policy looked at.
        box: The target in CSS pixels of the viewport: x, y, width, height.
        parts: Milliseconds by part, in the order in which they happen.
        experiences: What trainings made of the step, oldest first.
    """

    step: Step
    number: int
    call: str
    parsed: str
    repairs: list[str]
    href: str
    before: RecordedPage
    box: Box | None
    parts: list[tuple[str, float]]
    experiences: list[Experience]

    @property
    def has_failed(self) -> bool:
        return is_failure(self.step.error)

    @property
    def milliseconds(self) -> float:
        return sum(ms for _, ms in self.parts)


@dataclasses.dataclass(frozen=True, slots=True)
class StepDetail:
    """One step with everything in its record.

    Attributes:
        outline: The step.
        count: Steps of the episode so far.
        after: The page that the next step began with, or the last one.
        after_url: Its address, or "" if that is unknown.
        lines: What the model saw, compared with what it saw a step earlier.
        added: Lines that are new; dropped: lines that were removed.
        target: The target's line, or "" if there is none.
        prompt: The conversation that the policy was given.
    """

    outline: StepOutline
    count: int
    after: RecordedPage
    after_url: str
    lines: list[Line]
    target: str
    prompt: Prompt

    @property
    def added(self) -> int:
        return sum(line.kind == "add" for line in self.lines)

    @property
    def dropped(self) -> int:
        return sum(line.kind == "drop" for line in self.lines)


@dataclasses.dataclass(frozen=True, slots=True)
class Episode:
    """A trajectory with the outlines of its steps."""

    trajectory: Trajectory
    outlines: list[StepOutline]
    addresses: Addresses
    # What the retention has removed, by kind.
    removed: Mapping[str, RemovedEvidence]

    @property
    def final(self) -> RecordedPage:
        """The last page, which stays; its screenshot may be gone."""
        row = self.trajectory
        gone = {k: v for k, v in self.removed.items() if k != EvidenceKind.PAGE}
        return recorded(self.addresses, row.final_snapshot, row.final_screenshot, gone)


def load_episode(trajectory: Trajectory, addresses: Addresses) -> Episode:
    """Read the outlines: three queries for any number of steps."""
    steps = list_steps(trajectory)
    removed = map_removed(trajectory.pk)
    experiences = list_experiences([step.pk for step in steps])
    outlines = [
        StepOutline(
            step=step,
            number=step.index + 1,
            call=describe_action(step.action, step.observation),
            parsed=write_action(step.action),
            repairs=name_repairs(step.action),
            href=addresses.step(step.index + 1),
            before=recorded(addresses, step.snapshot, step.screenshot, removed),
            box=_box(step.target_box),
            parts=_parts(step.timing),
            experiences=experiences.get(step.pk, []),
        )
        for step in steps
    ]
    return Episode(trajectory, outlines, addresses, removed)


def describe_step(episode: Episode, number: int) -> StepDetail:
    """Return one step in full. `number` is one of the episode's."""
    outlines, i = episode.outlines, number - 1
    outline = outlines[i]
    now = outline.step.observation
    earlier = outlines[i - 1].step.observation if i else None
    lines = compare(earlier, now, outline.step.action.get("element"))
    later = outlines[number] if number < len(outlines) else None
    return StepDetail(
        outline=outline,
        count=len(outlines),
        after=later.before if later else episode.final,
        after_url=later.step.url if later else episode.trajectory.final_url,
        lines=lines,
        target=find_target(lines),
        prompt=describe_prompt(episode.trajectory, [o.step for o in outlines[:i]], now),
    )


def _parts(timing: object) -> list[tuple[str, float]]:
    """Return known parts in order, then any others that were measured."""
    if not isinstance(timing, dict):
        return []
    names = [*PARTS, *(name for name in timing if name not in PARTS)]
    known = [(name, timing.get(name)) for name in names]
    return [(name, float(ms)) for name, ms in known if isinstance(ms, int | float)]


def _box(raw: Sequence[Any] | None) -> Box | None:
    numbers = [float(n) for n in raw or () if isinstance(n, int | float)]
    if len(numbers) != 4:
        return None
    return numbers[0], numbers[1], numbers[2], numbers[3]
