"""Makes text from a page or a model safe to store."""

from __future__ import annotations


def tidy(text: str) -> str:
    """Replace lone surrogates and drop NUL."""
    return text.encode(errors="replace").decode().replace("\x00", "")
