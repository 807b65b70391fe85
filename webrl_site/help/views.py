"""Help: the meaning of words, the keys, and further reading."""

from __future__ import annotations

from typing import Any, cast

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from curriculum.access.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, role_required
from curriculum.rules.desk_keys import ACTIONS
from curriculum.selectors.reviewing.desk import read_keys
from webrl_site.help.doc_pages import has_docs
from webrl_site.help.glossary import Term, read_glossary
from webrl_site.home.first_steps import read_progress


@require_safe
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def help_page(request: HttpRequest) -> HttpResponse:
    """Show everything, or only the glossary if htmx asks."""
    query = request.GET.get("q", "").strip()[:100]
    context: dict[str, Any] = {"sections": search_glossary(query), "query": query}
    if request.headers.get("HX-Request") == "true":
        return render(request, "help/_glossary.html", context)
    keys = read_keys(request.user.pk or 0)
    context["key_labels"] = [(keys[name], label) for name, label in ACTIONS.items()]
    context["first_steps"] = read_progress(cast(User, request.user))
    context["has_docs"] = has_docs()
    return render(request, "help/help.html", context)


def search_glossary(query: str) -> list[tuple[str, list[Term]]]:
    """Return the terms that hold the text, under the titles of the page."""
    found: dict[str, list[Term]] = {}
    for term in read_glossary().values():
        if term.holds(query):
            found.setdefault(term.shown_section, []).append(term)
    return list(found.items())
