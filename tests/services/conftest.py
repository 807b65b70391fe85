from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import redis

from scripts.workbench.processes import child
from scripts.workbench.processes.children import CALM
from tests.services.live import LiveWorkbench, fresh_database


@pytest.fixture
def redis_urls(worker_id: str) -> tuple[str, str]:
    """Two empty databases of the private Redis that no other test process uses."""
    number = int(worker_id.removeprefix("gw")) if worker_id != "master" else 0
    server = os.environ["TEST_BROKER_URL"].rpartition("/")[0]
    urls = (f"{server}/{2 * number}", f"{server}/{2 * number + 1}")
    for url in urls:
        redis.from_url(url).flushdb()
    return urls


@pytest.fixture(params=["embedded", "servers"])
def workbench(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[LiveWorkbench]:
    """A migrated workbench with slow fakes: embedded, or on PostgreSQL and Redis."""
    monkeypatch.setattr(child, "LOG_DIR", tmp_path / "log")
    own = {
        "DJANGO_SETTINGS_MODULE": "tests.services.settings",
        "WEBRL_DATA_DIR": str(tmp_path / "data"),
        "DATABASE_URL": f"sqlite:///{tmp_path}/webrl.sqlite3",
        "LEASE_S": "2",
    }
    with ExitStack() as cleanup:
        if request.param == "servers":
            server = os.environ["TEST_DATABASE_URL"]
            own["DATABASE_URL"] = cleanup.enter_context(fresh_database(server))
            urls = request.getfixturevalue("redis_urls")
            own["BROKER_URL"], own["CHANNEL_URL"] = urls
        live = LiveWorkbench({**os.environ, **CALM, **own})
        cleanup.callback(live.supervisor.stop)
        live.python("manage.py", "migrate", "--verbosity=0")
        yield live
