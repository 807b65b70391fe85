"""Name the sites, how many tasks each has, and those that could be added."""

from __future__ import annotations

from django.core.management.base import BaseCommand

from curriculum.models import Site
from curriculum.selectors.pools import list_instances
from curriculum.selectors.sites import describe_sites
from rollouts.sites.kit.sites import ADDABLE


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: object, **options: object) -> None:
        instances = list_instances()
        views = sorted(describe_sites(), key=lambda one: one.site.key)
        for one in views:
            site = one.site
            where = f", {site.base_url or 'no address yet'}"
            more = len(instances.get(site.key, ())) - 1
            where += f" and {more} more instances" if more > 0 else ""
            where = where if site.kind == Site.Kind.EXTERNAL else ""
            count = f"{one.used} tasks in use"
            count += (
                f", {one.others} filtered out, rejected or waiting"
                if one.others
                else ""
            )
            self.stdout.write(f"{site.key:<16}{site.name}, {count}{where}")
        here = {one.site.key for one in views}
        for missing in (site for site in ADDABLE if site.key not in here):
            key, name = missing.key, missing.name
            self.stdout.write(f"{key:<16}{name}, not here: ./webrl site add {key}")
