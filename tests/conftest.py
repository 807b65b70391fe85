"""What every test has: no network but loopback, weights that load, eager jobs."""

from __future__ import annotations

import gc
import ipaddress
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_django
from django.conf import settings
from django.core.cache import cache

from scripts.workbench.install.catalogues import list_stale
from tests import fakes, stages
from tests.first_ids import skip_first_ids
from webrl_site.i18n.catalogues import compile_all

# A bare `pytest` has not been through `./webrl setup`.
compile_all(list_stale())


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--on-servers",
        action="store_true",
        help="only tests that ask a database, a broker or a channel layer",
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Leave modules and collected tests out of garbage collections.

    They stay until the end, and each full collection would walk through all of them.
    What a test makes is collected as ever.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Iterator[None]:
    """Choose for the stage, and put what takes longest first: nobody waits for it."""
    # Before `-m` has left out what other stages run.
    if strays := stages.find_strays(items):
        raise pytest.UsageError("\n".join(strays))
    yield
    if config.getoption("--on-servers"):
        left_out = [item for item in items if not stages.needs_servers(item)]
        config.hook.pytest_deselected(items=left_out)
        items[:] = filter(stages.needs_servers, items)
    items.sort(key=stages.comes_later)


def _is_loopback(address: Any) -> bool:
    if not isinstance(address, tuple):
        return True  # a unix socket
    host = address[0]
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host.split("%")[0]).is_loopback
    except ValueError:
        return False


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse connections to any other machine."""
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex

    def guarded(original: Any) -> Any:
        def call(self: socket.socket, address: Any) -> Any:
            if not _is_loopback(address):
                raise AssertionError(f"A test tried to reach {address!r}.")
            return original(self, address)

        return call

    monkeypatch.setattr(socket.socket, "connect", guarded(connect))
    monkeypatch.setattr(socket.socket, "connect_ex", guarded(connect_ex))


@pytest.fixture(scope="session")
def django_db_setup(
    django_db_setup: None, django_db_blocker: pytest_django.DjangoDbBlocker
) -> None:
    """Let no table begin with row 1: a test that names an id fails at once.

    A rolled back transaction gives its ids back on SQLite but not on PostgreSQL,
    where such a test would pass or fail by the tests before it.
    """
    with django_db_blocker.unblock():
        skip_first_ids()


@pytest.fixture(scope="session", autouse=True)
def starter_models() -> Iterator[None]:
    """Weights under the addresses that runs start from, and no traces afterwards."""
    for kind in ("policy", "critic", "orm"):
        fakes.write_checkpoint(Path(settings.DATA_DIR) / "models/starter" / kind, 0.2)
    yield
    shutil.rmtree(settings.DATA_DIR, ignore_errors=True)


@pytest.fixture
def eager_jobs() -> Iterator[None]:
    """Run every job where it is asked for, its callbacks too."""
    from webrl_site.celery import app

    app.conf.task_always_eager = app.conf.task_eager_propagates = True
    yield
    app.conf.task_always_eager = app.conf.task_eager_propagates = False


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    """Nothing is remembered from the test before, whose rows had the same ids."""
    cache.clear()


@pytest.fixture(autouse=True)
def whole_episodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """No fake episode breaks unless a test says so, and no policy is kept."""
    from rollouts.services.loading import POLICIES

    monkeypatch.setattr(
        fakes.FakeCollector, "before_episode", staticmethod(lambda request: None)
    )
    POLICIES.clear()
    fakes.OnDevice.held.clear()
