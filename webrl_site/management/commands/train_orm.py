"""Train a reward model on what people say of episodes, with a run's settings.

It lies at `orm-NAME/orm`: name it when a run is launched, or choose it for the next
phase of one with `use_orm`.
"""

from __future__ import annotations

import sys

from django.core.management.base import BaseCommand, CommandError, CommandParser

from curriculum.errors import WorkbenchError
from curriculum.models import Run
from training.rl.launch import TrainingFailed
from training.rl.orm.config import OrmConfig
from training.services import train_reward_model
from webrl_site.management.training_names import ShowProgress, check_name
from webrl_site.runs.config import complete


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("name", help="letters, digits, - and _")
        add("--run", type=int, required=True, help="whose settings are used")
        add("--base", help="address it goes on from; the run's newest if none is given")
        add("--only-run", action="store_true", help="only the run's own episodes")

    def handle(
        self,
        *args: object,
        name: str,
        run: int,
        base: str | None,
        only_run: bool,
        **options: object,
    ) -> None:
        row = Run.objects.filter(pk=run).first()
        if row is None:
            raise CommandError(f"There is no run {run}.")
        config = complete(row.config)
        progress = ShowProgress(sys.stderr)
        try:
            made = train_reward_model(
                name=check_name(name),
                base_uri=base or _newest(row),
                orm=OrmConfig(**config["orm"]),
                algorithm=config["algorithm"],
                seed=row.seed,
                run_id=row.pk if only_run else None,
                on_progress=progress,
            )
        except WorkbenchError as error:
            raise CommandError(error.message) from None
        except TrainingFailed as error:
            raise CommandError(str(error)) from None
        finally:
            progress.end()
        for site, one in made.accuracy.items():
            self.stdout.write(
                f"{site or 'all sites'}: {one['before']:.0%} -> {one['after']:.0%} of "
                f"{one['n']:.0f} held-out episodes"
            )
        self.stdout.write(f"orm-{made.name}/orm is ready.")


def _newest(run: Run) -> str:
    last = run.phases.order_by("number").last()
    return (last.next_orm_uri or last.orm_uri) if last else run.orm_uri
