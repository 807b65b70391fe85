"""Response headers of the dashboard, and the rule that it has one origin."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import BadRequest, DisallowedHost
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBadRequest,
    HttpResponseRedirect,
)

from webrl_site.server.logs import logging_about

Handler = Callable[[HttpRequest], HttpResponse]
# Monitors ask the web process by whatever address they reach it at.
MONITORED = frozenset({"/healthz", "/metrics"})
# What answers an odd query by itself.
WITHOUT_PAGES = ("/api/", "/recorded/")
# For answers that are not from a view: nothing may run, load, frame or follow them.
BARE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


def dashboard_policy() -> str:
    """Return the dashboard's content security policy.

    Styles may be inline because Plotly sets them; scripts never.
    """
    dashboard = urlsplit(settings.DASHBOARD_URL)
    socket = f"{'wss' if dashboard.scheme == 'https' else 'ws'}://{dashboard.netloc}"
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self' 'unsafe-inline'",
            f"img-src 'self' data: blob: {settings.REPLAY_ORIGIN}",
            "font-src 'self'",
            f"connect-src 'self' {socket}",
            f"frame-src {settings.REPLAY_ORIGIN}",
            "manifest-src 'self'",
            "form-action 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
            "object-src 'none'",
        )
    )


class RequestIdMiddleware:
    """Give each request an id, which its log lines and its answer carry.

    Outermost, so that every answer has one. A client's own id is not used, since it
    would be written into our logs.
    """

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request_id = secrets.token_hex(8)
        with logging_about(request_id=request_id):
            response = self.get_response(request)
        response.headers["X-Request-ID"] = request_id
        return response


class SecurityHeadersMiddleware:
    """Add the headers that every page of the dashboard carries.

    A view that sets its own policy, such as that of recorded pages, keeps it.
    """

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response
        self.policy = dashboard_policy()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", self.policy)
        response.headers.setdefault("X-Content-Type-Options", "nosniff")
        response.headers.setdefault(
            "Permissions-Policy", "camera=(), microphone=(), geolocation=()"
        )
        if "Cache-Control" not in response.headers and _is_personal(request):
            response.headers["Cache-Control"] = "no-store"
        return response


class StorableTextMiddleware:
    """Refuse NUL in the queries and forms of pages: PostgreSQL stores it nowhere.

    The API names the field that has one, and recorded pages open with a key alone.
    """

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        is_page = not request.path_info.startswith(WITHOUT_PAGES)
        if is_page and "%00" in request.META["QUERY_STRING"]:
            raise BadRequest("NUL in an address")
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Handler, *_arguments: object
    ) -> None:
        """Check a form after the protection against forged ones has read it."""
        if getattr(view, "csrf_exempt", False):
            return
        if any("\0" in text for _, texts in request.POST.lists() for text in texts):
            raise BadRequest("NUL in a form")


class OneOriginMiddleware:
    """Redirect visitors to the dashboard's own address, and to no other.

    Cookies ignore ports, so the dashboard must never answer under the host name
    of the replay origin, whose pages are hostile. What monitors read is answered
    under any other name: it needs no cookie, and Prometheus cannot choose the name.
    """

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response
        self.dashboard = urlsplit(settings.DASHBOARD_URL).netloc
        self.known = {
            self.dashboard,
            urlsplit(settings.REPLAY_ORIGIN).netloc,
            urlsplit(settings.TRACE_ORIGIN).netloc,
        }

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info in MONITORED and not self._is_known(request):
            request.META["HTTP_HOST"] = self.dashboard
        if request.get_host() in self.known:
            return self.get_response(request)
        if request.method not in ("GET", "HEAD"):
            return HttpResponseBadRequest("Wrong host.", headers=BARE_HEADERS)
        url = settings.DASHBOARD_URL + request.get_full_path()
        return HttpResponseRedirect(url, headers=BARE_HEADERS)

    def _is_known(self, request: HttpRequest) -> bool:
        try:
            return request.get_host() in self.known
        except DisallowedHost:
            return False


def _is_personal(request: HttpRequest) -> bool:
    """Say whether the answer may hold data that only this user may see."""
    user = getattr(request, "user", None)
    return user is not None and bool(user.is_authenticated)
