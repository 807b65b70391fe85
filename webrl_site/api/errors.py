"""What can go wrong with a request beyond what the framework knows."""

from __future__ import annotations

from rest_framework import status
from rest_framework.exceptions import APIException


class TooLarge(APIException):
    """The body passes the limit."""

    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_detail = "The body is too large."
    default_code = "too_large"
