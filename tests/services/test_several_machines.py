"""A worker on another machine, whose data folder is empty, collects a whole phase."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from scripts.workbench.console import Bar
from scripts.workbench.processes import child, supervisor
from scripts.workbench.processes.child import Program
from scripts.workbench.processes.children import CALM
from tests import fakes
from tests.s3_server import BUCKET, client, serve_s3, variables
from tests.services.live import LiveWorkbench, fresh_database
from tests.services.machines import Machine, second_machine

pytestmark = [pytest.mark.services, pytest.mark.slow]

HERE = ("worker-training", "worker-loop", "beat")
ADDRESSES = ("DATABASE_URL", "BROKER_URL", "CHANNEL_URL", "S3_ENDPOINT_URL")
# Two browsers on a machine that does much else.
LIMIT_S = 300.0
EPISODES = {"baseline": 3, "collect": 6, "evaluate": 3}


class Lab:
    """The machine with training and loop, and another one with sandbox and rollouts."""

    def __init__(self, folder: Path, env: dict[str, str], machine: Machine) -> None:
        self.near, self.far, self.machine = folder / "near", folder / "far", machine
        self.far.mkdir()
        for kind in ("policy", "critic", "orm"):
            fakes.write_checkpoint(folder / "models/starter" / kind, 0.2)
        common = env | {"LAB_MODELS": str(folder / "models"), "LEASE_S": "3"}
        self.here = LiveWorkbench(common | {"WEBRL_DATA_DIR": str(self.near)}, HERE)
        there = {name: machine.reach(common[name]) for name in ADDRESSES}
        own = {"WEBRL_DATA_DIR": str(self.far)}
        self.there = LiveWorkbench(common | there | own, ())
        self.there.supervisor = supervisor.Supervisor(
            self._list_programs(), self.there.env, marker(self.there)
        )

    def _list_programs(self) -> list[Program]:
        python = sys.executable
        queue = ("--hostname=far@%h", "--queues=rollouts", "--pool=solo")
        quiet = ("--without-gossip", "--without-mingle", "--without-heartbeat")
        sandbox = (python, "-m", "rollouts.sites.sandbox.server")
        worker = (python, "-m", "celery", "--app=webrl_site.celery", "worker")
        return [
            Program("far-sandbox", self.machine.wrap(sandbox), lambda log: True),
            Program(
                "far-rollouts",
                self.machine.wrap((*worker, *queue, *quiet, "--loglevel=INFO")),
                lambda log: " ready." in log,
            ),
        ]

    def start(self) -> None:
        for workbench in (self.here, self.there):
            workbench.supervisor.start()
            workbench.supervisor.wait_until_ready(Bar("Starting", 5))

    def is_closed(self) -> bool:
        self.there.supervisor.look()
        return self.here.rows("SELECT status FROM curriculum_phase") == [("closed",)]


def marker(workbench: LiveWorkbench) -> str:
    return f"WEBRL_STACK={workbench.env['WEBRL_STACK']}"


@pytest.fixture
def lab(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, redis_urls: tuple[str, str]
) -> Iterator[Lab]:
    monkeypatch.setattr(child, "LOG_DIR", tmp_path / "log")
    with ExitStack() as cleanup:
        s3 = variables(cleanup.enter_context(serve_s3()), "lab")
        server = os.environ["TEST_DATABASE_URL"]
        env = {
            **{**os.environ, **CALM, **s3},
            "DJANGO_SETTINGS_MODULE": "tests.services.lab_settings",
            "DATABASE_URL": cleanup.enter_context(fresh_database(server)),
            "BROKER_URL": redis_urls[0],
            "CHANNEL_URL": redis_urls[1],
        }
        found = Lab(tmp_path, env, cleanup.enter_context(second_machine()))
        for workbench in (found.here, found.there):
            cleanup.callback(workbench.supervisor.stop)
        found.here.python("manage.py", "migrate", "--verbosity=0")
        yield found


def test_a_machine_with_an_empty_folder_collects_and_stores_everything(lab: Lab):
    lab.start()
    hosts = lab.here.rows(
        "SELECT host FROM webrl_site_worker WHERE queues LIKE '%rollouts%'"
    )
    own = lab.machine.name if lab.machine.is_apart else os.uname().nodename
    lab.here.python("-m", "tests.services.seed_lab")

    lab.here.wait_for("closed", lab.is_closed, LIMIT_S)

    # The page of the workers shows this name.
    assert hosts == [(own,)]
    check_episodes(lab)
    check_files(lab)


def check_episodes(lab: Lab) -> None:
    rows = lab.here.rows(
        "SELECT purpose, count(*) FROM rollouts_trajectory "
        "WHERE status = 'finished' GROUP BY purpose"
    )
    assert dict(rows) == EPISODES


def check_files(lab: Lab) -> None:
    """Pages lie in the bucket alone; weights trained here were fetched there."""
    ((pages,),) = lab.here.rows(
        "SELECT count(DISTINCT snapshot) FROM rollouts_step WHERE snapshot <> ''"
    )
    objects = client(lab.here.env["S3_ENDPOINT_URL"]).list_objects_v2(
        Bucket=BUCKET, Prefix="lab/artifacts/"
    )
    ((digest,),) = lab.here.rows(
        "SELECT digest FROM training_checkpoint WHERE uri LIKE 'lab-%/policy'"
    )

    assert 0 < pages <= len(objects["Contents"])
    assert not (lab.near / "artifacts").exists()
    assert not (lab.far / "artifacts").exists()
    assert not (lab.far / "checkpoints").exists()
    assert [path.name for path in (lab.far / "fetched").iterdir()] == [digest]
