"""Start a policy from demonstrations: SFT on those kept in a run, or on a file's rows.

A file has the rows of WebRL's published SFT data; each prompt is learnt as it stands.
The policy lies at `sft-NAME/policy`: name it as `policy_uri` when a run is launched.
"""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from curriculum.errors import WorkbenchError
from curriculum.models import Run
from training.models import SftTraining
from training.rl.launch import TrainingFailed
from training.rl.sft.config import SftConfig
from training.rl.webrl_config import WebRLConfig
from training.selectors.demonstrations import count_held_out
from training.services import (
    count_left_out,
    train_on_demonstrations,
    train_on_rows,
)
from webrl_site.management.training_names import ShowProgress, check_name
from webrl_site.runs.config import complete

NO_SOURCE = "Name --run RUN, or --rows FILE with --base ADDRESS."
NUMBERS = {"learning_rate": float, "epochs": int, "batch_size": int}


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("name", help="letters, digits, - and _")
        add("--run", type=int, help="whose demonstrations and settings")
        add("--rows", type=Path, metavar="FILE", help="rows instead of demonstrations")
        add("--base", help="policy it goes on from; the run's first if none is given")
        for number, kind in NUMBERS.items():
            add(f"--{number.replace('_', '-')}", type=kind, metavar="N")
        text = "also learn so many copies of each step, with other names and numbers"
        add("--copies", type=int, metavar="N", help=f"{text}; not of a file's rows")

    def handle(
        self,
        *args: object,
        name: str,
        run: int | None,
        rows: Path | None,
        base: str | None,
        learning_rate: float | None,
        epochs: int | None,
        batch_size: int | None,
        copies: int | None,
        **options: object,
    ) -> None:
        row = _find_run(run)
        base_uri = base or (row.policy_uri if row else "")
        if not base_uri:
            raise CommandError(NO_SOURCE)
        numbers: dict[str, Any] = {
            "learning_rate": learning_rate,
            "epochs": epochs,
            "batch_size": batch_size,
        }
        given = {key: value for key, value in numbers.items() if value is not None}
        progress = ShowProgress(sys.stderr)
        try:
            settings: dict[str, Any] = {
                "name": check_name(name),
                "base_uri": base_uri,
                "sft": SftConfig(**given),
                "algorithm": _read_algorithm(row, copies),
                "seed": row.seed if row else 0,
                "on_progress": progress,
            }
            made = self._train(row, rows, settings)
        except WorkbenchError as error:
            raise CommandError(error.message) from None
        except (TrainingFailed, ValueError) as error:
            raise CommandError(str(error)) from None
        finally:
            progress.end()
        said = f"Learnt {_count(made.step_count, 'step')} of "
        said += rows.name if rows else _name_demonstrations(made)
        passes = " -> ".join(f"{loss:.3f}" for loss in made.losses)
        self.stdout.write(f"{said}; mean loss by pass: {passes}.")
        self.stdout.write(f"sft-{made.name}/policy is ready.")

    def _train(
        self, run: Run | None, rows: Path | None, settings: dict[str, Any]
    ) -> SftTraining:
        if rows is not None:
            return train_on_rows(path=rows, **settings)
        if run is None:
            raise CommandError(NO_SOURCE)
        self._tell_left_out(run.pk)
        made = train_on_demonstrations(run_id=run.pk, **settings)
        if too_long := count_left_out(made):
            self.stderr.write(
                f"Left out: {_count(too_long, 'step')} with an answer longer than "
                "max_action_tokens."
            )
        return made

    def _tell_left_out(self, run_id: int) -> None:
        left_out = count_held_out(run_id)
        if left_out:
            self.stderr.write(
                f"Left out: {left_out} kept of validation or test tasks, or of tasks "
                "that resemble a test task. They are never learnt from."
            )


def _name_demonstrations(made: SftTraining) -> str:
    copies = made.config["algorithm"]["augmented_copies"]
    said = _count(made.trajectories.count(), "demonstration")
    return f"{said} with {copies} copies of each step" if copies else said


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _read_algorithm(run: Run | None, copies: int | None) -> dict[str, Any]:
    """The run's numbers, or the paper's, with the chosen number of copies."""
    found: dict[str, Any] = complete(run.config if run else {})["algorithm"]
    if copies is None:
        return found
    # Values out of range are refused here.
    return dataclasses.asdict(WebRLConfig(**{**found, "augmented_copies": copies}))


def _find_run(number: int | None) -> Run | None:
    if number is None:
        return None
    row = Run.objects.filter(pk=number).first()
    if row is None:
        raise CommandError(f"There is no run {number}.")
    return row
