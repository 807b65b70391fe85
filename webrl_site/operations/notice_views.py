"""Notices: where they go, which were delivered, and a test."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from curriculum.access.roles import ROLE_RESEARCHER, role_required
from curriculum.paging import read_page
from webrl_site.models import Delivery
from webrl_site.operations.notices import list_channels, send_test


@require_safe
@role_required(ROLE_RESEARCHER)
def notices(request: HttpRequest) -> HttpResponse:
    context = {
        "page": read_page(request, Delivery.objects.order_by("-id")),
        "channels": list_channels(),
        "is_signed": bool(settings.NOTICE_WEBHOOK_SECRET),
    }
    return render(request, "operations/notices.html", context)


@require_POST
@role_required(ROLE_RESEARCHER)
def test_notice(request: HttpRequest) -> HttpResponse:
    count = send_test(by=request.user.get_username())
    if count:
        messages.success(
            request,
            gettext("A test notice is being sent; its row will show the result."),
        )
    else:
        messages.error(
            request, gettext("No notice was sent: the operator has set up no channel.")
        )
    return redirect("notices")
