"""TensorBoard, W&B and MLflow through transformers' own callbacks.

The environment variable TRACKERS names them; without it nothing is sent anywhere. A
tracker that is not installed, does not answer or fails is ignored with one line in the
log: the workbench writes the metrics that it shows itself and needs no tracker.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence

from transformers import (
    TrainerCallback,
    TrainerControl,
    TrainerState,
    TrainingArguments,
)

log = logging.getLogger(__name__)

# What TRACKERS may name, and the callback of transformers for each.
CALLBACKS = {
    "tensorboard": "TensorBoardCallback",
    "wandb": "WandbCallback",
    "mlflow": "MLflowCallback",
}


class HarmlessTracker(TrainerCallback):
    """Passes the trainer's events on until the tracker fails once."""

    def __init__(self, name: str, tracker: TrainerCallback) -> None:
        """Wrap a callback that may raise."""
        self._name, self._tracker = name, tracker
        self.has_failed = False

    def _pass_on(self, event: str, *given: object, **more: object) -> None:
        if self.has_failed:
            return
        try:
            getattr(self._tracker, event)(*given, **more)
        except Exception as error:  # noqa: BLE001 (whatever a client raises)
            self.has_failed = True
            log.warning("%s is left alone: %s", self._name, error)

    def on_train_begin(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        **more: object,
    ) -> None:
        """Open the tracker's run."""
        self._pass_on("on_train_begin", args, state, control, **more)

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        **more: object,
    ) -> None:
        """Send an optimiser step's numbers."""
        self._pass_on("on_log", args, state, control, **more)

    def on_train_end(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        **more: object,
    ) -> None:
        """Close the tracker's run."""
        self._pass_on("on_train_end", args, state, control, **more)


def make_trackers(names: Sequence[str] | None = None) -> list[TrainerCallback]:
    """Return the available trackers, of those named or those in TRACKERS."""
    if names is None:
        names = os.environ.get("TRACKERS", "").replace(",", " ").split()
    found = [(name, _open_tracker(name)) for name in names]
    return [HarmlessTracker(name, one) for name, one in found if one is not None]


def _open_tracker(name: str) -> TrainerCallback | None:
    from transformers import integrations

    if name not in CALLBACKS:
        log.warning("TRACKERS knows %s, not %r.", ", ".join(CALLBACKS), name)
        return None
    try:
        made: TrainerCallback = getattr(integrations, CALLBACKS[name])()
    except Exception as error:  # noqa: BLE001 (missing, or broken where it is)
        log.warning("%s is left alone: %s", name, error)
        return None
    return made
