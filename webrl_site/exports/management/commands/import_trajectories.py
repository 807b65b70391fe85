"""Import episodes that others recorded, as trajectories that can be replayed.

A dataset of `./webrl trajectories export`, a result folder of VisualAgentBench or of
BrowserGym's experiments (AgentLab's studies), or a file of WebRL's rows for SFT.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from curriculum.errors import WorkbenchError
from rollouts.interchange.episodes import EpisodeFileError
from rollouts.interchange.formats import READERS, recognise
from rollouts.services.imported.episodes import import_episodes
from webrl_site.runs.config import RunConfig


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("path", type=Path, help="a folder or file")
        add("--name", default="", help="of the run; a dataset names its own")
        add("--format", choices=list(READERS), help="where the files do not say it")
        add("--policy", default="", help="name of who acted")
        add("--config", type=Path, help="JSON: the settings of the runs, by section")

    def handle(
        self,
        *args: object,
        path: Path,
        name: str,
        format: str | None,
        policy: str,
        config: Path | None,
        **options: object,
    ) -> None:
        try:
            said = _read_settings(config) if config else {}
            kind = format or recognise(path)
            report = import_episodes(
                episodes=READERS[kind](path, policy),
                source=kind,
                name=name or ("" if kind == "dataset" else path.resolve().name),
                settings=said,
            )
        except WorkbenchError as error:
            raise CommandError(error.message) from None
        except (EpisodeFileError, ImportError) as error:
            raise CommandError(str(error)) from None
        self.stdout.write(
            f"{report.episodes} episodes with {report.steps} steps and "
            f"{report.pictures} pictures imported ({kind})."
        )
        known, made = len(report.known), len(report.made.tasks)
        self.stdout.write(f"{known} of their tasks were here, {made} are new.")
        for run in report.runs:
            self.stdout.write(f"Run: {run}")


def _read_settings(file: Path) -> Mapping[str, Any]:
    """Return the file's settings, if they are a valid configuration.

    Raises:
        CommandError: The file cannot be read.
        WorkbenchError: It names no setting, or a value that none can have.
    """
    try:
        said: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise CommandError(f"{file} is not JSON that can be read: {error}") from None
    RunConfig.parse(said)
    return said
