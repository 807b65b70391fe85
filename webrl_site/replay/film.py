"""The film: a tile for each step, and under it strips of numbers, step by step."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from training.models import Experience, TrainingRun
from webrl_site.replay.steps import StepOutline

STRIP_HEIGHT = 36


@dataclasses.dataclass(frozen=True, slots=True)
class Bar:
    """One step's mark in a strip, in the drawing's units; its text is the number."""

    text: str
    y: float
    height: float
    is_low: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Cell:
    """One step of a strip; without a bar if its number is unknown."""

    number: int
    bar: Bar | None


@dataclasses.dataclass(frozen=True, slots=True)
class Strip:
    """One number over the steps, on a scale of its own.

    Attributes:
        word: Its word in the glossary.
        name: Its name; `help` explains how to read it.
        high: The number at the upper edge; low: at the lower one.
        zero: Height of the line that bars start from.
        band: Upper edge and height of a shaded range, or None.
    """

    word: str
    name: str
    help: str
    high: str
    low: str
    zero: float
    cells: list[Cell]
    band: tuple[float, float] | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Segment:
    """One part of a step's time: where it begins and ends, of 100 units."""

    name: str
    x: float
    width: float


@dataclasses.dataclass(frozen=True, slots=True)
class Tile:
    """One step of the film.

    `mark` is "used", "left", or "" if no training read the step; `reason` has the
    same in words.
    """

    outline: StepOutline
    mark: str
    reason: str
    time: list[Segment]


@dataclasses.dataclass(frozen=True, slots=True)
class Film:
    """The tiles with the strips of one training, and the others to choose from."""

    tiles: list[Tile]
    strips: list[Strip]
    training: TrainingRun | None
    trainings: list[TrainingRun]
    slowest_ms: float


@dataclasses.dataclass(frozen=True, slots=True)
class _Scale:
    """A strip's range, from `base`, where bars start; "both" has two equal sides."""

    base: float
    least: float
    is_symmetric: bool = False

    def range(self, values: Sequence[float]) -> tuple[float, float]:
        reach = max([self.least, *(abs(value - self.base) for value in values)])
        below = reach if self.is_symmetric else 0.0
        return self.base - below, self.base + reach


@dataclasses.dataclass(frozen=True, slots=True)
class _Kind:
    """Which number a strip shows, and how."""

    word: str
    name: str | Promise
    help: str | Promise
    read: Callable[[Experience], float | None]
    scale: _Scale
    has_band: bool = False


KINDS = (
    _Kind(
        "value",
        gettext_lazy("Value"),
        gettext_lazy("critic, 0 to 1"),
        lambda e: e.value,
        _Scale(0, 1),
    ),
    _Kind(
        "advantage",
        gettext_lazy("Advantage"),
        gettext_lazy("above 0: better than expected"),
        lambda e: e.advantage,
        _Scale(0, 0.5, is_symmetric=True),
    ),
    _Kind(
        "perplexity",
        gettext_lazy("Perplexity"),
        gettext_lazy("of the action; shaded: may be replayed"),
        lambda e: e.perplexity,
        _Scale(1, 1.25),
        has_band=True,
    ),
    _Kind(
        "KL",
        "KL",
        gettext_lazy("log-ratio of the action, after to before training"),
        lambda e: e.log_ratio,
        _Scale(0, 0.5, is_symmetric=True),
    ),
)


def make_film(outlines: Sequence[StepOutline], training_id: int | None = None) -> Film:
    """Return the film with the numbers of the named training, else of the first."""
    runs = {e.training_run_id: e.training_run for o in outlines for e in o.experiences}
    trainings = [runs[key] for key in sorted(runs)]
    chosen = runs.get(training_id or 0) or next(iter(trainings), None)
    slowest = max((outline.milliseconds for outline in outlines), default=0.0)
    return Film(
        tiles=[_tile(outline, slowest) for outline in outlines],
        strips=make_strips(outlines, chosen) if chosen else [],
        training=chosen,
        trainings=trainings,
        slowest_ms=slowest,
    )


def make_strips(outlines: Sequence[StepOutline], training: TrainingRun) -> list[Strip]:
    """Return the strips for which any step has a number."""
    found = [
        (o.number, next((e for e in o.experiences if _is_of(e, training)), None))
        for o in outlines
    ]
    low, high = (training.config.get(f"perplexity_{end}") for end in ("low", "high"))
    band = (float(low), float(high)) if low and high else None
    strips = [_strip(kind, found, band if kind.has_band else None) for kind in KINDS]
    return [strip for strip in strips if any(cell.bar for cell in strip.cells)]


def _is_of(experience: Experience, training: TrainingRun) -> bool:
    return experience.training_run_id == training.pk


def _strip(
    kind: _Kind,
    found: Sequence[tuple[int, Experience | None]],
    band: tuple[float, float] | None = None,
) -> Strip:
    values = [(number, kind.read(e) if e else None) for number, e in found]
    low, high = kind.scale.range([value for _, value in values if value is not None])
    unit = STRIP_HEIGHT / (high - low)

    def place(value: float) -> float:
        return round((high - min(max(value, low), high)) * unit, 2)

    zero = place(kind.scale.base)
    cells = [
        Cell(number, None if value is None else _bar(value, place(value), zero))
        for number, value in values
    ]
    shaded = (
        (place(band[1]), round(place(band[0]) - place(band[1]), 2)) if band else None
    )
    name, text = str(kind.name), str(kind.help)
    return Strip(kind.word, name, text, _say(high), _say(low), zero, cells, shaded)


def _bar(value: float, y: float, zero: float) -> Bar:
    """Return a bar from the zero line; a number at the line keeps a thin one."""
    height = max(abs(y - zero), 1.0)
    is_low = y > zero
    top = zero if is_low else zero - height
    top = min(max(top, 0.0), STRIP_HEIGHT - height)
    return Bar(f"{value:.3f}", round(top, 2), round(height, 2), is_low)


def _say(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")


def _tile(outline: StepOutline, slowest_ms: float) -> Tile:
    mark, reason = describe_training(outline.experiences)
    return Tile(outline, mark, reason, list(_segments(outline, slowest_ms)))


def describe_training(experiences: Sequence[Experience]) -> tuple[str, str]:
    """Return the mark of a step, and in words what trainings made of it."""
    if not experiences:
        return "", gettext("No training has processed this step.")
    said = [
        f"phase {e.training_run.phase.number}: "
        + (
            gettext("trained on")
            if e.was_used
            else gettext("left out because %(left_out_reason)s")
            % {"left_out_reason": e.left_out_reason}
        )
        for e in experiences
    ]
    is_used = any(experience.was_used for experience in experiences)
    return "used" if is_used else "left", "; ".join(said)


def _segments(outline: StepOutline, slowest_ms: float) -> list[Segment]:
    segments, x = [], 0.0
    for name, ms in outline.parts:
        width = 100 * ms / slowest_ms if slowest_ms else 0.0
        segments.append(Segment(f"{name} {ms:.0f} ms", round(x, 2), round(width, 2)))
        x += width
    return segments
