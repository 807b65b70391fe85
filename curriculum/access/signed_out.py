"""The answer to a request whose session has ended."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.utils.http import url_has_allowed_host_and_scheme


def answer_signed_out(request: HttpRequest) -> HttpResponse:
    """Redirect a page to the sign-in; answer a partial request with a message.

    The page around a part keeps what was typed into its forms. A sign-in page inside a
    part would send its form to the address of that page.
    """
    htmx = getattr(request, "htmx", None)
    # Going back restores a whole page, which may be the sign-in page.
    if not htmx or htmx.history_restore_request:
        return redirect_to_login(_find_page(request))
    sign_in = redirect_to_login(_own_path(request, "HX-Current-URL"))
    context = {"sign_in_url": sign_in.url}
    return render(request, "includes/_signed_out.html", context, status=401)


def _find_page(request: HttpRequest) -> str:
    """Return where to go after the sign-in: many form addresses show no page."""
    if request.method in ("GET", "HEAD"):
        return request.get_full_path()
    return _own_path(request, "Referer")


def _own_path(request: HttpRequest, header: str) -> str:
    """Return the header's address without its host, or home if it is not ours."""
    address = request.headers.get(header, "")
    hosts = {request.get_host()}
    is_safe = url_has_allowed_host_and_scheme(address, hosts, request.is_secure())
    parts = urlsplit(address if is_safe else "")
    if not parts.netloc:
        return resolve_url(settings.LOGIN_REDIRECT_URL)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path
