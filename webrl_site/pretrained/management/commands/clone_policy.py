"""Clone a pretrained model: it learns what a scripted solver does on five sites.

It lies at `clone-NAME/policy`: name it as `policy_uri` when a run is launched. Asked
again after a stop, it goes on with the episodes and checkpoints that are there.
"""

from __future__ import annotations

import dataclasses
import json
import signal
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from curriculum.errors import WorkbenchError
from curriculum.object_store.publishing import publish_checkpoint
from curriculum.rules.checkpoints import resolve_checkpoint
from training.models import Checkpoint
from training.rl.launch import Launcher, TrainingFailed, TrainingStopped
from training.rl.sft.careful_config import (
    CLONING_ALGORITHM,
    CLONING_SFT,
    CarefulConfig,
)
from training.rl.sft.config import SftConfig
from training.rl.training_data import RESULT, SPEC, name_weights, write_text
from training.rl.webrl_config import WebRLConfig
from training.services import register_checkpoint
from webrl_site.management.training_names import ShowProgress, check_name

# It plays in browsers first, which several processes would all do.
CLONE = Launcher("sft.careful", is_parallel=False)
NUMBERS: dict[str, type[int] | type[float]] = {
    "per_template": int,
    "max_steps": int,
    "epochs": int,
    "batch_size": int,
    "learning_rate": float,
    "lora_rank": int,
}


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("name", help="letters, digits, - and _")
        add("--base", default="smollm2/base", help="what it goes on from")
        add("--site", action="append", dest="sites", help="only these; may be repeated")
        for number, kind in NUMBERS.items():
            add(f"--{number.replace('_', '-')}", type=kind, metavar="N")

    def handle(self, *args: Any, **options: Any) -> None:
        name = check_name(options["name"])
        folder = Path(settings.CHECKPOINTS_DIR) / f"clone-{name}"
        progress, stop = ShowProgress(sys.stderr), _StopOnSignal()
        try:
            _prepare(folder, options)
            CLONE(
                folder,
                threads=settings.TRAINING_THREADS,
                on_progress=progress,
                should_stop=stop,
            )
            result = json.loads((folder / RESULT).read_text())
            publish_checkpoint(f"clone-{name}/policy")
            register_checkpoint(
                uri=f"clone-{name}/policy",
                kind=Checkpoint.Kind.POLICY,
                parent_uri=options["base"],
                parameter_count=result["parameter_count"],
            )
        except WorkbenchError as error:
            raise CommandError(error.message) from None
        except (TrainingFailed, TrainingStopped, ValueError) as error:
            raise CommandError(str(error)) from None
        finally:
            progress.end()
        passes = " -> ".join(f"{loss:.3f}" for loss in result["losses"])
        self.stdout.write(f"Learnt {result['steps']} steps; loss by pass: {passes}.")
        self.stdout.write(f"clone-{name}/policy is ready.")


class _StopOnSignal:
    """True once TERM or Ctrl-C has arrived."""

    def __init__(self) -> None:
        self.asked = False
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._ask)

    def _ask(self, *_: Any) -> None:
        self.asked = True

    def __call__(self) -> bool:
        return self.asked


def _prepare(folder: Path, options: dict[str, Any]) -> None:
    """Write the specification, or refuse another one under the same name.

    Raises:
        CommandError: The folder was begun with other numbers.
        CheckpointError: The base cannot be read.
        ValueError: A number is out of range.
    """
    base = resolve_checkpoint(options["base"])
    spec = json.dumps(_build_spec(folder, base, options), indent=1)
    path = folder / SPEC
    if path.exists() and path.read_text() != spec:
        raise CommandError(
            f"{folder.name} was begun with other numbers; choose another name."
        )
    folder.mkdir(parents=True, exist_ok=True)
    write_text(path, spec)


def _build_spec(folder: Path, base: str, options: dict[str, Any]) -> dict[str, Any]:
    careful = CarefulConfig(**_given(options, ("sites", "per_template", "max_steps")))
    numbers = _given(options, ("learning_rate", "epochs", "batch_size"))
    sft = SftConfig(**(CLONING_SFT | numbers))
    algorithm = WebRLConfig(**(CLONING_ALGORITHM | _given(options, ("lora_rank",))))
    return {
        "base": name_weights(folder, base),
        "seed": careful.seed,
        "demonstrations": dataclasses.asdict(careful),
        "sft": dataclasses.asdict(sft),
        "algorithm": dataclasses.asdict(algorithm),
    }


def _given(options: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: options[name] for name in names if options[name] is not None}
