"""The judges: reward model, evaluators and people side by side, and what to audit."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_safe

from curriculum.access.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, role_required
from curriculum.models import Run
from curriculum.rules.ids import read_id
from curriculum.selectors.pages import list_run_choices
from rollouts.selectors.judges import (
    Agreement,
    PlaceRow,
    add_up,
    add_up_mistakes,
    find_scored_run,
    is_scored,
    list_people_say,
    list_places,
    list_to_audit,
)
from rollouts.selectors.verdicts import count_blind
from training.services.verdict_rows import write_verdict_rows
from webrl_site.statistics import Proportion, wilson

PAIRS = (
    gettext_lazy("Reward model and evaluators"),
    gettext_lazy("Reward model and people"),
    gettext_lazy("Evaluators and people"),
)

# What the reward model gets wrong, and the filters of the episodes where it does.
MISTAKES = (
    (gettext_lazy("YES to the evaluators' failures"), "outcome=no&reward=yes"),
    (gettext_lazy("NO to the evaluators' successes"), "outcome=yes&reward=no"),
)


@dataclasses.dataclass(frozen=True, slots=True)
class JudgeLine:
    """One line of a table: its name and the three pairs as shares."""

    name: str
    pairs: list[Proportion]


@require_safe
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def judges(request: HttpRequest) -> HttpResponse:
    runs, run, unknown = _choose(request)
    rows = list_places(run.pk) if run else []
    said = list_people_say(run.pk) if run else []
    audit = list_to_audit(run.pk, request.user) if run else []
    context = {
        "runs": runs,
        "run": run,
        "unknown": unknown,
        "pair_names": PAIRS,
        "total": _share(add_up(rows)),
        "mistakes": [*zip(MISTAKES, _share(add_up_mistakes(rows)), strict=True)],
        "tables": [
            (
                gettext("Phase"),
                _lines(
                    rows,
                    lambda row: (
                        gettext("Phase %(phase_number)s")
                        % {"phase_number": row.place.phase_number}
                    ),
                ),
            ),
            (gettext("Site"), _lines(rows, lambda row: row.place.site_name)),
        ],
        "audit": audit,
        "is_scored": bool(audit) or (run is not None and is_scored(run.pk)),
        "judged": len(said),
        "blind": count_blind(run.pk) if run else 0,
        "overruled": [one for one in said if one.overrules],
    }
    return render(request, "verdicts/judges.html", context)


@require_safe
@role_required(ROLE_RESEARCHER)
def verdict_rows(request: HttpRequest) -> StreamingHttpResponse:
    """Send people's verdicts as training rows of a reward model."""
    raw = request.GET.get("run", "")
    run_id = read_id(raw)
    if raw and not (run_id and Run.objects.filter(pk=run_id).exists()):
        raise Http404
    lines = write_verdict_rows(
        run_id,
        only_overruled=request.GET.get("only") == "overruled",
    )
    name = 'attachment; filename="verdicts.jsonl"'
    return StreamingHttpResponse(
        map(str.encode, lines),
        content_type="application/x-ndjson",
        headers={"Content-Disposition": name},
    )


def _choose(request: HttpRequest) -> tuple[list[Run], Run | None, str]:
    """Return the available runs, the one to show, and the unknown one requested.

    By default it is the one scored last, or else the newest.
    """
    raw = request.GET.get("run", "")
    asked = read_id(raw)
    runs = list_run_choices([asked] if asked else [])
    found = next((run for run in runs if run.pk == asked), None)
    run = found or find_scored_run() or (runs[0] if runs else None)
    if run and run not in runs:
        runs.append(run)
    return runs, run, "" if found else raw


def _lines(
    rows: Iterable[PlaceRow], name_of: Callable[[PlaceRow], str]
) -> list[JudgeLine]:
    groups: dict[str, list[PlaceRow]] = {}
    for row in rows:
        groups.setdefault(name_of(row), []).append(row)
    return [JudgeLine(name, _share(add_up(group))) for name, group in groups.items()]


def _share(pairs: Iterable[Agreement]) -> list[Proportion]:
    return [wilson(pair.same, pair.n, tasks=len(pair.task_ids)) for pair in pairs]
