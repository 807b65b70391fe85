"""The generator that `TASK_GENERATOR` names for a local checkpoint."""

from __future__ import annotations

from django.conf import settings
from django.utils.module_loading import import_string

from curriculum.evolution.types import TaskGenerator
from curriculum.rules.checkpoints import resolve_checkpoint

# By its path: torch is loaded only when a job needs the generator.
LOADER = "training.rl.pretrained.instruction_model.load_instruction_model"


def open_local_generator() -> TaskGenerator:
    """Return the generator and judge at GENERATOR_CHECKPOINT.

    Raises:
        CheckpointError: There are no readable weights at that path.
    """
    folder = resolve_checkpoint(settings.GENERATOR_CHECKPOINT)
    generator: TaskGenerator = import_string(LOADER)(folder)
    return generator
