"""`/healthz`: what monitors and load balancers ask, without a sign-in."""

from __future__ import annotations

import logging

from django.conf import settings
from django.db import DatabaseError, InterfaceError
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from curriculum.object_store.watch import WATCH
from curriculum.rules.disk_room import is_disk_full
from webrl_site.server.workers import count_alive

logger = logging.getLogger(__name__)


@require_safe
@never_cache
def healthz(request: HttpRequest) -> JsonResponse:
    """Send the database one query; anybody may read the answer.

    Without workers or the object store the pages still work, so that is no 503.
    """
    try:
        workers = count_alive()
    except (DatabaseError, InterfaceError):
        logger.exception("The database does not answer")
        return JsonResponse({"database": "down"}, status=503)
    disk = "full" if is_disk_full() else "ok"
    store = {"object_store": WATCH.read()} if settings.OBJECT_STORE else {}
    told = {"database": "ok", "disk": disk, **store, "workers": workers}
    return JsonResponse(told)
