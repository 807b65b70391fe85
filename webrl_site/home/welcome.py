"""What is remembered of a person's first visits. The only writer of `Welcome`."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.utils import timezone

from webrl_site.models import Welcome


def end_tour(user: User) -> None:
    """Stop showing the tour automatically."""
    _write(user, "tour_ended_at")


def restart_tour(user: User) -> None:
    """Show the tour at the next visit of Home, as at the first."""
    Welcome.objects.filter(user=user).update(tour_ended_at=None)


def hide_steps(user: User) -> None:
    """Stop showing the first steps on Home; Help keeps them."""
    _write(user, "steps_hidden_at")


def note_replay(user: User) -> None:
    """Remember that the person has opened a replay."""
    _write(user, "replay_opened_at")


def _write(user: User, moment: str) -> None:
    """Record the present time, unless a time is recorded already."""
    Welcome.objects.get_or_create(user=user)
    empty = Welcome.objects.filter(user=user, **{f"{moment}__isnull": True})
    empty.update(**{moment: timezone.now()})
