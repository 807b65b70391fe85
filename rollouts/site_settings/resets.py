"""The operator's settings of external sites, read where they are needed."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from django.conf import settings

from rollouts.site_settings.site_reset import SiteReset
from rollouts.site_settings.site_reset_file import parse_resets


def find_resets() -> Mapping[str, SiteReset]:
    """Return how sites are reset, by key.

    Raises:
        WorkbenchError: SITE_RESETS has a mistake.
    """
    return _parse_once(settings.SITE_RESETS)


def find_reset(key: str, number: int, address: str) -> SiteReset | None:
    """Return how one instance is reset, None where the settings do not say.

    It is the entry KEY#NUMBER, or else KEY, where that applies to all instances or the
    instance is the first.

    Raises:
        WorkbenchError: SITE_RESETS has a mistake.
    """
    resets = find_resets()
    own = resets.get(f"{key}#{number}")
    if own is None and (found := resets.get(key)) is not None:
        own = found if number == 1 or found.names_instance else None
    return own.fill(number, address) if own is not None else None


def can_reset(instance: tuple[str, int]) -> bool:
    """Whether the settings say how this instance, by key and number, is reset."""
    return find_reset(*instance, "") is not None


def grow_pause(times: int) -> float:
    """Seconds to wait after a site has failed `times` in a row, from 1 on."""
    doubled = settings.SITE_PAUSE_S * 2.0 ** min(max(times, 1) - 1, 30)
    return float(min(doubled, settings.SITE_LONGEST_PAUSE_S))


@functools.lru_cache(maxsize=1)
def _parse_once(text: str) -> Mapping[str, SiteReset]:
    return parse_resets(text)
