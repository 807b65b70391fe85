"""Every address of the dashboard, from the URL resolver, filled from the rows."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

from rollouts.models import Trajectory
from webrl_site.examples.every_page import EXAMPLES

# A rendered pattern: <int:pk>, or a group of a regular expression.
GROUP = re.compile(r"<(?:\w+:)?(\w+)>|\(\?P<(\w+)>[^()]*\)")
MODEL_PAGE = re.compile(
    r"admin/\w+/(\w+)/(add/|<(?:path:object_|)id>/(?:history/|delete/|change/|password/)?)?$"
)


def _pair() -> tuple[int, int]:
    """Return two finished episodes of one task."""
    rows = Trajectory.objects.filter(status="finished", steps__isnull=False)
    by_task: dict[int, int] = {}
    for pk, task_id in rows.distinct().values_list("pk", "task_id"):
        if (other := by_task.setdefault(task_id, pk)) != pk:
            return other, pk
    raise LookupError("The example has no task with two finished episodes.")


OTHERS: dict[str, Any] = {
    "left_id": lambda: _pair()[0],
    "right_id": lambda: _pair()[1],
    "pk": lambda: 1,
    "kind": lambda: "tasks",
    "digest": lambda: Trajectory.objects.exclude(final_snapshot="")[0].final_snapshot,
    "object_id": lambda: 1,
    "id": lambda: 1,
    "content_type_id": lambda: 1,
    "app_label": lambda: "curriculum",
    "url": lambda: "nothing",
    "name": lambda: "index.html",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Address:
    """One entry of the URL resolver.

    Attributes:
        key: Its key in the table of rights: its name, or its pattern.
        pattern: The resolver's pattern.
        parameters: Names of the parameters in its path.
    """

    key: str
    pattern: str
    parameters: tuple[str, ...]

    def fill(self) -> str:
        """Return a path to this address, with rows that exist."""
        known = EXAMPLES | OTHERS
        path = GROUP.sub(lambda found: str(known[found[1] or found[2]]()), self.pattern)
        return "/" + re.sub(r"[\^$]|\\", "", path)


def list_addresses() -> list[Address]:
    """Return every address that the dashboard answers."""
    return list(_walk(get_resolver(), "", ""))


def _walk(tree: URLResolver, before: str, space: str) -> Iterator[Address]:
    for entry in tree.url_patterns:
        pattern = before + str(entry.pattern)
        if isinstance(entry, URLPattern):
            groups = tuple(first or second for first, second in GROUP.findall(pattern))
            yield Address(_key(entry, pattern, space), pattern, groups)
        else:
            yield from _walk(entry, pattern, entry.namespace or space)


def _key(entry: URLPattern, pattern: str, space: str) -> str:
    """Name an address; the pages of one model in the admin share a name."""
    found = MODEL_PAGE.match(pattern)
    if found and entry.name != "password_change_done":
        return f"admin:{found[1]}"
    if entry.name is None:
        return pattern
    return f"{space}:{entry.name}" if space else str(entry.name)
