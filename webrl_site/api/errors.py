"""What can go wrong with a request beyond what the framework knows."""

from __future__ import annotations

from rest_framework import status
from rest_framework.exceptions import APIException


class TooLarge(APIException):
    """The body passes the limit."""

    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_detail = "The body is too large."
    default_code = "too_large"


class FormatMissing(APIException):
    """The server lacks the package that writes this format."""

    status_code = status.HTTP_501_NOT_IMPLEMENTED
    default_detail = "Parquet needs pyarrow on the server; ask for jsonl or csv."
    default_code = "format_missing"


class KeyReused(APIException):
    """The idempotency key was used for another request."""

    status_code = status.HTTP_422_UNPROCESSABLE_ENTITY
    default_detail = "This Idempotency-Key belongs to another request; take a new one."
    default_code = "key_reused"


class RequestRunning(APIException):
    """The first request under the idempotency key is not done."""

    status_code = status.HTTP_409_CONFLICT
    default_detail = "The first request with this key still runs; ask again."
    default_code = "request_running"
    # Seconds, for the Retry-After header.
    wait = 1
