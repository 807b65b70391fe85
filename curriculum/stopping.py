"""The flag by which a worker that shuts down asks its job to give work back.

A multiprocessing event: the worker's main process sets it, the forked child that
runs the job sees it.
"""

from __future__ import annotations

import multiprocessing

STOPPING = multiprocessing.get_context("fork").Event()
