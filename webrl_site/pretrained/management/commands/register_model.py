"""Write down a pretrained model that `./webrl model add` has brought."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from curriculum.errors import CheckpointError
from curriculum.object_store.publishing import publish_checkpoint
from curriculum.rules.checkpoints import resolve_checkpoint
from training.models import Checkpoint
from training.services import register_checkpoint


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("key", help="as given to `./webrl model add`")

    def handle(self, *args: Any, **options: Any) -> None:
        uri = f"{options['key']}/base"
        try:
            publish_checkpoint(uri)
            made = _read_made(resolve_checkpoint(uri))
            register_checkpoint(
                uri=uri,
                kind=Checkpoint.Kind.POLICY,
                parameter_count=made.get("parameter_count"),
            )
        except CheckpointError as error:
            raise CommandError(error.message) from None
        title, licence = made.get("title", uri), made.get("licence", "unknown")
        self.stdout.write(f"{title} is at {uri} (licence {licence}).")


def _read_made(directory: str) -> dict[str, Any]:
    try:
        made = json.loads((Path(directory) / "manifest.json").read_text())["made"]
    except (OSError, ValueError, KeyError) as error:
        text = f"{directory} has no readable manifest.json: {error}"
        raise CheckpointError(text) from None
    return dict(made)
