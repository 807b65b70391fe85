"""The sites and their numbers of tasks, for their page."""

from __future__ import annotations

import dataclasses
from collections import Counter

from django.db.models import Count, Min, Q

from curriculum.models import Site, Task


@dataclasses.dataclass(frozen=True, slots=True)
class SiteView:
    """One site.

    Attributes:
        site: Its row.
        splits: How many accepted tasks each split has, in the order of the splits.
        others: Tasks that runs do not use: filtered out, waiting or rejected.
        templates: How many templates the tasks come from; 0 where they have none.
        example: A training task to try first; None where there is none.
        can_be_reached: Runs can use it: the sandbox's always, others with an address.
    """

    site: Site
    splits: list[tuple[str, int]]
    others: int
    templates: int
    example: int | None

    @property
    def used(self) -> int:
        """How many tasks runs may use."""
        return sum(count for _, count in self.splits)

    @property
    def can_be_reached(self) -> bool:
        return self.site.kind == Site.Kind.SANDBOX or bool(self.site.base_url)


def describe_sites() -> list[SiteView]:
    """Return every site, in four queries."""
    accepted = Task.objects.filter(status=Task.Status.ACCEPTED).order_by()
    counts, others = _count_tasks()
    templates = dict(
        accepted.exclude(template_key="")
        .values_list("site")
        .annotate(Count("template_key", distinct=True))
    )
    train = accepted.filter(split=Task.Split.TRAIN)
    examples = dict(train.values_list("site").annotate(Min("pk")))
    return [
        SiteView(
            site,
            [
                (str(label), counts.get((site.pk, key), 0))
                for key, label in Task.Split.choices
            ],
            others[site.pk],
            templates.get(site.pk, 0),
            examples.get(site.pk),
        )
        for site in Site.objects.order_by("-kind", "name")
    ]


def find_example(site_id: int) -> int | None:
    """Return the training task of a site to try first; None where there is none."""
    accepted = Task.objects.filter(site=site_id, status=Task.Status.ACCEPTED)
    train = accepted.filter(split=Task.Split.TRAIN).order_by("pk")
    return train.values_list("pk", flat=True).first()


def _count_tasks() -> tuple[dict[tuple[int, str], int], Counter[int]]:
    """Return accepted tasks by site and split, and all others by site."""
    is_accepted = Q(status=Task.Status.ACCEPTED)
    rows = (
        Task.objects.order_by()
        .values_list("site", "split")
        .annotate(
            used=Count("pk", filter=is_accepted),
            others=Count("pk", filter=~is_accepted),
        )
    )
    counts: dict[tuple[int, str], int] = {}
    others: Counter[int] = Counter()
    for site, split, accepted, other in rows:
        counts[site, split] = accepted
        others[site] += other
    return counts, others
