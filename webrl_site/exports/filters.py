"""Filters of an export as words of a command line: NAME=VALUE."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError
from django.http import QueryDict
from rest_framework.exceptions import ValidationError

from curriculum.api.filters import read_filters
from webrl_site.exports.tables import TABLES


def read_words(kind: str, words: list[str]) -> dict[str, Any]:
    """Return the filters of a table by name.

    Raises:
        CommandError: A word is not a filter, or its value is invalid; the message lists
            the valid ones.
    """
    given = QueryDict(mutable=True)
    for word in words:
        name, sign, value = word.partition("=")
        if not sign:
            raise CommandError(f"{word!r} is no filter; write NAME=VALUE.")
        given.appendlist(name, value)
    try:
        return read_filters(given, TABLES[kind].filter_form, ())
    except ValidationError as error:
        raise CommandError(_say_refusal(error, kind)) from None


def _say_refusal(error: ValidationError, kind: str) -> str:
    """Return one line: what is wrong with which filter, and which there are."""
    known = TABLES[kind].filter_form.base_fields
    unknown = [str(name) for name in error.detail if name not in known]
    if unknown:
        names = ", ".join(unknown)
        return f"There is no filter {names}; {kind} have {', '.join(sorted(known))}."
    details = dict(error.detail)  # type: ignore[arg-type]
    return " ".join(
        f"{name}: {text}" for name, texts in details.items() for text in texts
    )
