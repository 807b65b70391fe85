"""`/metrics`, which Prometheus reads with the operator's token."""

from __future__ import annotations

import logging
import secrets

from django.conf import settings
from django.db import DatabaseError, InterfaceError
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

# Registers the gauges that are read from rows.
from webrl_site.metrics import counts as counts
from webrl_site.metrics.http_times import REGISTRY

logger = logging.getLogger(__name__)


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Answer requests with METRICS_TOKEN; for all others the page does not exist."""
    if not _has_token(request):
        raise Http404
    try:
        text = generate_latest(REGISTRY)
    except (DatabaseError, InterfaceError):
        logger.exception("The database does not answer")
        return HttpResponse("The database is down.\n", status=503)
    return HttpResponse(text, content_type=CONTENT_TYPE_LATEST)


def _has_token(request: HttpRequest) -> bool:
    """Compare in constant time; without a token in the settings no request matches."""
    kind, _, given = request.headers.get("Authorization", "").partition(" ")
    wanted = settings.METRICS_TOKEN
    is_same = secrets.compare_digest(given.encode(), wanted.encode())
    return bool(wanted) and kind.lower() == "bearer" and is_same
