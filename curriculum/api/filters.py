"""A page's filter form as the query parameters of a list.

The page leaves wrong values out, because links get old. A program gets an error: a
misspelt filter must not return everything.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import QueryDict
from rest_framework.exceptions import ValidationError
from rest_framework.filters import BaseFilterBackend
from rest_framework.request import Request
from rest_framework.views import APIView

from curriculum.api.paging import PARAMETERS
from curriculum.forms import FilterForm

# The valid values of a list's filters, by the names of the form's fields.
Filters = Mapping[str, Any]

BIGGEST = 2**63 - 1


def read_filters(
    params: QueryDict,
    form_class: type[FilterForm],
    others: Collection[str] = PARAMETERS,
) -> dict[str, Any]:
    """Return the named filters; `others` are further parameters that are allowed.

    Raises:
        ValidationError: Names each parameter that is unknown or has a wrong value.
    """
    form = form_class(params)
    for name, field in form.fields.items():
        if _is_whole_number(field):
            form.fields[name] = forms.IntegerField(
                required=False, min_value=_lowest(field), max_value=BIGGEST
            )
    known = {*form.fields, *others}
    unknown = sorted(set(params) - known)
    if unknown:
        text = f"There is no such parameter; there are {', '.join(sorted(known))}."
        raise ValidationError({name: [text] for name in unknown})
    if not form.is_valid():
        raise ValidationError(
            {name: [str(text) for text in texts] for name, texts in form.errors.items()}
        )
    return form.values()


class PageFilters(BaseFilterBackend):
    """Describes the view's `filter_form` in the schema; the view applies it."""

    def filter_queryset(
        self, request: Request, queryset: QuerySet[Any], view: APIView
    ) -> QuerySet[Any]:
        return queryset

    def get_schema_operation_parameters(self, view: APIView) -> list[dict[str, Any]]:
        form_class: type[FilterForm] | None = getattr(view, "filter_form", None)
        return describe_filters(form_class) if form_class else []


def describe_filters(form_class: type[FilterForm]) -> list[dict[str, Any]]:
    """Return the form's fields as OpenAPI parameters."""
    return [
        {
            "name": name,
            "in": "query",
            "required": False,
            "description": str(field.help_text or field.label or ""),
            "schema": _describe_field(field),
        }
        for name, field in form_class.base_fields.items()
    ]


def _describe_field(field: forms.Field) -> dict[str, Any]:
    if _is_whole_number(field):
        return {"type": "integer", "minimum": _lowest(field), "maximum": BIGGEST}
    if isinstance(field, forms.FloatField):
        bounds = {"minimum": field.min_value, "maximum": field.max_value}
        return {"type": "number"} | {k: v for k, v in bounds.items() if v is not None}
    if isinstance(field, forms.BooleanField):
        return {"type": "boolean"}
    choices = [value for value, _ in getattr(field, "choices", ()) if value]
    return {"type": "string"} | ({"enum": choices} if choices else {})


def _is_whole_number(field: forms.Field) -> bool:
    if isinstance(field, forms.FloatField):  # Django's is a kind of IntegerField.
        return False
    typed = isinstance(field, forms.TypedChoiceField) and field.coerce is int
    return typed or isinstance(field, forms.IntegerField)


def _lowest(field: forms.Field) -> int:
    """Ids begin with 1; a field that starts elsewhere says so."""
    lowest: int | None = getattr(field, "min_value", None)
    return 1 if lowest is None else lowest
