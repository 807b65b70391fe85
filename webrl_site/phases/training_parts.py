"""A training's progress by part; each part has its own unit."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext, gettext_lazy

from training.models import TrainingRun

# The parts in their order (`training.rl.phase.trainer`, `training.rl.orm.trainer`).
PHASE_PARTS = {
    "critic": gettext_lazy("critic"),
    "values": gettext_lazy("values of all steps"),
    "reference": gettext_lazy("probabilities under the old policy"),
    "policy": gettext_lazy("policy"),
    "ratios": gettext_lazy("probabilities under the new policy"),
}
ORM_PARTS = {
    "before": gettext_lazy("reward model, measured before"),
    "orm": gettext_lazy("reward model"),
    "after": gettext_lazy("reward model, measured after"),
}
UPDATING = ("critic", "policy", "orm")


@dataclasses.dataclass(frozen=True, slots=True)
class PartProgress:
    """What a stage shows of its training.

    Attributes:
        done, total: In `unit`; total is None while it is unknown.
        note: Which part it is, or what it waits for.
        per_minute, seconds_left: Of the part; None if no worker has it.
        is_part: Whether other parts come after it.
    """

    done: int
    total: int | None
    unit: str
    note: str = ""
    per_minute: float | None = None
    seconds_left: float | None = None
    is_part: bool = False


def read_parts(
    training: TrainingRun | None, config: Mapping[str, Any], *, is_current: bool
) -> PartProgress:
    """Return the training's progress; `config` is the run's present configuration.

    A training with other numbers will be discarded by the next worker, so that
    nothing of it counts as done.
    """
    waits = gettext("waits for a worker") if is_current else ""
    if training is None or (
        is_current and training.config != config.get("algorithm", {})
    ):
        return PartProgress(0, None, gettext("updates"), waits)
    progress = training.progress or {}
    key = str(progress.get("stage") or "")
    shown = PartProgress(
        done=int(progress.get("done") or 0),
        total=int(progress["total"]) if progress.get("total") else None,
        unit=_name_unit(key),
    )
    if training.status == TrainingRun.Status.FINISHED:
        return shown
    if training.status != TrainingRun.Status.RUNNING or not is_current:
        return dataclasses.replace(shown, note=waits)
    return _look_ahead(shown, key, progress, list_parts(config))


def list_parts(config: Mapping[str, Any]) -> list[str]:
    """Return the parts that the training of a phase goes through."""
    orm = config.get("orm", {})
    learns = orm.get("learn_from_people") or orm.get("learn_from_evaluators")
    return [*PHASE_PARTS, *(ORM_PARTS if learns else ())]


def _look_ahead(
    shown: PartProgress, key: str, progress: Mapping[str, Any], parts: list[str]
) -> PartProgress:
    if key not in parts:
        return dataclasses.replace(shown, note=gettext("starting"))
    left = progress.get("seconds_left")
    todo = (shown.total or 0) - shown.done
    return dataclasses.replace(
        shown,
        note=gettext("part %(number)s of %(count)s: %(name)s")
        % {
            "number": parts.index(key) + 1,
            "count": len(parts),
            "name": (PHASE_PARTS | ORM_PARTS)[key],
        },
        per_minute=60 * todo / left if left and todo > 0 else None,
        seconds_left=left,
        is_part=key != parts[-1],
    )


def _name_unit(key: str) -> str:
    if key in UPDATING or key not in PHASE_PARTS | ORM_PARTS:
        return gettext("updates")
    return gettext("episodes") if key in ORM_PARTS else gettext("steps")
