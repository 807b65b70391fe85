"""Which served policies the operator's settings name."""

from __future__ import annotations

import json

from django.conf import settings


def is_operators(uri: str) -> bool:
    """Say whether the settings name this server; the model's name does not matter."""
    base = uri.partition("#")[0]
    known = json.loads(settings.SERVED_POLICIES or "{}")
    return bool(base) and (base == settings.POLICY_URL or base in known)
