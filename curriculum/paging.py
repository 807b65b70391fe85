"""Pages of a long list by key: as fast at the end of the list as at its start."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, Generic, TypeVar

from django.db.models import Model, QuerySet
from django.http import HttpRequest

from curriculum.rules.ids import read_id

PAGE_SIZE = 50

M = TypeVar("M", bound=Model)


@dataclasses.dataclass(frozen=True, slots=True)
class Page(Generic[M]):
    """Some rows of a list that is ordered by falling id.

    Attributes:
        rows: At most fifty.
        count: Rows of the whole list.
        before: Id from which the next page goes on, or None on the last one.
        is_first: Whether these are the newest.
    """

    rows: list[M]
    count: int
    before: int | None
    is_first: bool

    def __iter__(self) -> Iterator[M]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


def read_page(request: HttpRequest, rows: QuerySet[M]) -> Page[M]:
    """Return the page that `?before=` names; always three queries.

    The indexes give the rows' ids; only these rows are then read. The queryset is
    ordered by falling id; anything but a number gives the newest.
    """
    before = read_id(request.GET.get("before"))
    shown: QuerySet[Any] = rows.filter(pk__lt=before) if before else rows
    ids = list(shown.values_list("pk", flat=True)[: PAGE_SIZE + 1])
    page, more = ids[:PAGE_SIZE], len(ids) > PAGE_SIZE
    found = list(rows.filter(pk__in=page))
    return Page(found, rows.count(), page[-1] if more else None, before is None)
