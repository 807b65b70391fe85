"""Choose the reward model that judges the phase after this one."""

from __future__ import annotations

from django.core.management.base import BaseCommand, CommandError, CommandParser

from curriculum.errors import WorkbenchError
from curriculum.services import set_next_orm
from training.models import OrmTraining
from webrl_site.management.phases import HELP, find_phase


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="as given to train_orm, or an address")
        parser.add_argument("phase", help=f"the run's newest: {HELP}")

    def handle(self, *args: object, name: str, phase: str, **options: object) -> None:
        phase_id = find_phase(phase).pk
        known = OrmTraining.objects.filter(name=name, checkpoint__isnull=False)
        uri = known.values_list("checkpoint__uri", flat=True).first() or name
        try:
            set_next_orm(phase_id=phase_id, uri=uri)
        except WorkbenchError as error:
            raise CommandError(error.message) from None
        self.stdout.write(f"The phase after {phase_id} is judged by {uri}.")
