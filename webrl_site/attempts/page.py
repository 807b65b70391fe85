"""What the page shows: a grid of templates by phases, those never solved first."""

from __future__ import annotations

import dataclasses
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext_lazy

from curriculum.models import Run
from training.selectors.attempts import (
    RunAttempts,
    Tally,
    TemplateAttempts,
    read_attempts,
)
from webrl_site.charts.chart import episodes_url

# Templates shown before "Show all" is pressed: five sites have 213.
FIRST_ROWS = 50
SHOWN = {
    "all": gettext_lazy("All templates"),
    "unsolved": gettext_lazy("Never solved"),
    "solved": gettext_lazy("Solved at least once"),
}


@dataclasses.dataclass(frozen=True, slots=True)
class Asked:
    """The parameters of the address; "" means no choice."""

    show: str = "all"
    site: str = ""
    is_whole: bool = False

    @classmethod
    def read(cls, query: QueryDict) -> Asked:
        """Read an address; invalid parameters are ignored."""
        show = query.get("show", "all")
        return cls(
            show if show in SHOWN else "all",
            query.get("site", "")[:60],
            is_whole="whole" in query,
        )

    def wants(self, row: TemplateAttempts) -> bool:
        """Return whether the template matches the parameters."""
        is_solved = row.total.solved > 0
        fits = self.show == "all" or (self.show == "solved") == is_solved
        return fits and self.site in ("", row.site)


@dataclasses.dataclass(frozen=True, slots=True)
class Cell:
    """A template in one phase: its episodes, and where they are listed."""

    number: int
    tally: Tally | None
    url: str


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """A template with a cell for each phase."""

    attempts: TemplateAttempts
    cells: list[Cell]


def describe_attempts(run: Run, asked: Asked) -> dict[str, Any]:
    """Return the page's variables; the number of queries is constant."""
    read = read_attempts(run)
    found = sorted(filter(asked.wants, read.templates), key=_by_success)
    shown = found if asked.is_whole else found[:FIRST_ROWS]
    unsolved = [row for row in read.templates if not row.total.solved]
    return {
        "run": run,
        "asked": asked,
        "shown_choices": SHOWN,
        "sites": sorted({(row.site, row.site_name) for row in read.templates}),
        "numbers": list(read.phases.values()),
        "rows": [_row(row, read) for row in shown],
        "found_count": len(found),
        "template_count": len(read.templates),
        "unsolved_count": len(unsolved),
        "unsolved_attempts": sum(row.total.n for row in unsolved),
        "others": read.others,
    }


def _by_success(row: TemplateAttempts) -> tuple[float, int]:
    """Sort by success: those never solved come first, the most attempted at the top."""
    total = row.total
    return total.solved / total.n, -total.n


def _row(row: TemplateAttempts, read: RunAttempts) -> Row:
    cells = [
        Cell(number, row.phases.get(pk), _list_episodes(pk, row, read))
        for pk, number in read.phases.items()
    ]
    return Row(row, cells)


def _list_episodes(phase_id: int, row: TemplateAttempts, read: RunAttempts) -> str:
    """Return the address of the counted episodes: a phase may be half scored."""
    counted = {"scored": "yes"} if read.are_rewarded else {"judged": "yes"}
    return episodes_url(
        phase=phase_id,
        purpose="collect",
        status="finished",
        site=row.site,
        template=row.template,
        **counted,
    )
