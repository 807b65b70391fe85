"""Sites of imported episodes: existing ones, or new ones without an address."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import TextField, Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce

from curriculum.models import Run, Site, Task
from curriculum.task_files.suites import KNOWN_SITES, KnownSite

# The site of tasks whose own site is not known.
NO_SITE = "imported"


def find_or_make_site(*, key: str) -> tuple[Site, bool]:
    """Return the site of this key, and whether it is new.

    A new one has no address, so no run uses it. Keys that differ in case have the same
    placeholder and are of one site.
    """
    site = _describe_site(key or NO_SITE)
    found = (
        Site.objects.filter(key=site.key).first()
        or Site.objects.filter(placeholder=site.placeholder).first()
    )
    if found is not None:
        return found, False
    # If somebody has made it since, theirs stays as it is.
    return Site.objects.get_or_create(
        key=site.key,
        defaults={
            "name": site.name,
            "kind": Site.Kind.EXTERNAL,
            "description": site.description,
            "placeholder": site.placeholder,
        },
    )


def _describe_site(key: str) -> KnownSite:
    """Return what a new site of this key is called."""
    if key in KNOWN_SITES:
        return KNOWN_SITES[key]
    name = "Imported episodes" if key == NO_SITE else key
    return KnownSite(key, name, description="")


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
