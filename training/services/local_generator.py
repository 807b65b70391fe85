"""The generator that `TASK_GENERATOR` names for a checkpoint of this machine."""

from __future__ import annotations

from django.conf import settings
from django.utils.module_loading import import_string

from curriculum.evolution.types import TaskGenerator
from curriculum.rules.checkpoints import resolve_checkpoint

# By its path: torch is loaded where a job asks for the generator, and not before.
LOADER = "training.rl.pretrained.instruction_model.load_instruction_model"


def open_local_generator() -> TaskGenerator:
    """Return the generator and judge at GENERATOR_CHECKPOINT.

    Raises:
        CheckpointError: Nothing readable lies there.
    """
    folder = resolve_checkpoint(settings.GENERATOR_CHECKPOINT)
    generator: TaskGenerator = import_string(LOADER)(folder)
    return generator
