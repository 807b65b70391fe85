"""Phases as users name them in the shell, and as `./webrl runs` lists them."""

from __future__ import annotations

from django.core.management.base import CommandError
from django.db.models import Q

from curriculum.models import Phase

HELP = "its number, or RUN/NUMBER, as `./webrl runs` lists them"


def find_phase(word: str | int) -> Phase:
    """Return the phase of this name: 7, or 3/2 and first-light/2 in its run.

    Raises:
        CommandError: There is none, or the name has another form.
    """
    run, slash, number = str(word).strip().rpartition("/")
    if not _is_number(number) or bool(slash) != bool(run):
        raise CommandError(f"{word!r} is no phase: write its number, or RUN/NUMBER.")
    phases = Phase.objects.select_related("run")
    if not slash:
        found = phases.filter(pk=int(number)).first()
    else:
        named = Q(run__name=run)
        if _is_number(run):
            named |= Q(run=int(run))
        # A run whose name is another run's number takes precedence.
        rows = phases.filter(named, number=int(number)).order_by("run_id")
        found = next(iter(sorted(rows, key=lambda row: row.run.name != run)), None)
    if found is None:
        raise CommandError(f"There is no phase {word}: `./webrl runs` lists them.")
    return found


def _is_number(text: str) -> bool:
    """Whether the database can search for the number."""
    return text.isascii() and text.isdigit() and len(text) < 10
