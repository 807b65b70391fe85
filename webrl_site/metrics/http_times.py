"""Seconds that answers take, by route, of all web processes together.

If there are several, each counts in a file of a shared folder, and
`prometheus_client` adds them up; it has no `process_*` metrics of several processes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from prometheus_client import CollectorRegistry, Histogram, ProcessCollector
from prometheus_client.multiprocess import MultiProcessCollector

# Read by `prometheus_client` when it is imported.
SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
REGISTRY = CollectorRegistry()
OWN = CollectorRegistry()
if SHARED_FOLDER in os.environ:
    MultiProcessCollector(REGISTRY)  # type: ignore[no-untyped-call]
else:
    REGISTRY.register(OWN)
    ProcessCollector(registry=REGISTRY)
SECONDS = Histogram(
    "webrl_http_request_seconds",
    "Seconds that an answer took, without the wait for a free thread.",
    ["method", "route", "status"],
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
    registry=OWN,
)
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
NO_ROUTE = "none"


class RequestTimesMiddleware:
    """Count each answer. Labels are routes, not paths: a path may contain anything."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        response = self.get_response(request)
        match = request.resolver_match
        method = request.method if request.method in METHODS else "other"
        SECONDS.labels(
            method, match.route if match else NO_ROUTE, response.status_code
        ).observe(time.perf_counter() - began)
        return response
