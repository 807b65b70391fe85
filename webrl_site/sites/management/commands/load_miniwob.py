"""Register MiniWoB++ and its tasks, once `./webrl site add` has brought the pages."""

from __future__ import annotations

import functools

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from curriculum.errors import WorkbenchError
from rollouts.browser.errors import EpisodeBroken
from rollouts.sites.sandbox.miniwob_goals import collect_goals
from webrl_site.sites.miniwob import load_miniwob


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: object, **options: object) -> None:
        browser = settings.BROWSER_EXECUTABLE or None
        try:
            report = load_miniwob(functools.partial(collect_goals, executable=browser))
        except WorkbenchError as error:
            raise CommandError(error.message) from None
        except EpisodeBroken as error:
            raise CommandError(str(error)) from None
        for page, why in report.failed.items():
            self.stdout.write(f"{page} does not start: {why}")
        self.stdout.write(
            f"MiniWoB++: {report.pages} pages, {report.tasks.total} tasks "
            f"({report.tasks.created} new)."
        )
