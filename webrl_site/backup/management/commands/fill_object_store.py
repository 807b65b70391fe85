"""Copy recorded pages and registered weights of this data folder to OBJECT_STORE.

May be repeated: what is there stays. Stop the workers first, or run it once more after
they have ended.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from curriculum.errors import WorkbenchError
from curriculum.object_store.store import open_store
from webrl_site.backup.files import ARTIFACTS, publish_all, upload_artifacts


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--anew",
            action="store_true",
            help="write weights over those that are there and may be damaged",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        store = open_store()
        if store is None:
            raise CommandError("Set OBJECT_STORE first; see docs/configuration.md.")
        try:
            pages = upload_artifacts(Path(settings.DATA_DIR) / ARTIFACTS, store)
            weights = publish_all(anew=options["anew"])
        except WorkbenchError as error:
            raise CommandError(error.message) from None
        self.stdout.write(f"{pages} artifacts and {weights} checkpoints are there.")
