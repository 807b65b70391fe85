"""How far the reviewers agree."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from curriculum.access.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, role_required
from curriculum.forms import AgreementForm
from webrl_site.review.agreement_page import describe_agreement


@require_safe
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def agreement(request: HttpRequest) -> HttpResponse:
    form = AgreementForm(request.GET)
    context = {"form": form} | describe_agreement(form.values())
    return render(request, "review/agreement.html", context)
