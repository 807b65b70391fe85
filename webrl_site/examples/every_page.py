"""The address of every page, from the URLconf and the existing rows.

A new page is in this list as soon as it has an address. If an address needs a
parameter that no other has, add a row for it to `EXAMPLES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, URLResolver, get_resolver, reverse

from curriculum.models import (
    Flag,
    Guideline,
    Phase,
    Review,
    ReviewBatch,
    Run,
    Site,
    Task,
)
from rollouts.models import Takeover, Trajectory
from training.models import Checkpoint, TrainingRun
from webrl_site.models import ApiToken

# Django's own pages, what programs read, the files that MkDocs builds, and
# Playwright's viewer of traces.
FOREIGN = ("admin", "api", "docs", "metrics", "trace")


class NoExample(Exception):
    """An address has a parameter that `EXAMPLES` does not know."""


def _finished(**fields: object) -> QuerySet[Trajectory]:
    rows = Trajectory.objects.filter(status="finished", steps__isnull=False, **fields)
    return rows.order_by("pk")


def _phases(status: str) -> QuerySet[Phase]:
    return Phase.objects.filter(status=status).order_by("-pk")


def _pair() -> tuple[int, int]:
    """Return two episodes of one task."""
    left = _finished(outcome=True)[0]
    right = _finished(task=left.task_id).exclude(pk=left.pk).first()
    return left.pk, (right or left).pk


def _first(rows: QuerySet[Any]) -> int | None:
    row = rows.first()
    return None if row is None else row.pk


EXAMPLES: dict[str, Callable[[], Any]] = {
    "task_id": lambda: _first(Task.objects.filter(parent__isnull=False)),
    "run_id": lambda: _first(Run.objects.order_by("pk")),
    "phase_id": lambda: _first(_phases("review")),
    "site_id": lambda: _first(Site.objects.all()),
    "trajectory_id": lambda: _first(_finished(outcome=True)),
    "left_id": lambda: _pair()[0],
    "right_id": lambda: _pair()[1],
    "number": lambda: 2,
    "takeover_id": lambda: _first(Takeover.objects.order_by("-pk")),
    "checkpoint_id": lambda: _first(Checkpoint.objects.all()),
    "training_id": lambda: _first(TrainingRun.objects.all()),
    "token_id": lambda: _first(ApiToken.objects.all()),
    "review_id": lambda: _first(Review.objects.all()),
    "flag_id": lambda: _first(Flag.objects.all()),
    "batch_id": lambda: _first(ReviewBatch.objects.all()),
    "version": lambda: _first(Guideline.objects.order_by("version")),
    "key": lambda: "success",
    "user_id": lambda: _first(User.objects.filter(is_superuser=False).order_by("pk")),
    # A link that was used.
    "uidb64": lambda: "MQ",
    "token": lambda: "c0ffee-used",
}


def list_pages(*, has_rows: bool = True) -> dict[str, str]:
    """Return each page's name and path: all addresses that answer with a page.

    Args:
        has_rows: False for a database without rows: only pages that need none.

    Raises:
        NoExample: See above.
    """
    client = Client(SERVER_NAME=settings.DASHBOARD_URL.partition("://")[2])
    client.force_login(User.objects.filter(is_superuser=True)[0])
    found = {"login": reverse("login"), **_addresses(has_rows)}
    if has_rows:
        found |= _states()
    return {
        name: path
        for name, path in found.items()
        if name == "login" or _is_page(client, path)
    }


def list_addresses() -> dict[str, str]:
    """Return each page, part and file by its name; also those that only a POST reaches.

    Raises:
        NoExample: See above.
    """
    return {**_addresses(has_rows=True), **_states()}


def _addresses(has_rows: bool) -> dict[str, str]:
    return {
        name: _fill(name, parameters)
        for name, parameters in _patterns(get_resolver(), "")
        if has_rows or not parameters
    }


def _patterns(tree: URLResolver, space: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the name and the parameters of each address that has a name."""
    for entry in tree.url_patterns:
        if isinstance(entry, URLPattern):
            if entry.name and not (space or entry.name).startswith(FOREIGN):
                name = f"{space}:{entry.name}" if space else entry.name
                yield name, list(entry.pattern.regex.groupindex)
        elif entry.namespace not in FOREIGN and "api/" not in str(entry.pattern):
            yield from _patterns(entry, entry.namespace or space)


def _fill(name: str, parameters: list[str]) -> str:
    try:
        given = {one: EXAMPLES[one]() for one in parameters}
    except KeyError as error:
        raise NoExample(
            f"The address {name!r} has a parameter {error}: add a row for it to "
            f"EXAMPLES in {__name__}."
        ) from None
    try:
        return reverse(name, kwargs=given)
    except NoReverseMatch:
        raise NoExample(f"The example has no row for {name!r}: {given}.") from None


def _states() -> dict[str, str]:
    """Return pages that look different in other states, if there are such rows."""
    disputed = Task.objects.filter(status=Task.Status.DISPUTED)
    failed, closed = _finished(outcome=False), _phases("closed")
    live = Trajectory.objects.filter(status="running", purpose="collect")
    waiting = Takeover.objects.filter(page={})
    wanted = [
        ("dispute", "dispute", "task_id", disputed),
        ("replay-failure", "replay", "trajectory_id", failed),
        ("replay-running", "replay", "trajectory_id", live),
        ("takeover-waiting", "takeover", "takeover_id", waiting),
        ("phase-closed", "phase", "phase_id", closed),
        ("phase-running", "phase", "phase_id", _phases("collecting")),
        ("phase-failed", "phase", "phase_id", _phases("failed")),
        ("edit_phase", "edit_phase", "phase_id", _phases("failed")),
    ]
    pages = {
        name: reverse(view, kwargs={key: pk})
        for name, view, key, rows in wanted
        if (pk := _first(rows)) is not None
    }
    measured = Run.objects.order_by("pk").values_list("pk", flat=True)[:2]
    runs = "&".join(f"run={pk}" for pk in measured)
    pages["compare_runs"] = f"{reverse('compare_runs')}?{runs}"
    pages["trajectories-none"] = (
        f"{reverse('rollouts:trajectory_list')}?text=no+such+words"
    )
    return pages


def _is_page(client: Client, path: str) -> bool:
    """Say whether an address answers with a whole page, and not a part or a file."""
    answer = client.get(path)
    if answer.status_code == 404:
        raise NoExample(f"The example's rows give no page at {path}.")
    if answer.status_code != 200 or answer.streaming:
        return False
    kind = str(answer.headers.get("Content-Type", ""))
    return kind.startswith("text/html") and b"<html" in answer.content[:200]
