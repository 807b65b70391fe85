"""What the operator says of external sites: JSON by site key, never stored."""

from __future__ import annotations

import json
from typing import Any

from curriculum.errors import WorkbenchError


def read_sites(text: str, setting: str) -> dict[str, Any]:
    """Read {"site": ...}; "" means no sites.

    Raises:
        WorkbenchError: Names the setting; what it holds is never told.
    """
    if not text.strip():
        return {}
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise WorkbenchError(f"{setting} is not JSON.") from None
    if not isinstance(data, dict):
        raise WorkbenchError(f"{setting} must be an object of sites.")
    return {str(site): value for site, value in data.items()}


def mistake(setting: str, site: str, what: str) -> WorkbenchError:
    """Return the error that names a site's mistake."""
    return WorkbenchError(f"{setting}: {site}: {what}.")
