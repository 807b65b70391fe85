"""Name the weights that a run can start from: brought, trained here, or cloned."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from training.selectors.checkpoints import list_starting_weights


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        for row in list_starting_weights():
            size = f"{row.parameter_count:,}" if row.parameter_count else "?"
            self.stdout.write(f"{row.uri:<28} {row.kind:<7} {size:>12} weights")
