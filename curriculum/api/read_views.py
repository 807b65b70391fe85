"""What every readable resource of the API has in common."""

from __future__ import annotations

from typing import TypeVar

from django.db.models import Model, QuerySet
from rest_framework.viewsets import ReadOnlyModelViewSet

from curriculum.api.filters import Filters, PageFilters, read_filters
from curriculum.api.paging import KeyPagination
from curriculum.forms import FilterForm

M = TypeVar("M", bound=Model)


class ReadViewSet(ReadOnlyModelViewSet[M]):
    """A list in pages by key, with a form's filters, and one row by its id.

    Attributes:
        filter_form: The filters of the list; their values go to `select`.
        paging_key: The unique column that the list is ordered by.
    """

    filter_form: type[FilterForm] = FilterForm
    paging_key = "-id"
    filter_backends = [PageFilters]
    pagination_class = KeyPagination
    lookup_value_regex = "[0-9]{1,18}"

    def select(self, filters: Filters) -> QuerySet[M]:
        """Return the rows of the list; override it where there are filters."""
        return super().get_queryset()

    def get_queryset(self) -> QuerySet[M]:
        if self.action != "list":
            return self.select({})
        return self.select(read_filters(self.request.query_params, self.filter_form))
