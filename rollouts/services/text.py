"""Text from pages and models, made storable."""

from __future__ import annotations

from typing import Any


def clean(text: str) -> str:
    """Drop what a database cannot store: NUL and lone surrogates."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()


def clean_all(value: object) -> Any:
    """Clean every text inside a JSON value."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {key: clean_all(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [clean_all(entry) for entry in value]
    return value
