"""The flag with which a worker that shuts down asks its job to give work back."""

from __future__ import annotations

import threading

STOPPING = threading.Event()
