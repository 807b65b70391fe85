"""Sites of imported episodes: existing ones, or new ones without an address."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import TextField, Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce

from curriculum.models import Run, Site, Task
from curriculum.services.sites import make_known_sites, register_sites
from curriculum.task_files.suites import KNOWN_SITES

# The site of tasks whose own site is not known.
NO_SITE = "imported"


def find_or_make_site(*, key: str) -> tuple[Site, bool]:
    """Return the site of this key, and whether it is new.

    A new one has no address, so no run uses it.
    """
    key = key or NO_SITE
    found = Site.objects.filter(key=key).first()
    if found is not None:
        return found, False
    sites = make_known_sites(keys=[key] if key in KNOWN_SITES else [])
    if not sites:
        placeholder = f"__{key.upper()}__"[:40]
        name = "Imported episodes" if key == NO_SITE else key
        sites = [
            Site(
                key=key,
                name=name[:100],
                kind=Site.Kind.EXTERNAL,
                placeholder=placeholder,
            )
        ]
    register_sites(sites=sites)
    return Site.objects.get(key=key), True


def drop_imported_sites(*, keys: Collection[str]) -> None:
    """Delete sites that an import made, unless something uses them by now."""
    made = Site.objects.filter(key__in=keys)
    # A task that is written meanwhile holds its site: wait for it.
    list(made.select_for_update().values_list("pk", flat=True))
    unused = made.filter(base_url="", tasks=None, instances=None)
    for site in unused:
        if not _is_named(site.key):
            site.delete()


def _is_named(key: str) -> bool:
    """Say whether a task on several sites or a run's settings name the site."""
    text = Cast(KeyTextTransform("sites", "spec"), TextField())
    named = Task.objects.annotate(named=Coalesce(text, Value("", TextField())))
    if named.filter(named__contains=f'"{key}"').exists():
        return True
    settings = Run.objects.values_list("config__curriculum__sites", flat=True)
    return any(key in (keys or ()) for keys in settings)
