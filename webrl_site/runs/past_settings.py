"""The settings of a run at a time: they may be changed while a phase is stopped.

A run keeps its newest settings; its history keeps what each change replaced.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from curriculum.models import PhaseEvent
from webrl_site.runs.config_diff import flatten, show

# Time of a change, and the values before it, as text by dotted key.
Edit = tuple[dt.datetime, Mapping[str, str]]


def list_edits(run_ids: Collection[int]) -> dict[int, list[Edit]]:
    """Return each run's changes of its settings, oldest first."""
    rows = (
        PhaseEvent.objects.filter(phase__run_id__in=run_ids, kind="edit")
        .order_by("id")
        .values_list("phase__run_id", "created_at", "data")
    )
    edits: dict[int, list[Edit]] = defaultdict(list)
    for run_id, moment, data in rows:
        changes = data.get("changes", [])
        edits[run_id].append((moment, {one["key"]: one["before"] for one in changes}))
    return dict(edits)


def read_settings(
    config: Mapping[str, Any],
    edits: Sequence[Edit],
    began: dt.datetime,
    ended: dt.datetime,
) -> dict[str, str | None]:
    """Return a run's settings in a period, as text by dotted key.

    A setting that was changed in the period is None.

    Args:
        config: The run's newest settings.
        edits: All changes of them, oldest first.
        began: When the period begins.
        ended: When it ends.
    """
    flat = flatten(config)
    found: dict[str, str | None] = {key: show(flat, key) for key in flat}
    for moment, before in reversed(edits):
        if moment >= ended:
            found |= before
        elif moment > began:
            found |= dict.fromkeys(before)
    return found
