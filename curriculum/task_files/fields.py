"""Reads the fields of one task of a file, which may contain anything."""

from __future__ import annotations

import math
from typing import Any

from django.utils.translation import gettext

from curriculum.task_files.types import Entry, Refusal, Refusals

DEEPEST = 20
MAX_QUOTE_LENGTH = 100


class FieldReader:
    """Reads fields of one task object; errors are added to `refusals`.

    A wrong field reads as empty, so that the other fields are checked, too.
    """

    def __init__(self, entry: Entry, refusals: Refusals) -> None:
        self._entry = entry
        self._refusals = refusals
        self.item: dict[str, Any] = {}
        self.is_object = isinstance(entry.item, dict)
        if not self.is_object:
            self.refuse("", gettext("must be an object"))
            return
        self.item = entry.item
        for name, value in self.item.items():
            if fault := _find_fault({name: value}):
                # A name that cannot be stored cannot be a known one.
                self.refuse("" if _find_fault(name) else name, fault)

    def refuse(self, field: str, what: str) -> None:
        """Report a field as wrong; "" for the task as a whole."""
        told = gettext("%(place)s: %(what)s.") % {
            "place": self._entry.place,
            "what": f"{field}: {what}" if field else what,
        }
        number, line = self._entry.number, self._entry.line
        self._refusals.add(Refusal(told, number, line, field))

    def text(self, field: str, longest: int) -> str:
        value = self.item.get(field)
        if not isinstance(value, str) or not value.strip():
            self.refuse(field, gettext("must be a non-empty string"))
            return ""
        if len(value) > longest:
            self.refuse(
                field,
                gettext("has more than %(longest)s characters") % {"longest": longest},
            )
            return ""
        return value.strip()

    def texts(self, field: str) -> list[str]:
        value = self.item.get(field)
        if not isinstance(value, list) or not value:
            self.refuse(field, gettext("must be a non-empty list"))
            return []
        if not all(isinstance(entry, str) for entry in value):
            self.refuse(field, gettext("must contain only strings"))
            return []
        return value


def quote(value: object) -> str:
    """Return a value as it is in the file, cut where it is long."""
    text = repr(value)
    return text if len(text) <= MAX_QUOTE_LENGTH else f"{text[:MAX_QUOTE_LENGTH]}…"


def _find_fault(value: object, depth: int = 0) -> str:
    """Return what a database could not store as JSON, or ""."""
    if depth > DEEPEST:
        return gettext("nested too deeply")
    if isinstance(value, str):
        return "" if _is_storable(value) else gettext("contains an invalid character")
    if isinstance(value, float):
        return (
            ""
            if math.isfinite(value)
            else gettext("contains a number that is not finite")
        )
    if isinstance(value, dict):
        inner = [*value, *value.values()]
    else:
        inner = value if isinstance(value, list) else []
    return next(filter(None, (_find_fault(entry, depth + 1) for entry in inner)), "")


def _is_storable(text: str) -> bool:
    return "\x00" not in text and not any("\ud800" <= c <= "\udfff" for c in text)
