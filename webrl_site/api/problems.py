"""Every error of the API as problem JSON (RFC 9457).

    {"type": "/api/problems/lease-lost/", "title": ..., "status": 409,
     "detail": ..., "errors": {"field": ["what is wrong", ...]}}

`type` is the name that programs compare; `errors` comes where fields are wrong,
and of a task file `errors_left_out`, the number of mistakes beyond those.
"""

from __future__ import annotations

import re
import sys
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    JsonResponse,
)
from django.template.loader import get_template
from django.views import defaults
from rest_framework import status
from rest_framework.exceptions import APIException, NotFound, ValidationError
from rest_framework.exceptions import PermissionDenied as Forbidden
from rest_framework.response import Response
from rest_framework.views import exception_handler

from curriculum.errors import (
    EndpointDown,
    LeaseLost,
    NotAllowed,
    PhaseConflict,
    PhaseStateError,
    TaskImportError,
    WorkbenchError,
)
from curriculum.task_files.types import Refusals
from rollouts.services.text import clean_all
from webrl_site.api.errors import TooLarge

CONTENT_TYPE = "application/problem+json"
RETRY_AFTER_S = 5
CONFLICTS = (PhaseConflict, PhaseStateError, LeaseLost)
# Each kind of problem by its name; docs/api.md says what to do about it.
TITLES = {
    "invalid": "Something in the request is missing or wrong",
    "parse-error": "The body cannot be read",
    "not-authenticated": "Sign in, or send a token",
    "authentication-failed": "The token is not valid",
    "permission-denied": "The person or the token may not do this",
    "not-found": "There is no such thing",
    "method-not-allowed": "The address does not know this method",
    "not-acceptable": "The answer cannot be had in this format",
    "unsupported-media-type": "The body's format is not known here",
    "too-large": "The body is too large",
    "throttled": "Too many requests",
    "request-running": "The first request with this key is still running",
    "key-reused": "The key was used for another request",
    "format-missing": "This format needs a package that is not installed",
    "error": "Something went wrong",
    "unavailable": "The database does not answer now",
    "server-error": "Something went wrong here",
    "not-allowed": "The person may not do this",
    "phase-conflict": "The run already has an open phase",
    "phase-state-error": "The phase is not in a status that allows this",
    "lease-lost": "The task is no longer reserved for you",
    "review-error": "The decision misses something",
    "first-look-missing": "The decision comes before the machine's opinion",
    "takeover-error": "This step cannot be taken over like that",
    "verdict-error": "This episode cannot be judged like that",
    "endpoint-down": "A model's endpoint does not answer now",
    "store-down": "The object store does not answer now",
    "checkpoint-error": "There are no readable weights at an address",
    "task-import-error": "A task file with mistakes",
    "run-config-error": "A setting that is unknown or out of range",
    "settings-clash": "Two settings that exclude one another",
    "workbench-error": "This cannot be done as things stand",
}


def describe(
    name: str, code: int, detail: str, errors: object = None, **more: object
) -> dict[str, Any]:
    """Return the body of one problem; `more` are members of its own kind.

    Messages repeat what was sent, such as half of a surrogate pair.
    """
    body = {
        "type": f"/api/problems/{name}/",
        "title": TITLES.get(name, TITLES["error"]),
        "status": code,
        "detail": detail,
    }
    found: dict[str, Any] = clean_all(
        body | ({"errors": errors} if errors else {}) | more
    )
    return found


def handle_error(error: Exception, context: dict[str, Any]) -> Response | None:
    """Answer an expected error; None leaves it to Django, which logs it."""
    if isinstance(error, WorkbenchError):
        return _answer_workbench_error(error)
    for kind, replacement in (
        (Http404, NotFound),
        (PermissionDenied, Forbidden),
        (RequestDataTooBig, TooLarge),
    ):
        if isinstance(error, kind):
            error = replacement()
    if not isinstance(error, APIException):
        return None
    response = exception_handler(error, context)
    if response is not None:
        response.data = _describe_exception(error)
        response.content_type = CONTENT_TYPE
    return response


def _answer_workbench_error(error: WorkbenchError) -> Response:
    code: int = status.HTTP_400_BAD_REQUEST
    if isinstance(error, NotAllowed):
        code = status.HTTP_403_FORBIDDEN
    elif isinstance(error, CONFLICTS):
        code = status.HTTP_409_CONFLICT
    headers: dict[str, str] = {}
    if isinstance(error, EndpointDown):
        code = status.HTTP_503_SERVICE_UNAVAILABLE
        headers["Retry-After"] = f"{max(error.wait_s, RETRY_AFTER_S):.0f}"
    more: dict[str, Any] = {}
    if isinstance(error, PhaseConflict):
        more["phase_id"] = error.phase_id
    if isinstance(error, TaskImportError):
        more = _list_refusals(error.refusals)
    body = describe(name_of(type(error)), code, error.message, **more)
    return Response(body, status=code, headers=headers, content_type=CONTENT_TYPE)


def _list_refusals(refusals: Refusals) -> dict[str, Any]:
    """Return what is wrong by field, such as "tasks.2.intent", and how much more is."""
    if not refusals.count:
        return {}
    errors: dict[str, list[str]] = {}
    for one in refusals.told:
        # For a line that cannot be read, the task is unknown.
        where = f"tasks.{one.number}" if one.number else f"lines.{one.line}"
        name = f"{where}.{one.field}" if one.field else where
        errors.setdefault(name, []).append(one.message)
    return {"errors": errors, "errors_left_out": refusals.left_out}


def _describe_exception(error: APIException) -> dict[str, Any]:
    name = error.default_code.replace("_", "-")
    if not isinstance(error, ValidationError):
        return describe(name, error.status_code, str(error.detail))
    detail = error.detail
    fields = detail if isinstance(detail, dict) else {"non_field_errors": detail}
    text = f"Look at {', '.join(map(str, fields))}."
    return describe(name, error.status_code, text, fields)


def name_of(kind: type[Exception]) -> str:
    """Return "phase-conflict" for `PhaseConflict`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", kind.__name__).lower()


def _answer(name: str, code: int, detail: str) -> JsonResponse:
    return JsonResponse(
        describe(name, code, detail), status=code, content_type=CONTENT_TYPE
    )


def is_api(request: HttpRequest) -> bool:
    """Say whether the request is for the API, which answers with JSON."""
    return request.path.startswith("/api/")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Handle what Django refuses before a view runs."""
    if not is_api(request):
        return defaults.bad_request(request, exception)
    if isinstance(exception, RequestDataTooBig):
        return _answer("too-large", 413, str(TooLarge.default_detail))
    return _answer("parse-error", 400, "The request cannot be read.")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Handle addresses that no route knows."""
    if not is_api(request):
        return defaults.page_not_found(request, exception)
    return _answer("not-found", 404, "There is nothing at this address.")


def _try_again(request: HttpRequest) -> HttpResponse:
    """Answer 503: the request may be sent again."""
    response: HttpResponse
    if is_api(request):
        text = "The database does not answer; nothing was changed."
        response = _answer("unavailable", 503, text)
    else:
        response = HttpResponse(get_template("503.html").render(), status=503)
    response["Retry-After"] = str(RETRY_AFTER_S)
    return response


def server_error(request: HttpRequest) -> HttpResponse:
    """Handle an unexpected error, which Django has logged.

    A database that does not answer now may answer soon.
    """
    if isinstance(sys.exc_info()[1], OperationalError | InterfaceError):
        return _try_again(request)
    if not is_api(request):
        return defaults.server_error(request)
    return _answer(
        "server-error", 500, "The mistake is ours; the server's log says more."
    )
