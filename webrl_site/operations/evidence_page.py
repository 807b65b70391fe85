"""How much room evidence takes, the rules for its removal, and what would go."""

from __future__ import annotations

import dataclasses
import datetime as dt
import math
from collections.abc import Sequence

from django.utils import timezone

from rollouts.models import EvidenceKind, EvidenceUse
from rollouts.retention import Rule
from rollouts.selectors.evidence_counts import (
    Evidenced,
    count_evidence,
    sample_due,
    sample_newest,
)
from webrl_site.launch.disk_use import measure_files

# Episodes whose files are examined to estimate sizes.
SAMPLE = 20


@dataclasses.dataclass(frozen=True, slots=True)
class KindOfEvidence:
    """One kind of file, what it takes now, and what a rule would make of it.

    Attributes:
        use: The result of a count of all files; None before the first count.
        guess: Without a count, about how many bytes it takes, from a sample.
        episodes: How many have files of the kind; pinned: those kept under all rules.
        going: Episodes whose files the rule removes at once; freed: about how many
            bytes that would free at most, from a sample.
        oldest: When the oldest of them ended.
    """

    rule: Rule
    use: EvidenceUse | None
    guess: int
    episodes: int
    pinned: int
    going: int
    freed: int
    oldest: dt.datetime | None

    @property
    def label(self) -> str:
        return str(EvidenceKind(self.rule.kind).label)

    @property
    def variables(self) -> tuple[str, str]:
        """Names of the settings: days and GiB."""
        return name_variables(self.rule.kind)


def name_variables(kind: str) -> tuple[str, str]:
    return f"{kind.upper()}_DAYS", f"{kind.upper()}_GIB"


def describe_evidence(rules: Sequence[Rule]) -> list[KindOfEvidence]:
    """Return each kind under its rule; the number of queries is constant."""
    now = timezone.now()
    uses = {row.kind: row for row in EvidenceUse.objects.all()}
    counts = count_evidence(rules, now)
    return [
        _describe(rule, uses.get(rule.kind), counts[rule.kind], now) for rule in rules
    ]


def _describe(
    rule: Rule, use: EvidenceUse | None, count: Evidenced, now: dt.datetime
) -> KindOfEvidence:
    going, excess = count.old, rule.excess(use.bytes if use else 0)
    may_go = going or (excess and count.unpinned)
    sample = sample_due(rule, now, SAMPLE) if may_go else []
    each = measure_files([pk for pk, _ in sample], rule.kind)
    if excess and each:
        going = max(going, min(math.ceil(excess / each), count.unpinned))
    return KindOfEvidence(
        rule=rule,
        use=use,
        guess=0 if use else _guess(rule.kind, count.episodes),
        episodes=count.episodes,
        pinned=count.episodes - count.unpinned,
        going=going,
        freed=round(each * going),
        oldest=sample[0][1] if sample else None,
    )


def _guess(kind: str, episodes: int) -> int:
    newest = sample_newest(kind, SAMPLE) if episodes else []
    return round(measure_files(newest, kind) * episodes)
