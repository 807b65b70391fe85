"""Reads the fields of one task of a file, whatever stands there."""

from __future__ import annotations

import math
from typing import Any

from django.utils.translation import gettext

from curriculum.errors import TaskImportError
from curriculum.task_files.types import Entry

DEEPEST = 20


class FieldReader:
    """Reads fields of one task object; its errors name the entry and the field."""

    def __init__(self, entry: Entry) -> None:
        self.place = entry.place
        if not isinstance(entry.item, dict):
            raise self._refuse(gettext("must be an object"))
        self.item: dict[str, Any] = entry.item
        fault = _find_fault(self.item)
        if fault:
            raise self._refuse(fault)

    def error(self, field: str, what: str) -> TaskImportError:
        return self._refuse(f"{field}: {what}")

    def _refuse(self, what: str) -> TaskImportError:
        return TaskImportError(
            gettext("%(place)s: %(what)s.") % {"place": self.place, "what": what}
        )

    def text(self, field: str, longest: int) -> str:
        value = self.item.get(field)
        if not isinstance(value, str) or not value.strip():
            raise self.error(field, gettext("must be a text that is not empty"))
        if len(value) > longest:
            raise self.error(
                field,
                gettext("has more than %(longest)s characters") % {"longest": longest},
            )
        return value.strip()

    def texts(self, field: str) -> list[str]:
        value = self.item.get(field)
        if not isinstance(value, list) or not value:
            raise self.error(field, gettext("must be a list that is not empty"))
        for entry in value:
            if not isinstance(entry, str):
                raise self.error(field, gettext("must hold texts only"))
        return value


def _find_fault(value: Any, depth: int = 0) -> str:
    """Say what a database could not store as JSON; "" when it can."""
    if depth > DEEPEST:
        return gettext("nested too deeply")
    if isinstance(value, str):
        return (
            "" if _is_storable(value) else gettext("contains a character that is none")
        )
    if isinstance(value, float):
        return "" if math.isfinite(value) else gettext("contains a number that is none")
    if isinstance(value, dict):
        inner = [*value, *value.values()]
    else:
        inner = value if isinstance(value, list) else []
    return next(filter(None, (_find_fault(entry, depth + 1) for entry in inner)), "")


def _is_storable(text: str) -> bool:
    return "\x00" not in text and not any("\ud800" <= c <= "\udfff" for c in text)
