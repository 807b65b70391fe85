"""The scripts' texts in the reader's language, from the catalogue `djangojs`."""

from __future__ import annotations

import functools
import gettext

from django.conf import settings
from django.utils import translation

DOMAIN = "djangojs"


def read_texts() -> dict[str, str | list[str]]:
    """Return translations by their English text, plural forms as lists.

    Empty in English: the scripts hold the English texts themselves.
    """
    return _read(translation.get_language() or "en")


@functools.cache
def _read(language: str) -> dict[str, str | list[str]]:
    if language.split("-")[0] == "en":
        return {}
    found = gettext.translation(
        DOMAIN,
        settings.LOCALE_PATHS[0],
        [translation.to_locale(language)],
        fallback=True,
    )
    texts: dict[str, str | list[str]] = {}
    # Plural forms have keys (text, index), in the order of the file.
    for key, said in sorted(vars(found).get("_catalog", {}).items(), key=str):
        if isinstance(key, tuple):
            texts[key[0]] = [*texts.get(key[0], []), said]
        elif key:
            texts[key] = said
    return texts
