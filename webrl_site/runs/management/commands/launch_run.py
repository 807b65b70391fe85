"""Make a run and open its first phase, from a preset or a JSON file.

The file holds what the API's `POST /api/runs/` takes: name, preset, config, seed,
auto_accept, policy_uri, critic_uri, orm_uri, served_uri, notes. The options go over
the file.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from curriculum.errors import WorkbenchError
from curriculum.models import Phase
from webrl_site.runs.config import PRESETS
from webrl_site.runs.launching import NewRunSerializer, make_run


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("file", type=Path, nargs="?", help="JSON")
        add("--preset", choices=sorted(PRESETS), help="what the file leaves unsaid")
        add("--name", help="of the run; unique")
        add("--seed", type=int, help="of everything that is drawn by lot")

    def handle(
        self,
        *args: object,
        file: Path | None,
        preset: str | None,
        name: str | None,
        seed: int | None,
        **options: object,
    ) -> None:
        if not file and not preset:
            raise CommandError("Name a file, or a preset with --preset.")
        values = _read_file(file) if file else {}
        given = {"preset": preset, "name": name, "seed": seed}
        values |= {key: value for key, value in given.items() if value is not None}
        kind, number = values.get("preset", "demo"), values.get("seed", 0)
        values.setdefault("name", f"{kind} seed {number}")
        form = NewRunSerializer(data=values | {"launch": True})
        if not form.is_valid():
            raise CommandError(json.dumps(form.errors))
        try:
            run = make_run(dict(form.validated_data), None)
        except WorkbenchError as error:
            raise CommandError(error.message) from None
        phase = Phase.objects.get(run=run)
        self.stdout.write(f"{phase} is on its way: ./webrl watch {phase.pk}")


def _read_file(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise CommandError(f"{path} cannot be read: {error}") from None
    if not isinstance(found, dict):
        raise CommandError(f"{path} must hold one JSON object.")
    return found
