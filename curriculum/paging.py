"""Pages of a long list: fifty rows and one count, whatever the list's length."""

from __future__ import annotations

from typing import Any, TypeVar

from django.core.paginator import Page, Paginator
from django.db.models import Model, QuerySet
from django.http import HttpRequest

PAGE_SIZE = 50

M = TypeVar("M", bound=Model)


def read_page(request: HttpRequest, rows: QuerySet[M]) -> Page[M]:
    """Return the page that `?page=` names; a number out of range gives the nearest."""
    paginator: Paginator[Any] = Paginator(rows, PAGE_SIZE)
    return paginator.get_page(request.GET.get("page"))
