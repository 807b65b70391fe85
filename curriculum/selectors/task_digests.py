"""Tasks by their normalised instruction and start address."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from curriculum.models import Task

BATCH = 500


def list_with_digests(
    digests: Sequence[str],
) -> list[tuple[str, str, dict[str, Any]]]:
    """Return (key, digest, spec) of the tasks that have one of the digests."""
    found: list[tuple[str, str, dict[str, Any]]] = []
    for start in range(0, len(digests), BATCH):
        rows = Task.objects.filter(digest__in=digests[start : start + BATCH])
        found.extend(rows.order_by("pk").values_list("key", "digest", "spec"))
    return found
