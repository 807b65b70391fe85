"""The operator's settings of external sites and servers: JSON, never stored."""

from __future__ import annotations

import json
from typing import Any

from curriculum.errors import WorkbenchError


def read_sites(text: str, setting: str, what: str = "sites") -> dict[str, Any]:
    """Read {"site": ...}; "" means none.

    Raises:
        WorkbenchError: Names the setting, never its content.
    """
    if not text.strip():
        return {}
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise WorkbenchError(f"{setting} is not JSON.") from None
    if not isinstance(data, dict):
        raise WorkbenchError(f"{setting} must be an object of {what}.")
    return {str(site): value for site, value in data.items()}


def mistake(setting: str, site: str, what: str) -> WorkbenchError:
    """Return the error for a mistake in the settings of a site or server."""
    return WorkbenchError(f"{setting}: {site}: {what}.")
