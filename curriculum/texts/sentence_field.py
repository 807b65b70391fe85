"""A column for a text that may be a sentence with a code."""

from __future__ import annotations

import json
from typing import Any

from django.db import models

from curriculum.texts.sentences import code_of, restore

_START = '{"text": '


class SentenceField(models.TextField):  # type: ignore[type-arg]
    """Text; a `Sentence` comes back as one.

    A sentence is stored as a JSON object with its English text, code and figures. Any
    other text is stored as it is, and so are all old rows.
    """

    def deconstruct(self) -> Any:
        """Return a text field for migrations, since the column is one."""
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.TextField", args, kwargs

    def get_prep_value(self, value: Any) -> Any:
        """Return the column's content."""
        text = models.Field.get_prep_value(self, value)
        if not isinstance(text, str):
            return text
        coded = code_of(text)
        if coded or text.startswith(_START):
            return json.dumps({"text": text[:], **coded})
        return text

    def value_to_string(self, obj: models.Model) -> str:
        """Return the column's content, for a backup."""
        return str(self.get_prep_value(self.value_from_object(obj)))

    def to_python(self, value: Any) -> Any:
        """Return the text that a backup kept, as a sentence where it was one."""
        text = super().to_python(value)
        is_kept = type(text) is str and text.startswith(_START)
        return read_column(text) if is_kept else text

    def from_db_value(self, value: str | None, *args: Any) -> str | None:
        """Return the text, as a sentence where a code is stored with it."""
        return read_column(value) if value and value.startswith(_START) else value


def read_column(value: str) -> str:
    """Return the text that a column's JSON object holds."""
    try:
        stored = json.loads(value)
        return restore(str(stored["text"]), stored)
    except (ValueError, KeyError, TypeError, AttributeError):
        return value
