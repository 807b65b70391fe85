"""Write finished episodes, their steps and rows for SFT as a Hugging Face dataset."""

from __future__ import annotations

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser

from rollouts.interchange.dataset import write_dataset
from rollouts.interchange.episodes import EpisodeFileError
from webrl_site.exports.episodes import read_for_dataset
from webrl_site.exports.filters import read_words


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("folder", type=Path, help="empty, or not there yet")
        add("filters", nargs="*", metavar="NAME=VALUE", help="as in the list's address")
        add("--title", default="", help="of the card; the folder's name otherwise")

    def handle(
        self,
        *args: object,
        folder: Path,
        filters: list[str],
        title: str,
        **options: object,
    ) -> None:
        chosen = read_words("trajectories", filters)
        try:
            rows = write_dataset(
                folder, read_for_dataset(**chosen), title or folder.name
            )
        except (EpisodeFileError, OSError, ImportError) as error:
            raise CommandError(str(error)) from None
        for (table, split), count in rows.items():
            self.stdout.write(f"{table}/{split}.parquet: {count} rows")
        self.stdout.write(f"Look through {folder / 'README.md'} before you publish it.")
