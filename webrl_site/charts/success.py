"""Success on the held-out test tasks, by phase and by site."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from django.utils.translation import gettext

from rollouts.selectors.pages import OutcomeRow
from webrl_site.charts.chart import (
    Chart,
    MomentNames,
    Row,
    ledger_url,
    say_success,
    share_chart,
    share_row,
)
from webrl_site.statistics import wilson

# Success on WebArena-Lite's 165 tasks, in per cent, as published.
PUBLISHED = (
    ("Llama-3.1-8B + WebRL", 42.4),
    ("Llama-3.1-8B + DigiRL", 30.3),
    ("Llama-3.1-8B + AWR", 28.5),
    ("Llama-3.1-8B + Filtered BC", 23.0),
    ("Llama-3.1-8B + SFT", 20.6),
    ("GPT-4-Turbo, prompted", 17.6),
    ("Llama-3.1-8B, prompted", 4.8),
)


def success_by_phase(rows: Sequence[OutcomeRow]) -> Chart:
    """All sites together: one series a run."""
    marks = _success_rows(rows, lambda row: row.run_name, site="")
    return share_chart(
        "success",
        gettext("Success by phase"),
        gettext("Held-out test tasks; bars are 95 %% Wilson intervals. %(success)s")
        % {"success": say_success(rows)},
        marks,
        gettext("tasks solved, %"),
        PUBLISHED,
    )


def success_by_site(rows: Sequence[OutcomeRow]) -> Chart:
    """One series a site, and a run where there are several."""
    several = len({row.run_id for row in rows}) > 1
    marks: list[Row] = []
    for site in sorted({row.site for row in rows}):
        of_site = [row for row in rows if row.site == site]
        marks += _success_rows(
            of_site,
            lambda row: (
                f"{row.run_name}, {row.site_name}" if several else row.site_name
            ),
            site=site,
        )
    return share_chart(
        "success-by-site",
        gettext("Success by site"),
        gettext("The same test tasks, site by site. %(success)s")
        % {"success": say_success(rows)},
        marks,
        gettext("tasks solved, %"),
    )


def _success_rows(
    rows: Sequence[OutcomeRow], series: Callable[[OutcomeRow], str], site: str
) -> list[Row]:
    sums: dict[tuple[str, int, int, str, int], list[int]] = {}
    for row in rows:
        moment = (row.phase_number, row.phase_id, row.purpose)
        key = (series(row), *moment, row.run_id)
        total = sums.setdefault(key, [0, 0, 0])
        for place, count in enumerate((row.successes, row.n, row.tasks)):
            total[place] += count
    moments, made = MomentNames(), []
    for moment_of, (successes, n, tasks) in sorted(sums.items()):
        name, number, phase_id, purpose, run_id = moment_of
        filters = {"site": site} if site else {}
        label = moments[purpose, number]
        url = ledger_url(run_id, phase_id, purpose, **filters)
        made.append(share_row(name, label, wilson(successes, n, tasks=tasks), url))
    return made
