"""Object stores for tests: a bucket on loopback, and a folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from curriculum.object_store.store import ObjectStore, open_store
from tests.s3_server import KEYS, serve_s3, variables
from webrl_site.env import Env
from webrl_site.object_store_settings import find_object_store


@pytest.fixture(scope="session")
def s3_url() -> Iterator[str]:
    with serve_s3() as url:
        yield url


def use_store(settings: Any, found: dict[str, str]) -> ObjectStore:
    """Let this process keep its files as a deployment with these variables does."""
    keys = (KEYS["S3_ACCESS_KEY"], KEYS["S3_SECRET_KEY"])
    settings.OBJECT_STORE, settings.STORAGES = find_object_store(Env(found), *keys)
    store = open_store()
    assert store is not None
    return store


@pytest.fixture
def bucket(s3_url: str, settings: Any, tmp_path: Path) -> ObjectStore:
    return use_store(settings, variables(s3_url, tmp_path.name))


@pytest.fixture(params=["bucket", "folder"])
def store(request: pytest.FixtureRequest, settings: Any, tmp_path: Path) -> ObjectStore:
    if request.param == "bucket":
        found: ObjectStore = request.getfixturevalue("bucket")
        return found
    return use_store(settings, {"OBJECT_STORE": str(tmp_path / "shared")})
