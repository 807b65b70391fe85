"""Start a policy from what people demonstrated in a run: SFT on the kept ones.

It lies at `sft-NAME/policy`: name it as `policy_uri` when a run is launched.
"""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from curriculum.errors import WorkbenchError
from curriculum.models import Run
from training.rl.launch import TrainingFailed
from training.rl.sft.config import SftConfig
from training.selectors.demonstrations import count_held_out
from training.services import train_on_demonstrations
from webrl_site.management.training_names import ShowProgress, check_name
from webrl_site.runs.config import complete

NUMBERS = {"learning_rate": float, "epochs": int, "batch_size": int}


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("name", help="letters, digits, - and _")
        add("--run", type=int, required=True, help="whose demonstrations and settings")
        add("--base", help="policy it goes on from; the run's first if none is given")
        for number, kind in NUMBERS.items():
            add(f"--{number.replace('_', '-')}", type=kind, metavar="N")

    def handle(
        self,
        *args: object,
        name: str,
        run: int,
        base: str | None,
        learning_rate: float | None,
        epochs: int | None,
        batch_size: int | None,
        **options: object,
    ) -> None:
        row = Run.objects.filter(pk=run).first()
        if row is None:
            raise CommandError(f"There is no run {run}.")
        numbers: dict[str, Any] = {
            "learning_rate": learning_rate,
            "epochs": epochs,
            "batch_size": batch_size,
        }
        given = {key: value for key, value in numbers.items() if value is not None}
        self._tell_left_out(row.pk)
        progress = ShowProgress(sys.stderr)
        try:
            made = train_on_demonstrations(
                name=check_name(name),
                run_id=row.pk,
                base_uri=base or row.policy_uri,
                sft=SftConfig(**given),
                algorithm=complete(row.config)["algorithm"],
                seed=row.seed,
                on_progress=progress,
            )
        except WorkbenchError as error:
            raise CommandError(error.message) from None
        except (TrainingFailed, ValueError) as error:
            raise CommandError(str(error)) from None
        finally:
            progress.end()
        episodes = made.trajectories.count()
        said = f"Learnt {made.step_count} steps of {episodes} demonstrations"
        passes = " -> ".join(f"{loss:.3f}" for loss in made.losses)
        self.stdout.write(f"{said}; mean loss by pass: {passes}.")
        self.stdout.write(f"sft-{made.name}/policy is ready.")

    def _tell_left_out(self, run_id: int) -> None:
        left_out = count_held_out(run_id)
        if left_out:
            self.stderr.write(
                f"Left out: {left_out} kept of validation or test tasks, which "
                "measure policies and are never learnt from."
            )
