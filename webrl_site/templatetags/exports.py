"""Links to a list as a file: the same rows, under the same filters."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django import template
from django.urls import reverse

from curriculum.forms import FilterForm
from webrl_site.exports.formats import list_formats

register = template.Library()
NAMES = {
    "jsonl": "JSONL",
    "csv": "CSV",
    "parquet": "Parquet",
    "webrl": "WebRL",
    "sft": "WebRL SFT",
    "webarena": "WebArena",
}


@register.inclusion_tag("includes/_exports.html")
def export_links(kind: str, form: FilterForm, **fixed: str) -> dict[str, Any]:
    """Return a link for each format of a table of the exports.

    `fixed` are filters in addition to the form's, to which the page is limited.
    """
    address, filters = reverse("api-export", args=[kind]), {**form.values(), **fixed}
    return {
        "links": [
            (NAMES[name], f"{address}?{urlencode({'format': name, **filters})}")
            for name in list_formats(kind)
        ]
    }
