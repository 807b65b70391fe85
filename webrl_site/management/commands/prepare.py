"""Bring the database, the sites, their tasks and the roles up to date.

For deployments whose processes are started by systemd or as containers; `./webrl up`
takes the same steps. Safe to repeat.
"""

from __future__ import annotations

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand

STEPS = ("check_database", "migrate", "load_sandbox", "create_roles")


class Command(BaseCommand):
    help = __doc__
    # They would read the database before it is checked.
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        for step in STEPS:
            answers = {"interactive": False} if step == "migrate" else {}
            call_command(step, **answers, stdout=self.stdout, stderr=self.stderr)
