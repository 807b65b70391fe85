"""Which settings a run had at a time: they may be changed while a phase is stopped.

A run keeps its newest settings; its history keeps what each change replaced.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from curriculum.models import PhaseEvent
from webrl_site.runs.config_diff import flatten, show

# When settings were changed, and what they were before, as text by dotted key.
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
    """Return a run's settings in a stretch of time, as text by dotted key.

    None stands for what was changed meanwhile.

    Args:
        config: The run's newest settings.
        edits: All changes of them, oldest first.
        began: Where the stretch begins.
        ended: Where it ends.
    """
    flat = flatten(config)
    found: dict[str, str | None] = {key: show(flat, key) for key in flat}
    for moment, before in reversed(edits):
        if moment >= ended:
            found |= before
        elif moment > began:
            found |= dict.fromkeys(before)
    return found
