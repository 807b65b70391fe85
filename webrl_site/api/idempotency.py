"""`Idempotency-Key`: a POST that is sent twice is carried out once."""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Callable
from typing import Any, cast

from django.db import transaction
from rest_framework.exceptions import ValidationError
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import is_server_error
from rest_framework.views import APIView

from webrl_site.api import stored_responses
from webrl_site.api.errors import RequestRunning
from webrl_site.models import IdempotentResponse

HEADER = "Idempotency-Key"
REPEATED = "Idempotent-Replayed"
MAX_KEY_LENGTH = 255
_KEY = re.compile(rf"[\x21-\x7e]{{1,{MAX_KEY_LENGTH}}}")
Handler = Callable[..., Response]


class AnswersOnce(APIView):
    """Honours the header on POST, once the person is known and may do this."""

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        super().initial(request, *args, **kwargs)
        handler: Handler | None = getattr(self, "post", None)
        if request.method == "POST" and handler and HEADER in request.headers:
            # What the dispatcher looks up next.
            setattr(self, "post", functools.partial(self._answer_once, handler))  # noqa: B010

    def _answer_once(
        self, handler: Handler, request: Request, *args: object, **kwargs: object
    ) -> Response:
        answer = stored_responses.claim_answer(
            user_id=cast(int, request.user.pk),
            key=_read_key(request),
            digest=_digest(request),
        )
        if answer.status is not None:
            return _repeat(answer)
        try:
            with transaction.atomic():
                response = self._handle(handler, request, *args, **kwargs)
                failed = is_server_error(response.status_code)
                if failed:
                    # Such as an outage: undone, to be tried again under the same key.
                    transaction.set_rollback(True)
                else:
                    _keep(answer, response)
        except stored_responses.AnswerLost:
            raise RequestRunning from None
        except BaseException:
            stored_responses.give_back(answer=answer)
            raise
        if failed:
            stored_responses.give_back(answer=answer)
        return response

    def _handle(
        self, handler: Handler, request: Request, *args: object, **kwargs: object
    ) -> Response:
        """Turn expected errors into answers here, where they can be kept."""
        try:
            return handler(request, *args, **kwargs)
        except Exception as error:  # noqa: BLE001 (raises again what nobody expected)
            return self.handle_exception(error)


def _keep(answer: IdempotentResponse, response: Response) -> None:
    data = response.data
    body = "" if data is None else JSONRenderer().render(data).decode()
    stored_responses.keep_answer(
        answer=answer,
        status=response.status_code,
        body=body,
        content_type=response.content_type or "",
    )


def _repeat(answer: IdempotentResponse) -> Response:
    return Response(
        json.loads(answer.body) if answer.body else None,
        status=answer.status,
        content_type=answer.content_type or None,
        headers={REPEATED: "true"},
    )


def _read_key(request: Request) -> str:
    key: str = request.headers[HEADER]
    if not _KEY.fullmatch(key):
        text = f"Must be 1 to {MAX_KEY_LENGTH} visible ASCII characters."
        raise ValidationError({HEADER: [text]})
    return key


def _digest(request: Request) -> str:
    """Return a digest of what is asked, however the JSON was laid out."""
    data: Any = request.data
    is_file = isinstance(data, bytes)
    body = data if is_file else json.dumps(data, sort_keys=True).encode()
    head = f"{request.method} {request.get_full_path()}\n".encode()
    return hashlib.sha256(head + body).hexdigest()
