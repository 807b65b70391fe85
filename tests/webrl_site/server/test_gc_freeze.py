from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from webrl_site.server.gc_freeze import freeze_start


@pytest.fixture(autouse=True)
def thawed() -> Iterator[None]:
    """Begin with nothing frozen, and end as the collection of tests left it."""
    gc.unfreeze()
    yield
    gc.collect()
    gc.freeze()


class Ring:
    """Only a collection frees it: it refers to itself."""

    def __init__(self) -> None:
        self.itself = self


def test_collections_leave_out_what_the_start_made():
    freeze_start()

    assert gc.get_freeze_count() > 10 * len(gc.get_objects())


def test_what_is_made_afterwards_is_collected():
    freeze_start()
    ring = weakref.ref(Ring())

    gc.collect()

    assert ring() is None
