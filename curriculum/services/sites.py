"""Sites that tasks may name."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from curriculum.models import Site


@transaction.atomic
def register_sites(*, sites: Sequence[Site]) -> None:
    """Write sites down by key; those that exist get the new names and texts."""
    Site.objects.bulk_create(
        sites,
        update_conflicts=True,
        unique_fields=["key"],
        update_fields=["name", "description", "placeholder", "base_url"],
    )
