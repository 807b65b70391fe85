"""The language of an answer: the reader's for pages, English for programs."""

from __future__ import annotations

from collections.abc import Awaitable

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.locale import LocaleMiddleware
from django.utils import translation

# Programs read these, so their words do not follow the reader.
ENGLISH_PATHS = ("/api/", "/static/")
FOR_PROGRAMS = "en"


class LanguageMiddleware(LocaleMiddleware):
    """Choose the language by cookie, else by the browser's preference.

    Answers to programs are in English and do not vary with the language. The thread's
    language is restored afterwards, since other requests use the thread.
    """

    def __call__(
        self, request: HttpRequest
    ) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        """Answer in the chosen language."""
        with translation.override(translation.get_language()):
            return super().__call__(request)

    def process_request(self, request: HttpRequest) -> None:
        if request.path_info.startswith(ENGLISH_PATHS):
            translation.activate(FOR_PROGRAMS)
            request.LANGUAGE_CODE = FOR_PROGRAMS
        else:
            super().process_request(request)

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        if request.path_info.startswith(ENGLISH_PATHS):
            return response
        return super().process_response(request, response)
