"""What the agreement page shows: three numbers, the pairs, and one confusion matrix."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from curriculum.models import Review
from curriculum.selectors.reviewing.desk import count_changes, list_shared_votes
from webrl_site.review.agreement import (
    Pair,
    compare_pairs,
    measure_alpha,
    measure_kappa,
    measure_percent,
    pair_decisions,
)
from webrl_site.statistics import wilson

MAX_PAIRS = 50
LABELS = {
    "outcome": {"accept": gettext_lazy("Accept"), "reject": gettext_lazy("Reject")},
    "decision": dict(Review.Decision.choices[:3]),
}
Units = list[dict[str, str]]


@dataclasses.dataclass(frozen=True, slots=True)
class MatrixRow:
    """One decision of the first person, and the counts of the second person's."""

    label: str
    counts: list[tuple[int, bool]]

    @property
    def total(self) -> int:
        return sum(count for count, _ in self.counts)


def describe_agreement(given: dict[str, Any]) -> dict[str, Any]:
    """Return the page's variables with two queries for any number of people."""
    labels = LABELS[given.get("labels") or "outcome"]
    votes = list_shared_votes(given.get("phase"))
    units = group_votes(votes, with_edits="edit" in labels)
    pairs = compare_pairs(units)
    chosen = _choose(pairs, given.get("pair", ""))
    context: dict[str, Any] = {
        "decisions": len(votes),
        "percent": measure_percent(units),
        "changes": wilson(*count_changes(given.get("phase"))),
        "alpha": measure_alpha(units),
        "pairs": pairs[:MAX_PAIRS],
        "pair_count": len(pairs),
        "chosen": chosen,
    }
    if chosen is not None:
        shared = pair_decisions(units, chosen.first, chosen.second)
        context["kappa"] = measure_kappa(shared)
        context["columns"] = list(labels.values())
        context["matrix"] = _confusion(shared, labels)
    return context


def group_votes(votes: list[tuple[int, str, str]], *, with_edits: bool) -> Units:
    """Return each task's decisions by person; an edit is an acceptance, too."""
    units: dict[int, dict[str, str]] = {}
    for task_id, person, decision in votes:
        is_edit = decision == Review.Decision.EDIT and not with_edits
        units.setdefault(task_id, {})[person] = "accept" if is_edit else decision
    return list(units.values())


def _choose(pairs: list[Pair], asked: str) -> Pair | None:
    named = (pair for pair in pairs if f"{pair.first}~{pair.second}" == asked)
    return next(named, pairs[0] if pairs else None)


def _confusion(
    shared: list[tuple[str, str]], labels: Mapping[str, str | Promise]
) -> list[MatrixRow]:
    cells = Counter(shared)
    return [
        MatrixRow(
            str(label), [(cells[row, column], row == column) for column in labels]
        )
        for row, label in labels.items()
    ]
