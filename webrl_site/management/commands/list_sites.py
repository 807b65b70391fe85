"""Name the sites, how many tasks each has, and those that could be added."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand
from django.db.models import Count

from curriculum.models import Site
from rollouts.sandbox.sites import ADDABLE


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        rows = Site.objects.annotate(count=Count("tasks")).order_by("key")
        for site in rows:
            where = f", {site.base_url or 'no address yet'}"
            where = where if site.kind == Site.Kind.EXTERNAL else ""
            self.stdout.write(f"{site.key:<16}{site.name}, {site.count} tasks{where}")
        here = {site.key for site in rows}
        for missing in (site for site in ADDABLE if site.key not in here):
            key, name = missing.key, missing.name
            self.stdout.write(f"{key:<16}{name}, not here: ./webrl site add {key}")
