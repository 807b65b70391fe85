"""What the web process keeps for good is not looked at again by the collector.

Settings, models, forms and addresses are 136,000 objects when the first request
comes. Python's full garbage collections walk through all of them, in the middle of
some request, which is 90 ms longer for it, and always find them in use.
"""

from __future__ import annotations

import gc

from django.urls import get_resolver, reverse


def freeze_start() -> None:
    """Load all addresses, and leave all that is loaded out of later collections.

    What is made afterwards is collected as ever.
    """
    _ = get_resolver().url_patterns
    reverse("home")
    gc.collect()
    gc.freeze()
