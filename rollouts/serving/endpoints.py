"""The operator's settings for servers, read where they are needed."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from urllib.parse import urldefrag

from django.conf import settings

from rollouts.serving.endpoint_file import parse_endpoints
from rollouts.serving.types import Endpoint


def find_endpoint(served_uri: str) -> Endpoint:
    """Return the settings of the model's server, or the defaults.

    Raises:
        WorkbenchError: SERVED_POLICIES has a mistake.
    """
    return _parse_once(settings.SERVED_POLICIES).get(
        urldefrag(served_uri).url, Endpoint()
    )


@functools.lru_cache(maxsize=1)
def _parse_once(text: str) -> Mapping[str, Endpoint]:
    return parse_endpoints(text)
