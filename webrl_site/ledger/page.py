"""The ledger's page: a grid of test tasks by moments, and a comparison of two."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from django.urls import reverse

from curriculum.models import Run
from rollouts.selectors.ledger import (
    LedgerTask,
    Moment,
    RunEpisodes,
    read_test_episodes,
)
from webrl_site.charts.chart import MomentNames, episodes_url
from webrl_site.ledger.asking import SHOWN, Asked
from webrl_site.ledger.comparing import Cell, Comparison, compare_parts, gather_cells

# A page with more lines is slow to read and to make.
MAX_ROWS = 500
Cells = Mapping[Moment, Mapping[int, Cell]]


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """One task: its cell at each moment, and the pair that shows what changed."""

    task: LedgerTask
    cells: list[tuple[Cell | None, Column]]
    change: str
    pair: tuple[int, int] | None


@dataclasses.dataclass(frozen=True, slots=True)
class Column:
    """One moment in the grid's head."""

    moment: Moment
    name: str
    is_from: bool
    is_to: bool


def describe_ledger(run: Run, asked: Asked) -> dict[str, Any]:
    """Return the page's variables: three queries for any number of phases."""
    read = read_test_episodes(run.pk)
    moments = list(read.episodes)
    before, after = choose_moments(moments, asked)
    tasks = [task for task in read.tasks.values() if asked.wants(task)]
    cells = {m: gather_cells(some) for m, some in read.episodes.items()}
    names = MomentNames()
    columns = [
        Column(m, names[m.purpose, m.phase_number], m == before, m == after)
        for m in moments
    ]
    rows = [_row(task, columns, cells, before, after) for task in tasks]
    shown = [row for row in rows if asked.shows(row.change)]
    return {
        "run": run,
        "asked": asked,
        "shown_choices": SHOWN,
        "columns": columns,
        "rows": shown[:MAX_ROWS],
        "row_count": len(shown),
        "task_count": len(tasks),
        "sites": sorted({(t.site, t.site_name) for t in read.tasks.values()}),
        "has_unseen": any(task.is_unseen for task in read.tasks.values()),
        "before": before,
        "after": after,
        "comparisons": _compare(tasks, cells, before, after),
        **_find_behind(read, tasks, after, asked),
    }


def describe_summary(run: Run, phase_id: int) -> dict[str, Any]:
    """Return a phase page's summary: lost and won since the moment before it."""
    read = read_test_episodes(run.pk)
    mine = [m for m in read.episodes if m.phase_id == phase_id]
    asked = Asked(to=mine[-1].key if mine else "")
    before, after = choose_moments(list(read.episodes), asked) if mine else (None, None)
    cells = {m: gather_cells(some) for m, some in read.episodes.items()}
    parts = _compare(list(read.tasks.values()), cells, before, after)
    return {"run": run, "before": before, "after": after, "comparisons": parts}


def choose_moments(
    moments: Sequence[Moment], asked: Asked
) -> tuple[Moment | None, Moment | None]:
    """Return the two moments to compare: those chosen, or the newest two."""
    by_key = {moment.key: moment for moment in moments}
    after = by_key.get(asked.to) or (moments[-1] if moments else None)
    if after is None:
        return None, None
    place = moments.index(after)
    usual = moments[place - 1] if place else None
    return by_key.get(asked.start) or usual, after


def _compare(
    tasks: Sequence[LedgerTask],
    cells: Cells,
    before: Moment | None,
    after: Moment | None,
) -> list[Comparison]:
    if before is None or after is None:
        return []
    return compare_parts(tasks, cells[before], cells[after])


def _row(
    task: LedgerTask,
    columns: Sequence[Column],
    cells: Cells,
    before: Moment | None,
    after: Moment | None,
) -> Row:
    mine = [(cells[one.moment].get(task.task_id), one) for one in columns]
    old = cells[before].get(task.task_id) if before else None
    new = cells[after].get(task.task_id) if after else None
    if old is None or new is None:
        return Row(task, mine, "", None)
    change = _name_change(old.share, new.share)
    pair = (
        old.pick(is_right=change != "won"),
        new.pick(is_right=change != "lost"),
    )
    return Row(task, mine, change, pair)


def _name_change(before: float, after: float) -> str:
    if before == after:
        return "same"
    return "lost" if after < before else "won"


def _find_behind(
    read: RunEpisodes, tasks: Sequence[LedgerTask], moment: Moment | None, asked: Asked
) -> dict[str, Any]:
    """Return how many episodes the later moment counts here, and their list.

    The list of episodes has no filter for unseen templates: then there is no list.
    """
    if moment is None:
        return {"behind": 0, "behind_url": reverse("rollouts:trajectory_list")}
    wanted = {task.task_id for task in tasks}
    filters = {"phase": moment.phase_id, "purpose": moment.purpose, "judged": "yes"}
    return {
        "behind": sum(one.task_id in wanted for one in read.episodes[moment]),
        "behind_url": ""
        if asked.only_unseen
        else episodes_url(**filters, **asked.list_filters()),
    }
