"""Files that a page offers for download."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils.text import slugify


def send_json(text: str, name: str) -> HttpResponse:
    """Answer with a JSON document that browsers save under the name."""
    filename = f"{slugify(name) or 'workbench'}.json"
    response = HttpResponse(text, content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="{filename}"'
    return response
