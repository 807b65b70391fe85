"""Evidence: the room that it takes, the rules, and what other rules would remove."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from curriculum.access.roles import ROLE_RESEARCHER, role_required
from rollouts.forms import RetentionForm
from rollouts.selectors.evidence import list_rules
from rollouts.selectors.evidence_counts import count_pinned
from webrl_site.operations.evidence_page import describe_evidence


@require_safe
@role_required(ROLE_RESEARCHER)
def evidence(request: HttpRequest) -> HttpResponse:
    """Show the rules in force, or those that the address names: nothing is removed."""
    now = {
        f"{rule.kind}_{unit}": getattr(rule, unit)
        for rule in list_rules()
        for unit in ("days", "gib")
    }
    form = RetentionForm(request.GET or None, initial=now)
    is_preview = form.is_bound and form.is_valid()
    rules = form.rules() if is_preview else list_rules()
    described = describe_evidence(rules)
    context = {
        "form": form,
        "kinds": [
            (one, form[f"{one.rule.kind}_days"], form[f"{one.rule.kind}_gib"])
            for one in described
        ],
        "is_guess": any(one.use is None for one in described),
        "pins": count_pinned(),
        "is_preview": is_preview,
        "lines": form.lines() if is_preview else [],
        "is_on": any(rule.is_on for rule in list_rules()),
    }
    return render(request, "operations/evidence.html", context)
