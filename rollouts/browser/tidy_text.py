"""Text that came from a page or a model, made fit to be stored anywhere."""

from __future__ import annotations


def tidy(text: str) -> str:
    """Replace half characters (lone surrogates) and drop NUL."""
    return text.encode(errors="replace").decode().replace("\x00", "")
